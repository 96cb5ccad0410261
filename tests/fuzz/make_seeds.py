#!/usr/bin/env python3
"""Makes the seeds that come from the program itself: a good file for every target, of the small robot.

  make_seeds.py build/heft

To be run again when the form of these files changes; seeds written by hand and past crashes stay as they are.
"""

import pathlib
import re
import struct
import subprocess
import sys
import tempfile

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


def main():
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
        moments = (folder / "crane.heft").read_bytes()[:-DIGEST_LENGTH]
        (SEEDS / "moments" / "crane.heft").write_bytes(moments)
        magic, length, rest = moments.split(b"\n", 2)
        header, numbers = rest[:int(length)], rest[int(length):]
        (SEEDS / "moments" / "crane_header.heft").write_bytes(header + b"\0" + numbers)


if __name__ == "__main__":
    main()
