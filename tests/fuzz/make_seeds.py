#!/usr/bin/env python3
"""Makes the seeds that come from the program itself: a good file for every target, of the small robot.

  make_seeds.py build/heft

To be run again when the form of these files changes; seeds written by hand and past crashes stay as they are.
"""

import json
import pathlib
import re
import struct
import subprocess
import sys
import tempfile
import zlib

HERE = pathlib.Path(__file__).resolve().parent
SEEDS = HERE / "seeds"
DIGEST_LENGTH = 64


def as_npy(log):
    """The table of a CSV log as a structured NumPy array."""
    names, *rows = [line.split(",") for line in log.read_text().splitlines()]
    fields = ", ".join(f"('{name}', '<f8')" for name in names)
    header = f"{{'descr': [{fields}], 'fortran_order': False, 'shape': ({len(rows)},), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    numbers = [float(field) for row in rows for field in row]
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
            struct.pack(f"<{len(numbers)}d", *numbers))


def write_moments(content):
    """Seeds of moments: a file without its checksum; descriptions with the numbers after them, sound and not."""
    (SEEDS / "moments" / "crane.heft").write_bytes(content[:-DIGEST_LENGTH])
    long = content[:32] + struct.pack("<Q", 1 << 62) + content[40:80]
    (SEEDS / "moments" / "long_description.heft").write_bytes(long)
    packed = struct.unpack("<Q", content[40:48])[0]
    description = json.loads(zlib.decompress(content[72:72 + packed]))
    numbers = content[(72 + packed + 7) // 8 * 8:-DIGEST_LENGTH]

    def seed(name, numbers, **changes):
        text = json.dumps({**description, **changes}, separators=(",", ":"))
        (SEEDS / "moments" / name).write_bytes(text.encode() + b"\0" + numbers)

    set_size = len(numbers) // (1 + len(description["stretches"]))  # bytes of one sum and its row counts
    channels = len(description["channels"])
    seed("crane_description.heft", numbers)
    seed("no_numbers.heft", b"")
    seed("odd_counts.heft", numbers[:set_size - 8] + struct.pack("<d", -1) + numbers[set_size:])
    seed("no_stretches.heft", numbers[:set_size], stretches=[])
    # a chain of some hundred joints, whose sums take gigabytes
    robot, body = description["robot"], description["robot"]["bodies"][0]
    length = 300
    bodies = [{**body, "name": str(i), "joint": str(i), "parent": i - 1, "coordinate": i} for i in range(length)]
    coordinates = [{**robot["coordinates"][0], "name": str(i)} for i in range(length)]
    frame = {"columns": 7, "in_body": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], "in_parent": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0]}
    columns = [list(range(3 + 7 * i if i else 0, 3 + 7 * (length - 1))) for i in range(length)]
    seed("huge_robot.heft", b"", columns=[], stretches=[1] * 200,
         robot={**robot, "bodies": bodies, "coordinates": coordinates, "document": {"path": "", "text": "", "rotors": ""}},
         channels=[{**description["channels"][0], "name": str(i), "coordinate": i} for i in range(length)],
         layout={"parameters": [], "channel_columns": columns, "frames": [{**frame, "columns": 3}] + [frame] * (length - 1)})
    # two samples are pending, of two joints and channels
    state = {"fp32": False, "channel_weights": [], "covariance": [], "trees": [False, True], "stretch_length": 8,
             "segment": 0, "segment_begin": 16, "has_row_stage": False, "pending_samples": 2,
             "pending_columns": [2, 2, 2, 0, 2, 2, 0]}
    unfinished = numbers + numbers[:set_size - 8 * channels] + struct.pack("<20d", *range(20))
    seed("unfinished.heft", unfinished, unfinished=state)
    seed("rows_pending.heft", unfinished, unfinished={**state, "has_row_stage": True})
    seed("much_pending.heft", unfinished, unfinished={**state, "pending_samples": 4096, "pending_columns": [10**5] * 7})


def write_recordings():
    """Seeds of bag: small recordings in every form, without CRCs, and definitions with a message behind them."""
    sys.path.insert(0, str(HERE.parent / "tools"))
    import recordings as rec
    folder = SEEDS / "bag"
    folder.mkdir(exist_ok=True)
    channel = rec.Channel.joint_states()
    start = 1_771_234_567_000_000_000
    stamps = [start + k * 4_000_000 for k in range(40)]
    messages = [(0, at, at, rec.joint_state(at, ["a", "b"], [1, k], [0, 1], [2, 3])) for k, at in enumerate(stamps)]
    for name, options in (("chunks", {"chunk": 8}), ("lz4", {"compression": "lz4"}), ("zstd", {"compression": "zstd"}),
                          ("no_chunks", {"chunk": 0}), ("no_summary", {"chunk": 8, "summary": False})):
        (folder / f"{name}.mcap").write_bytes(rec.mcap([channel], messages, crc=False, **options))
    whole = rec.mcap([channel], messages, chunk=8, crc=False)
    (folder / "cut.mcap").write_bytes(whole[:2 * len(whole) // 3])
    ros1 = rec.Channel("/joint_states", "sensor_msgs/JointState", rec.JOINT_STATE_ROS1, "ros1", "ros1msg")
    (folder / "ros1.mcap").write_bytes(rec.mcap([ros1], [
        (0, at, at, rec.joint_state(at, ["a", "b"], [1, 2], [], [2, 3], form="ros1")) for at in stamps], crc=False))
    text = rec.Channel("/joint_states", "JointState", "{}", "json", "jsonschema")
    (folder / "json.mcap").write_bytes(rec.mcap([text], [
        (0, at, at, rec.json_joint_state(at, ["a", "b"], [1, 2], [], [2, 3])) for at in stamps], crc=False))
    for name, make, kind, schema in (("arrays", rec.proto_joint_state, "heft.JointStates", rec.ARRAYS_PROTO),
                                     ("joints", rec.proto_joints, "foxglove.JointStates", rec.JOINTS_PROTO)):
        (folder / f"proto_{name}.mcap").write_bytes(rec.mcap([rec.Channel("/joint_states", kind, schema, "protobuf", "protobuf")], [
            (0, at, at, make(at, ["a", "b"], [1, 2], [], [2, 3])) for at in stamps], crc=False))
    (folder / "bag.db3").unlink(missing_ok=True)
    rec.db3(folder / "bag.db3", [channel], messages[:10])
    message = rec.joint_state(start, ["a", "b"], [1, 2], [0, 1], [2, 3])
    (folder / "msg").write_bytes(b"\x05" + rec.JOINT_STATE.encode() + b"\0" + message)
    idl = rec.JOINT_STATE_IDL.replace("sensor_msgs", "fuzz_msgs").replace("JointState", "Fuzz")
    (folder / "idl").write_bytes(b"\x06" + idl.encode() + b"\0" + message)
    (folder / "idl_big_xcdr2").write_bytes(b"\x06" + idl.encode() + b"\0" + rec.joint_state(
        start, ["a", "b"], [1, 2], [0, 1], [2, 3], form="xcdr2", big=True))
    joint = {"JointState": [("name", 1, "string"), ("position", 2, "double"), ("velocity", 3, "double"), ("effort", 4, "double")]}
    arrays = [rec.STAMP, ("name", 2, "*string"), ("position", 3, "*double"), ("velocity", 4, "*double"), ("effort", 5, "*double")]
    for name, make, messages in (("arrays", rec.proto_joint_state, {"Fuzz": arrays}),
                                 ("joints", rec.proto_joints, {**joint, "Fuzz": [rec.STAMP, ("joints", 2, "*JointState")]})):
        proto = rec.proto_set([rec.TIME_PROTO, ("fuzz.proto", "fuzz", [rec.TIME_PROTO[0]], messages)])
        (folder / f"proto_{name}").write_bytes(b"\x04" + struct.pack(">H", len(proto)) + proto + b"\0" + make(
            start, ["a", "b"], [1, 2], [0, 1], [2, 3]))


def main():
    if sys.argv[1] == "--recordings":  # which need no program
        write_recordings()
        return
    program = sys.argv[1]
    robot_text = re.search(r'R"\((.*?)\)"', (HERE / "small_robot.hpp").read_text(), re.S).group(1)
    with tempfile.TemporaryDirectory() as name:
        def heft(*arguments):
            subprocess.run([program, *arguments], cwd=name, check=True, stdout=subprocess.DEVNULL)

        folder = pathlib.Path(name)
        (folder / "crane.urdf").write_text(robot_text)
        (folder / "crane.yaml").write_text("conditioning: {lowpass_hz: 12, trim: 4}\ncolumns: [viscous, offset]\n")
        heft("simulate", "--robot", "crane.urdf", "--duration", "1", "--held-out", "1", "--rate", "60", "--out", ".")
        heft("identify", "--robot", "crane.urdf", "--log", "train.csv", "--validate", "held_out.csv", "--config",
             "crane.yaml", "--moments", "crane.heft", "--out", "result")
        (SEEDS / "urdf" / "crane.urdf").write_text(robot_text)
        (SEEDS / "urdf" / "identified.urdf").write_bytes((folder / "result" / "identified.urdf").read_bytes())
        (SEEDS / "log" / "crane.csv").write_bytes((folder / "train.csv").read_bytes())
        (SEEDS / "log" / "crane.npy").write_bytes(as_npy(folder / "train.csv"))
        (SEEDS / "result" / "crane.json").write_bytes((folder / "result" / "result.json").read_bytes())
        write_moments((folder / "crane.heft").read_bytes())
    write_recordings()


if __name__ == "__main__":
    main()
