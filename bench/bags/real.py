#!/usr/bin/env python3
"""Real logs as recordings of joint states: the numbers of result.json equal those of the same rows as CSV.

Usage: bench/bags/real.py [--heft build/heft] [--data DIR] [--only SET ..] [--json FILE]

DIR (default: $HEFT_DATA or ../shared/data) holds the sets of bench/real_logs. Every log is written as MCAP with messages in CDR, ROS 1,
Protocol Buffers and JSON, and as bag folders: databases without compression and compressed by message and by file, MCAP files with chunks
in lz4 and zstd. bench/bags/tables.py does the same for tables. Exit codes: 0 all are equal, 1 one differs, 77 no data.
"""

import argparse
import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "tests" / "tools")]
import heft_bench  # noqa: E402
import recordings as rec  # noqa: E402

SETS = {"franka_panda": "log_train", "kuka_kr300": "log_train_A", "staubli_tx40": "log_train"}
START = 1_771_234_567  # [s] since 1970
CDR = rec.Channel.joint_states()
ENCODINGS = {"CDR": (CDR, rec.joint_state, {}),
             "ROS 1": (rec.Channel("/joint_states", "sensor_msgs/JointState", rec.JOINT_STATE_ROS1, "ros1", "ros1msg"), rec.joint_state, {"form": "ros1"}),
             "Protocol Buffers": (rec.Channel("/joint_states", "heft.JointStates", rec.ARRAYS_PROTO, "protobuf", "protobuf"), rec.proto_joint_state, {}),
             "JSON": (rec.Channel("/joint_states", "JointState", "{}", "json", "jsonschema"), rec.json_joint_state, {})}


def databases(folder, messages, packs=bytes, mode=""):
    rec.db3(folder / "log_0.db3", [CDR], messages, packs)
    (folder / "metadata.yaml").write_text(rec.metadata(["log_0.db3"], "zstd" if mode else "", mode))


def by_file(folder, messages):
    databases(folder, messages, mode="file")
    (folder / "log_0.db3.zstd").write_bytes(rec.zstd((folder / "log_0.db3").read_bytes()))
    (folder / "log_0.db3").unlink()
    (folder / "metadata.yaml").write_text(rec.metadata(["log_0.db3.zstd"], "zstd", "file"))


FOLDERS = {"databases": databases, "databases, compressed by message": lambda folder, messages: databases(folder, messages, rec.zstd, "message"),
           "databases, compressed by file": by_file,
           "MCAP, lz4": lambda folder, messages: (folder / "log_0.mcap").write_bytes(rec.mcap([CDR], messages, compression="lz4")),
           "MCAP, zstd": lambda folder, messages: (folder / "log_0.mcap").write_bytes(rec.mcap([CDR], messages, compression="zstd"))}


class Recording:
    """The rows of a log with times in whole nanoseconds."""

    def __init__(self, log, robot):
        with open(log, newline="") as file:
            self.rows = [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]
        self.joints = re.findall(r'<joint name="([^"]+)" type="(?:revolute|continuous|prismatic)"', robot.read_text())

    def parts(self, row):
        numbers = [[row[f"{prefix}{k + 1}"] for k in range(len(self.joints)) if f"{prefix}{k + 1}" in row] for prefix in ("q", "qd", "tau")]
        return numbers

    def csv(self, path):
        names = [f"{prefix}_{joint}" for prefix, numbers in zip(("q", "qd", "tau"), self.parts(self.rows[0])) for joint in self.joints if numbers]
        with open(path, "w") as file:
            file.write(",".join(["t", *names]) + "\n")
            for row in self.rows:
                file.write(",".join([f"{row['t']:.9f}", *map(repr, sum(self.parts(row), []))]) + "\n")

    def messages(self, make, form):
        stamps = [START * 10**9 + round(row["t"] * 1e9) for row in self.rows]
        return [(0, stamp, stamp, make(stamp, self.joints, *self.parts(row), **form)) for stamp, row in zip(stamps, self.rows)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heft", default=str(ROOT / "build" / "heft"))
    parser.add_argument("--data", default=os.environ.get("HEFT_DATA", str(ROOT.parent / "shared" / "data")))
    parser.add_argument("--only", nargs="+", choices=SETS, default=list(SETS), metavar="SET")
    parser.add_argument("--json")
    options = parser.parse_args()
    data = pathlib.Path(options.data)
    heft_bench.require([], [options.heft, data], "build Heft; bench/real_logs names the data")
    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory(prefix="heft-real-") as name:
        folder = pathlib.Path(name)

        def numbers(robot, log):
            done = subprocess.run([options.heft, "identify", "--robot", str(robot), "--log", str(log), "--out", str(folder / "out"),
                                   "--quiet", "--estimation.seek_faults", "false"], capture_output=True, text=True)
            if done.returncode not in (0, 4):
                print(done.stderr)
                return None  # not the result of the log before
            result = json.loads((folder / "out" / "result.json").read_text())
            return {key: result[key] for key in ("bodies", "columns", "training")}

        for set_name in options.only:
            robot = data / set_name / "robot.urdf"
            recording = Recording(data / set_name / f"{SETS[set_name]}.csv", robot)
            recording.csv(folder / "log.csv")
            wanted = numbers(robot, folder / "log.csv")

            def compare(title, log):
                is_equal = wanted is not None and numbers(robot, log) == wanted
                report.add(f"{set_name} as {title}: result as of CSV", float(is_equal), "1 if equal", must=1)

            for title, (channel, make, form) in ENCODINGS.items():
                (folder / "log.mcap").write_bytes(rec.mcap([channel], recording.messages(make, form)))
                compare(f"MCAP, {title}", folder / "log.mcap")
            messages = recording.messages(rec.joint_state, {})
            for k, (title, write) in enumerate(FOLDERS.items()):
                bag = folder / f"{set_name}_{k}"
                bag.mkdir()
                write(bag, messages)
                compare(f"bag folder of {title}", bag)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
