#!/usr/bin/env python3
"""Rows and normal equations beside Pinocchio in C++; writes the table of README.md.

    /path/to/python bench/moments/run.py [--heft build/heft] [--readme FILE] [--json FILE] [--rounds 5]

The interpreter must have `pin` (and, for two of the robots, `example-robot-data`), whose headers the peer is built
from; g++, Eigen and OpenBLAS come from the system (Debian: g++ libeigen3-dev libopenblas-dev). Heft and the peer take
turns, round after round, one thread each; a figure is the median over the rounds. Heft is measured with the widest
instruction set of the processor and with AVX2, or with the widest alone. Exit codes: 0 measured, 77 nothing to run on,
with the reason.
"""

import argparse
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


def build_peer(folder):
    """The peer's program; without what it is built from the benchmark ends with 77."""
    program = folder / "peer_pinocchio"
    command = ["g++", "-std=c++17", "-O3", "-march=native", "-DNDEBUG", "-w", *BOOST_LIMITS,
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


def environment():
    """One thread, and the OpenBLAS kernels that fit: old versions take new processors for ancient ones."""
    result = dict(os.environ, OPENBLAS_NUM_THREADS="1")
    with open("/proc/cpuinfo") as file:
        flags = file.read()
    core = "SkylakeX" if "avx512dq" in flags else "Haswell" if "avx2" in flags else None
    if core:
        result.setdefault("OPENBLAS_CORETYPE", core)
    return result


def ask_peer(program, table, seconds):
    done = subprocess.run([program, str(table), str(seconds)], check=True, capture_output=True, env=environment())
    return json.loads(done.stdout)


def ask_heft(program, urdf, floating, seconds, instruction_set="widest", *more):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "bench", "moments", str(urdf), *(["--floating"] if floating else []), "--seconds",
                        str(seconds), "--instruction-set", instruction_set, "--json", file.name, *more], check=True,
                       capture_output=True)
        return json.loads(pathlib.Path(file.name).read_text())


def measure(heft, sets, peer, robot, folder, rounds, seconds):
    name, urdf, floating = robot
    table = folder / f"{name}.txt"
    robots.write_peer_tables(urdf, floating, table)
    peers, figures, shares, reachable, peaks = [], {}, {}, {}, []
    for _ in range(rounds):
        peers.append(ask_peer(peer, table, 2 * seconds))
        for instruction_set in sets:
            report = ask_heft(heft, urdf, floating, seconds, instruction_set)
            if instruction_set == sets[0]:
                peaks.append(report)
            for row in report["rows"]:
                key = f"{instruction_set} {row['precision']} {row['form']}"
                figures.setdefault(key, []).append(row["ns_per_sample"])
                shares.setdefault(key, []).append(row["gram_share_of_peak"])
                reachable.setdefault(key, []).append(row["gram_share_of_peak_with_loads"])
    one = row
    median = {way: statistics.median(p[way] for p in peers) for way in ("regressor", *WAYS)}
    best = min(WAYS, key=median.get)
    return {"robot": name, "dof": one["dof"], "parameters": one["parameters"],
            "products_per_sample": one["products_per_sample"], "peer": median, "best_peer": best,
            "openblas_core": peers[0]["openblas_core"],
            "dgemm_products_per_s": statistics.median(p["dgemm_products_per_s"] for p in peers),
            **{key: statistics.median(p[key] for p in peaks) for key in ("peak_fp64", "peak_with_loads_fp64")},
            "ns_per_sample": {k: statistics.median(v) for k, v in figures.items()},
            "gram_share_of_peak": {k: statistics.median(v) for k, v in shares.items()},
            "gram_share_of_peak_with_loads": {k: statistics.median(v) for k, v in reachable.items()}}


def table_lines(results, sets):
    widest, narrower = sets[0], sets[1:]
    lines = ["| robot | DoF | multiply-adds | Pinocchio: rows alone | best sum | fp64 summed | fp64 per channel | "
             "fp32 summed | fp32 per channel | " + "".join(f"{name.upper()} fp64 summed | " for name in narrower) +
             "Gram loop, % of peak | of the peak with loads |", "|" + "---|" * (11 + len(narrower))]
    for result in results:
        best = result["peer"][result["best_peer"]]

        def cell(key):
            ns = result["ns_per_sample"][key]
            return f"{ns:.0f} ns, **{best / ns:.1f}x**"
        lines.append(
            f"| {result['robot']} | {result['dof']} | {result['products_per_sample']:.0f} | "
            f"{result['peer']['regressor']:.0f} ns | {best:.0f} ns, {result['best_peer']} | "
            f"{cell(f'{widest} fp64 summed')} | {cell(f'{widest} fp64 per channel')} | {cell(f'{widest} fp32 summed')} | "
            f"{cell(f'{widest} fp32 per channel')} | " + "".join(f"{cell(f'{name} fp64 summed')} | " for name in narrower) +
            f"{100 * result['gram_share_of_peak'][f'{widest} fp64 summed']:.0f} | "
            f"{100 * result['gram_share_of_peak_with_loads'][f'{widest} fp64 summed']:.0f} |")
    return lines


def peak_line(results):
    peak, with_loads, dgemm = (statistics.median(result[key] for result in results)
                               for key in ("peak_fp64", "peak_with_loads_fp64", "dgemm_products_per_s"))
    return (f"The peak, {1e-9 * peak:.1f} G multiply-adds/s in fp64, is of registers alone. With factors from the "
            f"first-level cache a tile reaches {100 * with_loads / peak:.0f} % of it, OpenBLAS's product of two "
            f"matrices of 1024 x 1024 {100 * dgemm / peak:.0f} %.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft", help="the program")
    parser.add_argument("--readme", help="write the table between the marks of this file")
    parser.add_argument("--json", help="write every number here")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=0.3, help="for each figure of a round")
    parser.add_argument("--only", help="robots to take, separated by commas")
    options = parser.parse_args()
    heft_bench.require(files=[options.heft], remedy="build it, or name it with --heft")
    sets = instruction_sets(options.heft)
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        chosen = [robot for robot in robots.write_random_robots(folder) + robots.example_robots()
                  if not options.only or robot[0] in options.only.split(",")]
        peer = build_peer(folder)
        results = [measure(options.heft, sets, peer, robot, folder, options.rounds, options.seconds) for robot in chosen]
        arm = robots.write_random_robots(folder)[0]
        threads = {n: statistics.median(
            ask_heft(options.heft, arm[1], False, options.seconds, "widest", "--threads", str(n), "--samples", "262144")
            ["rows"][0]["ns_per_sample"] for _ in range(options.rounds)) for n in (1, 2)}
    commit = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short", "HEAD"], capture_output=True,
                            text=True).stdout.strip()
    load = os.getloadavg()[0]
    report = {"machine": cpu_name(), "cores": os.cpu_count(), "load": load, "commit": commit, "results": results,
              "threads": threads}
    lines = [f"{report['machine']}, {report['cores']} cores, load average {load:.1f}, OpenBLAS kernels "
             f"{results[0]['openblas_core']}, Heft's {sets[0]} unless the column says otherwise, commit {commit}. Nanoseconds a sample and times faster than the peer's "
             "best, one thread, rigid columns only.", "", *table_lines(results, sets), "", peak_line(results), "",
             f"Two threads do {threads[1] / threads[2]:.2f} times what one does (arm6, fp64 summed, 262 144 samples a "
             "call, wall time)."]
    print("\n".join(lines))
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(report, indent=1) + "\n")
    if options.readme:
        heft_bench.write_between(pathlib.Path(options.readme), BEGIN, END, lines)


if __name__ == "__main__":
    main()
