#!/usr/bin/env python3
"""Identifies three real robots from their logs and prints held-out errors beside the figures they must reach.

Usage: bench/real_logs/run.py [--heft build/heft] [--data DIR] [--untimed] [--docs]

--untimed prints times without a limit, for machines that are busy. --docs also rewrites the tables in docs/benchmarks.md between
their markers.

The recipes are the YAML files beside this script. DIR (default: $HEFT_DATA or ../shared/data) holds
staubli_tx40/, kuka_kr300/ and franka_panda/, each with robot.urdf and log_*.csv. Exit codes: 0 all figures
reached, 1 one missed, 77 no data (CTest shows it as skipped).
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402
SKIPPED = 77
DOCS_BEGIN, DOCS_END = "<!-- real logs: begin -->", "<!-- real logs: end -->"

# set, training logs, held-out log, must of WLS [%] (None: print only), must of the constrained answer [%]
CASES = [
    ("staubli_tx40", ["log_train"], "log_valid", 7.6, 6.5),
    ("kuka_kr300", ["log_train_A", "log_train_B"], "log_valid_C", 3.1, 3.0),
    ("kuka_kr300", ["log_train_A"], "log_valid_C", None, 4.4),
    ("franka_panda", ["log_train"], "log_valid", 1.35, 1.40),
]
# the same with --prior-weight auto: set, training logs, held-out log, share of the conditioned samples, must [%]
# (None: at most 2 % worse than the default weight)
AUTO_CASES = [
    ("kuka_kr300", ["log_train_A"], "log_valid_C", 1, 3.6),
    ("franka_panda", ["log_train"], "log_valid", 1 / 10, 4.0),
    ("franka_panda", ["log_train"], "log_valid", 1 / 20, 4.2),
    ("staubli_tx40", ["log_train"], "log_valid", 1, None),
    ("kuka_kr300", ["log_train_A", "log_train_B"], "log_valid_C", 1, None),
    ("franka_panda", ["log_train"], "log_valid", 1, None),
]
TX40_WLS_JOINTS = [7, 7, 12, 10, 17, 14]  # %, relative error of every joint under WLS
MAX_ITERATIONS = {1e-2: 60, 1e-3: 100, 1e-4: 500}  # of ADMM to a certified gap of 1e-8


class Bench:
    def __init__(self, heft, data):
        self.heft, self.data = heft, data
        self.missed = []
        self.markdown = []  # lines of the page's tables

    def identify(self, case, *flags):
        """result.json of one run, with seconds and peak megabytes of the process."""
        name, training, held_out = case[:3]
        folder = self.data / name
        with tempfile.TemporaryDirectory() as out:
            command = [self.heft, "identify", "--quiet", "--robot", folder / "robot.urdf",
                       "--config", HERE / f"{name}.yaml", "--out", out, *flags]
            for log in training:
                command += ["--log", folder / f"{log}.csv"]
            command += ["--validate", folder / f"{held_out}.csv"]
            start = time.perf_counter()
            process = subprocess.Popen([str(word) for word in command], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - start
            if os.waitstatus_to_exitcode(status) not in (0, 4):  # 4: an answer that is doubted, as those from little data are
                sys.exit(f"{name}: heft identify failed")
            result = json.loads((pathlib.Path(out) / "result.json").read_text())
        return result, seconds, usage.ru_maxrss / 1024

    def check(self, label, value, limit):
        if limit is None:
            return ""
        if not value <= limit:
            self.missed.append(f"{label}: {value:.4g}, must be at most {limit:g}")
        return f"<= {limit:g}"


def percent_of(result, name):
    return next(100 * e["validation_overall_relative"] for e in result["estimates"] if e["name"] == name)


def relative_by_joint(result):
    return [100 * fit["rms_error"] / fit["rms_torque"] for fit in result["validation"]["per_channel"]]


def label_of(case):
    return f"{case[0]} {'+'.join(log.removeprefix('log_') for log in case[1])} -> {case[2].removeprefix('log_')}"


def held_out_table(bench):
    print(f"{'held-out error [%]':<42} {'rows':>6} {'OLS':>7} {'WLS':>7} {'must':>8} {'Heft':>7} {'must':>8} "
          f"{'gap':>9} {'broken by LS':>13}")
    bench.markdown += ["| held-out error, % of the torque | least squares | weighted | bodies it breaks | Heft | certified gap |",
                       "|---|---|---|---|---|---|"]
    for case in CASES:
        result, _, _ = bench.identify(case)
        label = label_of(case)
        rows = sum(fit["rows"] for fit in result["training"]["per_channel"])
        wls, heft = percent_of(result, "wls"), percent_of(result, "constrained")
        certificate = result["certificate"]
        broken = next(len(e["impossible_bodies"]) for e in result["estimates"] if e["name"] == "wls")
        print(f"{label:<42} {rows:>6} {percent_of(result, 'ols'):>7.2f} {wls:>7.2f} "
              f"{bench.check(label + ' WLS', wls, case[3]):>8} {heft:>7.2f} "
              f"{bench.check(label + ' constrained', heft, case[4]):>8} {certificate['gap']:>9.1e} "
              f"{broken:>6} of {len(result['bodies'])}")
        bench.markdown.append(f"| {label} | {percent_of(result, 'ols'):.2f} | {wls:.2f} | {broken} of {len(result['bodies'])} "
                              f"| **{heft:.2f}** | {certificate['gap']:.0e} |")
        bench.check(label + " gap", certificate["gap"], 1e-8)
        if result["status"] != "certified" or not certificate["bodies_positive_definite"]:
            bench.missed.append(f"{label}: {result['status']}, {certificate['verdict']}")


def weight_table(bench):
    """Prior weight from cross-validation on the training logs, compared with the default weight."""
    print(f"\n{'held-out error [%] with --prior-weight auto':<52} {'default':>8} {'auto':>8} {'must':>8} {'weight':>8} {'sweep':>8}")
    bench.markdown += ["", "| held-out error, %, weight of the prior | default | `--prior-weight auto` | weight |", "|---|---|---|---|"]
    for case in AUTO_CASES:
        share, limit = case[3:]
        flags, label = [], label_of(case)
        if share < 1:
            samples = sum(log["samples"] for log in bench.identify(case)[0]["logs"]["training"])
            flags = ["--estimation.training_samples", str(round(share * samples))]
            label += f", first 1/{round(1 / share)}"
        fixed = percent_of(bench.identify(case, *flags)[0], "constrained")
        result = bench.identify(case, *flags, "--prior-weight", "auto")[0]
        auto = percent_of(result, "constrained")
        must = bench.check(f"{label} auto", auto, limit if limit else 1.02 * fixed)
        bench.markdown.append(f"| {label} | {fixed:.2f} | **{auto:.2f}** | {result['prior']['weight']:g} |")
        milliseconds = 1e3 * result["timings"]["choose the prior weight"]["value"]
        print(f"{label:<52} {fixed:>8.2f} {auto:>8.2f} {must[:8]:>8} {result['prior']['weight']:>8g} {milliseconds:>5.0f} ms")


def tx40_joints(bench):
    result, _, _ = bench.identify(CASES[0], "--solver", "wls")
    errors = relative_by_joint(result)
    for joint, (error, limit) in enumerate(zip(errors, TX40_WLS_JOINTS), 1):
        bench.check(f"staubli_tx40 joint {joint} WLS", error, limit)
    print("\nstaubli_tx40, WLS, relative error by joint [%]: " + ", ".join(f"{e:.1f}" for e in errors)
          + "  must be <= " + ", ".join(map(str, TX40_WLS_JOINTS)))


def iterations_table(bench):
    print(f"\n{'ADMM iterations to a certified gap of 1e-8':<42} "
          + " ".join(f"{f'w = {w:g} (<= {limit})':>20}" for w, limit in MAX_ITERATIONS.items()))
    for case in CASES:
        cells = []
        for weight, limit in MAX_ITERATIONS.items():
            result, _, _ = bench.identify(case, "--solver", "admm", "--prior-weight", f"{weight:g}")
            iterations = result["solver"]["iterations"]
            bench.check(f"{label_of(case)} ADMM iterations at w = {weight:g}", iterations, limit)
            bench.check(f"{label_of(case)} gap at w = {weight:g}", result["certificate"]["gap"], 1e-8)
            cells.append(f"{iterations:>20}")
        print(f"{label_of(case):<42} " + " ".join(cells))


def panda_cost(bench, is_timed):
    """The whole process, from CSV to result, on one core; the best of five runs, because other load only adds time."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    runs = [bench.identify(CASES[3], "--threads", "1") for _ in range(5)]
    seconds, megabytes = min(run[1] for run in runs), max(run[2] for run in runs)
    if is_timed:
        bench.check("franka_panda wall time [s]", seconds, 0.5)
    bench.check("franka_panda peak memory [MB]", megabytes, 100)
    print(f"\nfranka_panda, CSV to result on one core: {seconds:.3f} s (must < 0.5, goal < 0.1), "
          f"{megabytes:.0f} MB peak (must < 100)")
    bench.markdown += ["", f"The Panda's 21 s of log at 1 kHz, from the CSV files to result.json on one core of {processor()}: "
                       f"**{seconds:.2f} s**, {megabytes:.0f} MB."]


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return "an " + " ".join(line.split(":")[1].split())
    return "this machine"


def rewrite_docs(lines):
    heft_bench.write_between(HERE.parents[1] / "docs" / "benchmarks.md", DOCS_BEGIN, DOCS_END, lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft")
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", HERE.parents[2] / "shared" / "data"))
    parser.add_argument("--untimed", action="store_true", help="no limit for the time that a run takes")
    parser.add_argument("--docs", action="store_true", help="rewrite the tables in docs/benchmarks.md")
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data)
    if not (data / "staubli_tx40").is_dir():
        print(f"no logs at {data}: set HEFT_DATA to the folder that holds staubli_tx40, kuka_kr300, franka_panda")
        sys.exit(SKIPPED)
    bench = Bench(arguments.heft, data)
    held_out_table(bench)
    weight_table(bench)
    tx40_joints(bench)
    iterations_table(bench)
    panda_cost(bench, not arguments.untimed)
    if arguments.docs:
        rewrite_docs(bench.markdown)
    for missed in bench.missed:
        print("MISSED", missed)
    sys.exit(1 if bench.missed else 0)


if __name__ == "__main__":
    main()
