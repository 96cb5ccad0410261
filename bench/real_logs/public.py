#!/usr/bin/env python3
"""Identifies two public logs as they were published, in halves, with conditioning.lowpass_hz: auto and defaults otherwise.

Usage: bench/real_logs/public.py [DIR] [--heft build/heft] [--keep FOLDER]

DIR (default $HEFT_PUBLIC_LOGS) holds, anywhere below it, files that you download yourself:

  panda_exciting_trajectory.db3, ur10_exciting_trajectory.db3   rosbag2 files of github.com/unisa-acg/inverse-dynamics-solver (BSD-3)
  panda.urdf, ur10_robot.urdf                                   of the package example-robot-data (PyPI, conda)

The Panda publishes joint states at 30 Hz by a republished topic, whose rows are up to 17 ms off; the UR10 at 125 Hz. The script makes
CSV files of them, learns from the first half and predicts the second, and prints the errors beside what they must be, and the doubts. --keep
leaves the CSV files and results there. Exit codes: 0 all reached, 1 one missed, 77 no logs.
"""

import argparse
import json
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
SKIPPED = 77
AUTO = ["--conditioning.lowpass_hz", "auto"]
PANDA = ("panda_exciting_trajectory.db3", "panda.urdf", ["--joints.locked", "panda_finger_joint1"],
         lambda name: name.replace("fer_", "panda_"))
UR10 = ("ur10_exciting_trajectory.db3", "ur10_robot.urdf", [], lambda name: name)
# label, log, more flags, must [%], goal [%], whether the verdict must be green
CASES = [
    ("panda, lowpass auto", PANDA, AUTO, 2.8, 1.7, True),
    ("panda, lowpass auto, logged velocity", PANDA, [*AUTO, "--conditioning.velocity", "logged"], 2.8, 1.7, True),
    ("panda, retime auto, lowpass auto", PANDA, [*AUTO, "--log.retime", "auto"], 2.8, 1.7, True),
    ("ur10, lowpass auto", UR10, AUTO, 5.9, 4.0, True),
    ("ur10, lowpass auto, columns auto", UR10, [*AUTO, "--columns", "auto"], 4.2, 4.0, False),
]


class JointState:
    """sensor_msgs/msg/JointState in CDR, little endian."""

    def __init__(self, data):
        self.data, self.at = data[4:], 0
        self.take("<iI")
        self.text()
        self.names = [self.text() for _ in range(self.take("<I")[0])]
        self.position, self.velocity, self.effort = (self.numbers() for _ in range(3))

    def take(self, form):
        size = struct.calcsize(form)
        values = struct.unpack_from(form, self.data, self.at)
        self.at += size
        return values

    def align(self, size):
        self.at += -self.at % size

    def text(self):
        self.align(4)
        length = self.take("<I")[0]
        value = self.data[self.at:self.at + length].rstrip(b"\0").decode()
        self.at += length
        self.align(4)
        return value

    def numbers(self):
        self.align(4)
        count = self.take("<I")[0]
        if count == 0:
            return ()
        self.align(8)
        return self.take(f"<{count}d")


def rows_of(bag):
    """Names of the joints, and (seconds, numbers) of every message."""
    with sqlite3.connect(f"file:{bag}?mode=ro", uri=True) as file:
        messages = [(stamp, JointState(data)) for stamp, data in file.execute(
            "SELECT timestamp, data FROM messages JOIN topics ON topics.id = topic_id "
            "WHERE type = 'sensor_msgs/msg/JointState' ORDER BY timestamp")]
    first = messages[0][0]
    return messages[0][1].names, [((stamp - first) * 1e-9, [*m.position, *m.velocity, *m.effort]) for stamp, m in messages]


def write_halves(bag, rename, folder):
    """train.csv and held_out.csv."""
    names, rows = rows_of(bag)
    header = ",".join(["t", *(f"{kind}_{rename(name)}" for kind in ("q", "qd", "tau") for name in names)])
    middle = len(rows) // 2
    for name, half in (("train", rows[:middle]), ("held_out", rows[middle:])):
        lines = [f"{seconds:.9f}," + ",".join(repr(x) for x in numbers) for seconds, numbers in half]
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")


def found(data, name):
    return next(iter(sorted(data.rglob(name))), None) if data and data.is_dir() else None


def identify(heft, data, case, folder):
    _, (bag, urdf, robot_flags, rename), flags, *_ = case
    folder.mkdir(parents=True, exist_ok=True)
    write_halves(found(data, bag), rename, folder)
    command = [heft, "identify", "--quiet", "--robot", found(data, urdf), "--log", folder / "train.csv", "--validate",
               folder / "held_out.csv", "--out", folder / "result", *robot_flags, *flags]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(f"{case[0]}: exit code {done.returncode}\n{done.stderr}")
    return json.loads((folder / "result" / "result.json").read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("data", nargs="?", default=os.environ.get("HEFT_PUBLIC_LOGS"))
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft")
    parser.add_argument("--keep", type=pathlib.Path, help="folder for the CSV files and results")
    arguments = parser.parse_args()
    data = pathlib.Path(arguments.data) if arguments.data else None
    lacking = [name for log in (PANDA, UR10) for name in log[:2] if not found(data, name)]
    if lacking:
        print(f"no {', '.join(lacking)} below {data}: download what this script's head names, and give the folder")
        sys.exit(SKIPPED)
    missed = []
    print(f"{'held-out error [%], first half -> second':<42} {'Heft':>7} {'must':>6} {'goal':>6} {'cutoff':>8}  {'verdict':<7} serious doubts")
    with tempfile.TemporaryDirectory() as scratch:
        for number, case in enumerate(CASES):
            label, *_, must, goal, is_green = case
            result = identify(arguments.heft, data, case, (arguments.keep or pathlib.Path(scratch)) / str(number))
            error, verdict = 100 * result["validation"]["overall_relative"], result["verdict"]["level"]
            serious = [doubt["id"] for doubt in result["doubts"] if doubt["severity"] == "serious"]
            print(f"{label:<42} {error:>7.2f} {must:>6} {goal:>6} {result['cutoff']['cutoff_hz']:>5g} Hz  {verdict:<7} {', '.join(serious) or '-'}")
            if not error <= must:
                missed.append(f"{label}: {error:.2f} %, must be at most {must} %")
            if is_green and verdict != "green":
                missed.append(f"{label}: {verdict}, must be green")
    for line in missed:
        print("MISSED", line)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
