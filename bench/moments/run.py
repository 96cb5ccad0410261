#!/usr/bin/env python3
"""Rows and normal equations beside Pinocchio in C++; writes the table of README.md.

    /path/to/python bench/moments/run.py [--heft build/heft] [--readme FILE] [--json FILE] [--rounds 5]

The interpreter must have `pin` (and, for two of the robots, `example-robot-data`), whose headers the peer is built
from; g++, Eigen and OpenBLAS come from the system (Debian: g++ libeigen3-dev libopenblas-dev). Heft and the peer take
turns, turn after turn, one thread each; a figure is the median over the turns. Both are measured with the widest
instruction set of the processor and with AVX2, or with the widest alone: the peer is built for each.

A busy neighbor must not distort a figure. Both programs measure the register peak before and after every round and drop
rounds where it is below 97 % of the best; a turn whose own best peak is below 97 % of that of all turns is dropped, too.
The table says how many. Exit codes: 0 measured, 77 nothing to run on, with the reason.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402
heft_bench.require(["numpy", "pinocchio"], remedy="pip install pin")
import pinocchio  # noqa: E402

import robots  # noqa: E402
PREFIX = pathlib.Path(pinocchio.__file__).resolve().parents[4]
# Pinocchio's list of joints is longer than the preprocessed headers of Boost allow
BOOST_LIMITS = ["-DBOOST_MPL_LIMIT_LIST_SIZE=30", "-DBOOST_MPL_LIMIT_VECTOR_SIZE=30",
                "-DBOOST_MPL_CFG_NO_PREPROCESSED_HEADERS", "-DBOOST_FUSION_INVOKE_MAX_ARITY=12"]
WAYS = ("rank_update", "stacked_rank_update", "stacked_dsyrk")
BEGIN, END = "<!-- table: written by run.py -->", "<!-- end of table -->"


def cpu_name():
    with open("/proc/cpuinfo") as file:
        return next((line.split(":")[1].strip() for line in file if line.startswith("model name")), platform.machine())


# what the peer is built for beside each of Heft's instruction sets, and the kernels that OpenBLAS takes
MACHINES = {"avx512": ("native", "SkylakeX"), "avx2": ("x86-64-v3", "Haswell"), "neon": ("native", None),
            "baseline": ("native", None)}
UNDISTURBED = 0.97  # of the best register peak


def build_peer(folder, instruction_set):
    """The peer's program; without what it is built from the benchmark ends with 77."""
    program = folder / f"peer_pinocchio_{instruction_set}"
    command = ["g++", "-std=c++17", "-O3", f"-march={MACHINES[instruction_set][0]}", "-DNDEBUG", "-w", *BOOST_LIMITS,
               f"-isystem{PREFIX}/include", "-isystem/usr/include/eigen3", str(HERE / "peer_pinocchio.cpp"),
               "-o", str(program), "-lopenblas"]
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        print("nothing to run on: no g++ to build the peer with: apt install g++")
        sys.exit(heft_bench.NOTHING_TO_RUN_ON)
    if done.returncode == 0:
        return program
    for word, package in (("cblas.h", "libopenblas-dev"), ("openblas", "libopenblas-dev"), ("Eigen/", "libeigen3-dev")):
        if word in done.stderr:
            print(f"nothing to run on: the peer needs {package}: apt install {package}")
            sys.exit(heft_bench.NOTHING_TO_RUN_ON)
    sys.exit(f"the peer could not be built: {done.stderr[-2000:]}")


def instruction_sets(heft):
    """The widest that heft has on this processor, and AVX2 if that is narrower."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([heft, "info", "--json", file.name], check=True, capture_output=True)
        there = json.loads(pathlib.Path(file.name).read_text())["instruction_sets"]
    widest = next(name for name in ("avx512", "avx2", "neon", "baseline") if name in there)
    return [widest, *(["avx2"] if widest == "avx512" else [])]


def environment(instruction_set):
    """One thread, and the OpenBLAS kernels that fit: old versions take new processors for ancient ones."""
    result = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    if MACHINES[instruction_set][1]:
        result["OPENBLAS_CORETYPE"] = MACHINES[instruction_set][1]
    return result


def ask_peer(program, table, seconds, instruction_set):
    done = subprocess.run([program, str(table), str(seconds)], check=True, capture_output=True,
                          env=environment(instruction_set))
    return json.loads(done.stdout)


def ask_heft(program, urdf, floating, seconds, instruction_set="widest", *more):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "bench", "moments", str(urdf), *(["--floating"] if floating else []), "--seconds",
                        str(seconds), "--instruction-set", instruction_set, "--json", file.name, *more], check=True,
                       capture_output=True)
        return json.loads(pathlib.Path(file.name).read_text())


def undisturbed(turns, peak_of):
    """Those at full speed, and how many are not."""
    best = max(peak_of(turn) for turn in turns)
    kept = [turn for turn in turns if peak_of(turn) >= UNDISTURBED * best]
    return kept, len(turns) - len(kept)


def measure_set(heft, instruction_set, peer, urdf, floating, table, turns, seconds):
    """Figures of one robot with one instruction set, Heft and the peer in turns."""
    peers, reports = [], []
    for _ in range(turns):
        peers.append(ask_peer(peer, table, 2 * seconds, instruction_set))
        reports.append(ask_heft(heft, urdf, floating, seconds, instruction_set))
    peers, peer_turns_dropped = undisturbed(peers, lambda turn: turn["peak"])
    best = {way: statistics.median(turn[way] for turn in peers) for way in ("regressor", *WAYS)}
    result = {"peer": best, "best_peer": min(WAYS, key=best.get), "openblas_core": peers[0]["openblas_core"],
              "dgemm_products_per_s": statistics.median(turn["dgemm_products_per_s"] for turn in peers),
              "dof": peers[0]["dof"], "forms": {}, "rounds": sum(turn["rounds"] for turn in peers),
              "rounds_dropped": sum(turn["rounds_dropped"] for turn in peers), "turns_dropped": peer_turns_dropped,
              "peak_fp64": max(report["peak_fp64"] for report in reports),
              "peak_with_loads_fp64": max(report["peak_with_loads_fp64"] for report in reports),
              "products_per_sample": reports[0]["rows"][0]["products_per_sample"]}
    for k, first in enumerate(reports[0]["rows"]):
        rows, dropped = undisturbed([report["rows"][k] for report in reports], lambda row: row["peak_beside"])
        result["forms"][f"{first['precision']} {first['form']}"] = {
            key: statistics.median(row[key] for row in rows)
            for key in ("ns_per_sample", "gram_share_of_peak", "gram_share_of_peak_with_loads")}
        result["rounds"] += sum(row["rounds"] for row in rows)
        result["rounds_dropped"] += sum(row["rounds_dropped"] for row in rows)
        result["turns_dropped"] += dropped
    return result


def measure(heft, peers, robot, folder, turns, seconds):
    name, urdf, floating = robot
    table = folder / f"{name}.txt"
    robots.write_peer_tables(urdf, floating, table)
    return {"robot": name, "sets": {instruction_set: measure_set(heft, instruction_set, peer, urdf, floating, table, turns,
                                                                 seconds)
                                    for instruction_set, peer in peers.items()}}


FORMS = ("fp64 summed", "fp64 per channel", "fp32 summed", "fp32 per channel")


def table_lines(results):
    lines = ["| robot | DoF | multiply-adds | instructions | Pinocchio: rows alone | best sum | "
             + " | ".join(FORMS) + " | Gram loop, % of peak: fp64, fp32 | of the peak with loads | rounds, dropped; turns dropped |",
             "|" + "---|" * 13]
    for result in results:
        for instruction_set, figures in result["sets"].items():
            best = figures["peer"][figures["best_peer"]]
            forms = figures["forms"]
            cells = " | ".join(f"{forms[form]['ns_per_sample']:.0f} ns, **{best / forms[form]['ns_per_sample']:.1f}x**"
                               for form in FORMS)
            lines.append(
                f"| {result['robot']} | {figures['dof']} | {figures['products_per_sample']:.0f} | {instruction_set} | "
                f"{figures['peer']['regressor']:.0f} ns | {best:.0f} ns, {figures['best_peer']} | {cells} | "
                f"{100 * forms['fp64 summed']['gram_share_of_peak']:.0f}, "
                f"{100 * forms['fp32 summed']['gram_share_of_peak']:.0f} | "
                f"{100 * forms['fp64 summed']['gram_share_of_peak_with_loads']:.0f} | "
                f"{figures['rounds']}, {figures['rounds_dropped']}; {figures['turns_dropped']} |")
    return lines


def peak_lines(results):
    lines = []
    for instruction_set in results[0]["sets"]:
        peak, with_loads, dgemm = (statistics.median(result["sets"][instruction_set][key] for result in results)
                                   for key in ("peak_fp64", "peak_with_loads_fp64", "dgemm_products_per_s"))
        lines.append(
            f"The peak of {instruction_set}, {1e-9 * peak:.1f} G multiply-adds/s in fp64, is of registers alone. With "
            f"factors from the first-level cache a tile reaches {100 * with_loads / peak:.0f} % of it, OpenBLAS's product "
            f"of two matrices of 1024 x 1024 {100 * dgemm / peak:.0f} %.")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft", help="the program")
    parser.add_argument("--readme", help="write the table between the marks of this file")
    parser.add_argument("--json", help="write every number here")
    parser.add_argument("--rounds", type=int, default=5, help="turns of Heft and the peer")
    parser.add_argument("--seconds", type=float, default=0.3, help="for each figure of a turn")
    parser.add_argument("--only", help="robots to take, separated by commas")
    options = parser.parse_args()
    heft_bench.require(files=[options.heft], remedy="build it, or name it with --heft")
    sets = instruction_sets(options.heft)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        chosen = [robot for robot in robots.write_random_robots(folder) + robots.example_robots()
                  if not options.only or robot[0] in options.only.split(",")]
        peers = {instruction_set: build_peer(folder, instruction_set) for instruction_set in sets}
        results = [measure(options.heft, peers, robot, folder, options.rounds, options.seconds) for robot in chosen]
        arm = robots.write_random_robots(folder)[0]
        threads = {n: statistics.median(
            ask_heft(options.heft, arm[1], False, options.seconds, "widest", "--threads", str(n), "--samples", "262144")
            ["rows"][0]["ns_per_sample"] for _ in range(options.rounds)) for n in (1, 2)}
    commit = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True,
                            text=True).stdout.strip()
    load = os.getloadavg()[0]
    report = {"machine": cpu_name(), "cores": os.cpu_count(), "load": load, "commit": commit, "results": results,
              "threads": threads}
    cores = ", ".join(sorted({figures["openblas_core"] for figures in results[0]["sets"].values()}))
    lines = [f"{report['machine']}, {report['cores']} cores, load average {load:.1f}, OpenBLAS kernels {cores}, commit "
             f"{commit}, {datetime.date.today().isoformat()}. Nanoseconds a sample and times faster than the peer's best, one "
             "thread, rigid columns only.", "", *table_lines(results), "", *peak_lines(results), "",
             f"Two threads do {threads[1] / threads[2]:.2f} times what one does (arm6, fp64 summed, 262 144 samples a "
             "call, wall time)."]
    print("\n".join(lines))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    if options.readme:
        heft_bench.write_between(pathlib.Path(options.readme), BEGIN, END, lines)


if __name__ == "__main__":
    main()
