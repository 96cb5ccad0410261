#!/usr/bin/env python3
"""Logs whose rows have latencies of their own: what they are called, and what the remedy leaves of the error.

Usage: bench/faults/late_rows.py [--heft build/heft] [--robots DIR] [--arms N] [--json FILE]

Simulates N arms (default 20) by `heft simulate`, each with another truth and motion, at 30 Hz with latencies from 0 to 12 ms and at 125 Hz with
0 to 4 ms, and the clean twin of every log. The arms are the demo's and, with --robots, those of DIR/ (package example-robot-data). It identifies
both, pastes the YAML of the first hypothesis of the late one, and compares the held-out error with the clean twin's. `plain` is the same with
conditioning.lowpass_hz: auto alone, `even` with log.retime: auto at the cutoff that was chosen so: what even times are worth where the truth is
known. Exit codes: 0 all musts reached, 1 one missed.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

ROBOTS = ["ur_description/urdf/ur5_robot.urdf", "xarm_description/urdf/xarm7.urdf", "ur_description/urdf/ur10_robot.urdf",
          "z1_description/urdf/z1.urdf", "panda_description/urdf/panda.urdf", "ur_description/urdf/ur3_robot.urdf"]
RATES = ((30, .012), (125, .004))  # [Hz], [s]


def simulate(heft, robot, seed, rate, latency, folder):
    subprocess.run([heft, "simulate", "--robot", robot, "--rate", str(rate), "--seed", str(seed), "--trajectory-seed", str(2 * seed),
                    "--latency", str(latency), "--out", folder], check=True, stdout=subprocess.DEVNULL)


def identify(heft, robot, folder, *flags):
    out = folder / "result"
    done = subprocess.run([str(word) for word in (heft, "identify", "--quiet", "--robot", robot, "--log", folder / "train.csv", "--validate",
                                                  folder / "held_out.csv", "--estimation.bootstrap", 0, "--out", out, *flags)],
                          capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{folder}: exit code {done.returncode}: {done.stderr}")
    return json.loads((out / "result.json").read_text())


def error_of(result):
    return result["validation"]["overall_relative"]


def serious(result):
    return [doubt["id"] for doubt in result["doubts"] if doubt["severity"] == "serious"]


def case(heft, robot, seed, rate, latency, scratch):
    late, clean = scratch / "late", scratch / "clean"
    simulate(heft, robot, seed, rate, latency, late)
    simulate(heft, robot, seed, rate, 0, clean)
    twin, result = identify(heft, robot, clean), identify(heft, robot, late)
    first = result["hypotheses"][0] if result["hypotheses"] else {}
    config = scratch / "remedy.yaml"
    config.write_text(first.get("yaml") or "")
    plain = identify(heft, robot, late, "--lowpass", "auto")
    cutoff = plain["cutoff"]["cutoff_hz"]
    even = identify(heft, robot, late, "--lowpass", cutoff, "--log.retime", "auto")
    return {"rate": rate, "clean": error_of(twin), "late": error_of(result), "remedied": error_of(identify(heft, robot, late, "--config", config)),
            "plain": error_of(plain), "even": error_of(even), "cutoff": cutoff, "named": serious(result)[:1] == ["stamps-late"], "doubts": serious(result),
            "false": serious(twin), "yaml": first.get("yaml", "").strip()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=ROOT / "build" / "heft")
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--arms", type=int, default=20)
    parser.add_argument("--json")
    options = parser.parse_args()
    robots = [ROOT / "tools" / "demo" / "arm.urdf"]
    if options.robots:
        robots += [options.robots / path for path in ROBOTS if (options.robots / path).exists()]
    rows = []
    print(f"{'arm':<28} {'rate':>4} {'clean':>7} {'late':>7} {'remedied':>8} {'plain':>7} {'even':>7} {'cutoff':>6}  doubts; remedy [errors in %]")
    for arm in range(options.arms):
        robot = robots[arm % len(robots)]
        for rate, latency in RATES:
            with tempfile.TemporaryDirectory() as scratch:
                row = case(options.heft, robot, 100 + arm, rate, latency, pathlib.Path(scratch))
            rows.append(row)
            percent = [f"{100 * row[key]:7.2f}" for key in ("clean", "late", "remedied", "plain", "even")]
            print(f"{robot.stem + ' ' + str(arm):<28} {rate:>4} {' '.join(percent)} {row['cutoff']:>6g}  {', '.join(row['doubts']) or '-'}; {row['yaml']}"
                  + (f"  CLEAN: {', '.join(row['false'])}" if row["false"] else ""), flush=True)
    report = heft_bench.Report()
    for rate, _ in RATES:
        of_rate = [row for row in rows if row["rate"] == rate]
        ratio = [row["remedied"] / row["clean"] for row in of_rate]
        report.add(f"{rate} Hz: named rightly", 100 * sum(row["named"] for row in of_rate) / len(of_rate), "%", must=95, goal=99)
        report.add(f"{rate} Hz: held-out error over the clean twin's after the remedy, median", statistics.median(ratio), "1", must=2, goal=1.3,
                   smaller_is_better=True)
        report.add(f"{rate} Hz: the same, largest", max(ratio), "1")
        report.add(f"{rate} Hz: even times over plain smoothing at the same cutoff, median",
                   statistics.median(row["even"] / row["plain"] for row in of_rate), "1", must=1, smaller_is_better=True)
    report.add("clean twins with a serious doubt", sum(bool(row["false"]) for row in rows), "logs", must=0, smaller_is_better=True)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
