#!/usr/bin/env python3
"""Runs the programs of two builds in turn: of two compilers, or of before and after a change.

    bench/two_builds/run.py FIRST/heft SECOND/heft [--robot ROBOT.urdf] [--rounds 9] [--json FILE]

A row is the second's time over the first's, of medians: below 1 the second is faster. Rows and sums are timed by `heft bench
moments` itself; the rest are whole runs by the wall clock, on the demo arm and its simulated logs. --robot: another robot for
rows, sums and observe. A quiet machine, please. Exit codes: 0 compared, 77 a program is not there.
"""
import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "bench"))

import heft_bench  # noqa: E402

WORKED = (0, 3, 4)  # an answer, certified or not, in doubt or not


def run(heft, *words):
    done = subprocess.run([heft, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in WORKED:
        sys.exit(f"{heft} {' '.join(map(str, words))}: {done.stderr}")


def wall(*words):
    """Milliseconds of a whole run, by its name."""
    def taken(heft, name):
        begin = time.perf_counter()
        run(heft, *words)
        return {name: 1e3 * (time.perf_counter() - begin)}
    return taken


def rows_and_sums(robot, file):
    """Nanoseconds per sample, by precision and by what is summed."""
    def taken(heft, name):
        run(heft, "bench", "moments", "--robot", robot, "--json", file)
        return {f"{name}, {row['precision']} {row['form']}": row["ns_per_sample"] for row in json.loads(file.read_text())["rows"]}
    return taken


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=pathlib.Path)
    parser.add_argument("second", type=pathlib.Path)
    parser.add_argument("--robot", type=pathlib.Path, default=ROOT / "tools/demo/arm.urdf")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    options = parser.parse_args()
    programs = [options.first.resolve(), options.second.resolve()]
    for heft in programs:
        if not heft.exists():
            print(f"{heft} is not there", file=sys.stderr)
            return heft_bench.NOTHING_TO_RUN_ON
    arm = ROOT / "tools/demo/arm.urdf"
    report = heft_bench.Report()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        logs, out = folder / "logs", folder / "out"
        run(programs[0], "simulate", "--robot", arm, "--out", logs)
        identify = ("identify", "--robot", arm, "--config", ROOT / "tools/demo/arm.yaml", "--log", logs / "train.csv", "--out", out / "result")
        cases = {
            "rows and sums": rows_and_sums(options.robot, folder / "moments.json"),
            "identify": wall(*identify),
            "identify, no resamples": wall(*identify, "--estimation.bootstrap", 0),
            "observe": wall("observe", "--robot", options.robot),
            "excite": wall("excite", "--robot", arm, "--out", out / "motion"),
            "--version": wall("--version"),
        }
        for name, taken in cases.items():
            rounds = [[taken(heft, name) for heft in programs] for _ in range(options.rounds)]
            for row in rounds[0][0]:
                first, second = (statistics.median(pair[k][row] for pair in rounds) for k in (0, 1))
                report.add(row, second / first, "of the first's time", first=first, second=second)
    return report.finish(options.json, first=str(options.first), second=str(options.second))


if __name__ == "__main__":
    sys.exit(main())
