#!/usr/bin/env python3
"""Programs of two builds take turns: of two compilers, or of before and after.

    bench/two_builds/run.py FIRST/heft SECOND/heft [--robot ROBOT.urdf] [--rounds 9] [--json FILE]

Each row is the second's time over the first's, of medians: below 1 the second is faster. Rows and sums by `heft bench moments`
and `motion`, which time themselves; the rest are whole runs of the program by the wall clock, on the demo arm and its simulated
logs. --robot: another robot for rows, sums and observe. A quiet machine, please.
"""
import argparse
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
    return done.stdout


def wall(*words):
    """Seconds of a whole run."""
    def seconds(heft):
        begin = time.perf_counter()
        run(heft, *words)
        return time.perf_counter() - begin
    return seconds


def rows_and_sums(robot, precision, rows):
    """Nanoseconds a sample as `heft bench moments` says: the column before the spread."""
    def nanoseconds(heft):
        for line in run(heft, "bench", "moments", "--robot", robot).splitlines():
            words = line.split()
            if f"{precision} {rows}" in " ".join(words) and words[-1].endswith("%"):
                spread = next(k for k, word in enumerate(words) if word.endswith("%"))
                return float(words[spread - 1])
        sys.exit(f"heft bench moments has no row of {precision} {rows}")
    return nanoseconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("first", type=pathlib.Path)
    parser.add_argument("second", type=pathlib.Path)
    parser.add_argument("--robot", type=pathlib.Path, default=ROOT / "tools/demo/arm.urdf")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--json")
    options = parser.parse_args()
    arm = ROOT / "tools/demo/arm.urdf"
    with tempfile.TemporaryDirectory() as folder:
        logs, out = pathlib.Path(folder) / "logs", pathlib.Path(folder) / "out"
        run(options.first, "simulate", "--robot", arm, "--out", logs)
        log = ("--robot", arm, "--config", ROOT / "tools/demo/arm.yaml", "--log", logs / "train.csv")
        cases = {
            **{f"rows and sums, {precision} {rows}": rows_and_sums(options.robot, precision, rows)
               for precision in ("fp64", "fp32") for rows in ("summed", "per channel")},
            "identify": wall("identify", *log, "--validate", logs / "held_out.csv", "--out", out / "identified"),
            "identify, 200 resamples": wall("identify", *log, "--estimation.bootstrap", 200, "--out", out / "resampled"),
            "observe": wall("observe", "--robot", options.robot),
            "excite": wall("excite", "--robot", arm, "--out", out / "motion"),
            "--version": wall("--version"),
        }
        report = heft_bench.Report()
        for name, seconds in cases.items():
            taken = {options.first: [], options.second: []}
            for _ in range(options.rounds):
                for heft, all_of_it in taken.items():
                    all_of_it.append(seconds(heft))
            first, second = (statistics.median(all_of_it) for all_of_it in taken.values())
            report.add(name, second / first, "of the first's time", first=first, second=second)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
