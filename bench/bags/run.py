#!/usr/bin/env python3
"""Recordings of messages as logs: equal results to CSV, speed compared with Python readers, memory.

Usage: bench/bags/run.py [--heft build/heft] [--rows 1000000] [--without-longest] [--json FILE]

Writes an uncompressed MCAP file of joint states (seven joints) itself, for the last row one of ten times the rows (3.3 GB). Times are
processor times, as those of the other readers, and the least of five passes, since other programs share the machine. Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on:
NumPy, or the PyPI packages rosbags and mcap are missing.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import zlib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent), str(ROOT / "tests" / "tools")]
import heft_bench  # noqa: E402
import recordings as rec  # noqa: E402

ARM = ROOT / "tools" / "demo" / "arm.urdf"
JOINTS = [f"joint_{i}" for i in range(1, 8)]
START = 1_771_234_567_000_000_000
STEP = 4_000_000  # [ns]
PEER_ROWS = 20_000


def joint_states(demo):
    """Messages of a CSV of the demo arm."""
    lines = demo.read_text().splitlines()
    names = lines[0].split(",")
    for line in lines[1:]:
        row = dict(zip(names, map(float, line.split(","))))
        stamp = START + round(row["t"] * 1e9)
        yield stamp, [[row.get(f"{prefix}_{joint}", 0.0) for joint in JOINTS] for prefix in ("q", "qd", "tau")]


def write_long(path, num_rows, numbers, chunk=2000):
    """An MCAP file whose messages repeat `numbers` (rows of 21) forward and back, written by NumPy."""
    import numpy as np

    whole = rec.mcap([rec.Channel.joint_states()], [(0, START, START, rec.joint_state(START, JOINTS, *[[0.0] * 7] * 3))], chunk=0)
    message = rec.joint_state(START, JOINTS, [1.5] * 7, [2.5] * 7, [3.5] * 7)
    places = [message.index(np.float64(x).tobytes() * 7) for x in (1.5, 2.5, 3.5)]
    record = rec.record(5, bytes(22) + message)
    numbers = np.concatenate([numbers, numbers[::-1]])
    definitions = whole[len(rec.MAGIC):whole.index(rec.record(5, b"")[:1] + (22 + len(message)).to_bytes(8, "little"))]
    with open(path, "wb") as file:
        file.write(rec.MAGIC + definitions)
        for begin in range(0, num_rows, chunk):
            count = min(chunk, num_rows - begin)
            rows = np.arange(begin, begin + count)
            stamps = (START + rows * STEP).astype("<u8")
            block = np.tile(np.frombuffer(record, np.uint8), (count, 1))
            block[:, 9:11] = np.frombuffer((1).to_bytes(2, "little"), np.uint8)
            for at in (9 + 6, 9 + 14):
                block[:, at:at + 8] = stamps.view(np.uint8).reshape(count, 8)
            base = 9 + 22
            block[:, base + 4:base + 8] = (stamps // 10**9).astype("<i4").view(np.uint8).reshape(count, 4)
            block[:, base + 8:base + 12] = (stamps % 10**9).astype("<u4").view(np.uint8).reshape(count, 4)
            values = numbers[rows % len(numbers)].astype("<f8")
            for k, place in enumerate(places):
                block[:, base + place:base + place + 56] = np.ascontiguousarray(values[:, 7 * k:7 * k + 7]).view(np.uint8).reshape(count, 56)
            piece = block.tobytes()
            head = int(stamps[0]).to_bytes(8, "little") + int(stamps[-1]).to_bytes(8, "little") + len(piece).to_bytes(8, "little")
            head += zlib.crc32(piece).to_bytes(4, "little") + bytes(4) + len(piece).to_bytes(8, "little")
            file.write(rec.record(6, head + piece))
        file.write(rec.record(15, bytes(4)) + rec.record(2, bytes(20)) + rec.MAGIC)


def reading(heft, path, folder, runs=1):
    """Figures of `heft bench logs`: least processor time of the thread that makes columns of the file, peak memory in MB."""
    out, found = folder / "bench.json", []
    for _ in range(runs):
        subprocess.run([heft, "bench", "logs", "--robot", str(ARM), "--log", str(path), "--passes", "1", "--threads", "1", "--json",
                        str(out)], check=True, capture_output=True)
        found.append(json.loads(out.read_text()))
    of_reader = [one["cpu_s"] - one["busiest_thread_s"] if one["limited_by"] == "computing" else one["busiest_thread_s"] for one in found]
    return min(of_reader), max(one["memory_mb"] for one in found)


def seconds_of_rosbags(path):
    from rosbags.highlevel import AnyReader

    begin, total = time.process_time(), 0.0
    with AnyReader([path]) as reader:
        for connection, _, raw in reader.messages():
            total += reader.deserialize(raw, connection.msgtype).position[0]
    return time.process_time() - begin


def seconds_of_mcap(path):
    from mcap.reader import make_reader
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.ROS2_HUMBLE)
    begin, total = time.process_time(), 0.0
    with open(path, "rb") as file:
        for _, _, message in make_reader(file, validate_crcs=True).iter_messages():
            total += store.deserialize_cdr(message.data, "sensor_msgs/msg/JointState").position[0]
    return time.process_time() - begin


def same_answers(heft, folder, demo, report):
    """The bodies of result.json from the same rows in several forms."""
    def bodies(log, name):
        out = folder / name
        done = subprocess.run([heft, "identify", "--robot", str(ARM), "--log", str(log), "--out", str(out), "--quiet"], capture_output=True)
        if done.returncode not in (0, 4):
            return None  # not the result of the log before
        return json.loads((out / "result.json").read_text())["bodies"]

    messages = [(0, stamp, stamp, rec.joint_state(stamp, JOINTS, *parts)) for stamp, parts in joint_states(demo)]
    channel = rec.Channel.joint_states()
    wanted = bodies(demo, "csv")

    def as_csv(log, name):
        return float(wanted is not None and bodies(log, name) == wanted)

    for name, options in (("uncompressed", {}), ("lz4", {"compression": "lz4"}), ("zstd", {"compression": "zstd"}),
                          ("without chunks", {"chunk": 0}), ("without summary", {"summary": False})):
        log = folder / "log.mcap"
        log.write_bytes(rec.mcap([channel], messages, **options))
        report.add(f"MCAP, {name}: result.json as of CSV", as_csv(log, "mcap"), "1 if equal", must=1)
    bag = folder / "bag"
    bag.mkdir()
    rec.db3(bag / "bag_0.db3", [channel], messages[:len(messages) // 2])
    rec.db3(bag / "bag_1.db3", [channel], messages[len(messages) // 2:])
    report.add("bag folder of two databases: result.json as of CSV", as_csv(bag, "bag"), "1 if equal", must=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heft", default=str(ROOT / "build" / "heft"))
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--without-longest", action="store_true")
    parser.add_argument("--json")
    options = parser.parse_args()
    heft_bench.require(["numpy", "rosbags", "mcap"], [options.heft], "pip install numpy rosbags mcap")
    import numpy as np

    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory(prefix="heft-bags-") as name:
        folder = pathlib.Path(name)
        subprocess.run([options.heft, "simulate", "--robot", str(ARM), "--duration", "4", "--held-out", "4", "--rate", "250", "--seed",
                        "3", "--out", str(folder / "demo")], check=True, capture_output=True)
        demo = folder / "demo" / "train.csv"
        same_answers(options.heft, folder, demo, report)
        numbers = np.array([sum(parts, []) for _, parts in joint_states(demo)])
        short, long, few = folder / "short.mcap", folder / "long.mcap", folder / "few.mcap"
        write_long(few, PEER_ROWS, numbers)
        write_long(short, options.rows // 10, numbers)
        write_long(long, options.rows, numbers)
        _, small = reading(options.heft, short, folder)
        seconds, large = reading(options.heft, long, folder, runs=5)
        megabytes = 1e-6 * long.stat().st_size
        report.add("uncompressed MCAP to columns, one core", megabytes / seconds, "MB/s", must=300, goal=1000)
        per_row = seconds / options.rows
        for peer, measure in (("rosbags", seconds_of_rosbags), ("mcap", seconds_of_mcap)):
            report.add(f"speed against {peer} decoding the same messages", measure(few) / PEER_ROWS / per_row, "times", must=50, goal=100)
        report.add(f"peak memory at {options.rows} rows less that at {options.rows // 10}", large - small, "MB", must=5,
                   smaller_is_better=True)
        if not options.without_longest:
            write_long(long, 10 * options.rows, numbers)
            report.add(f"peak memory at {10 * options.rows} rows less that at {options.rows}", reading(options.heft, long, folder)[1] - large,
                       "MB", must=1, smaller_is_better=True)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
