#!/usr/bin/env python3
"""Public bags of real robots: what heft info, check --suggest, check and identify say of them, without configuration by hand.

Usage: bench/bags/public.py BAGS ROBOTS [--heft build/heft] [--json FILE]

BAGS is a clone of https://github.com/unisa-acg/inverse-dynamics-solver (commit 41e196de or later: two ROS 2 databases, of a Franka Panda
and of a Universal Robots UR10), ROBOTS the folder `robots` of the PyPI package example-robot-data
(`pip install --no-deps --target X example-robot-data`: X/cmeel.prefix/share/example-robot-data/robots). Prints every output. A bag passes
if identify ends with 0, or with 4 and doubts that this program confirms from the messages: `stamps-late` if a time shift per row explains
the noise of the positions by the velocities that the robot measured, which Heft does not use. Exit codes: 0 all musts reached, 1 missed,
77 nothing to run on.
"""

import argparse
import json
import pathlib
import sqlite3
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

BAGS = {"Franka Panda": ("franka_inria_inverse_dynamics_solver/bagfiles/panda_exciting_trajectory.db3", "panda_description/urdf/panda.urdf"),
        "UR10": ("ur10_inverse_dynamics_solver/bagfiles/ur10_exciting_trajectory.db3", "ur_description/urdf/ur10_robot.urdf")}


def joint_states(path):
    """Stamps [s] and arrays (rows x joints) of positions and velocities of all messages, decoded here (little-endian CDR)."""
    import numpy as np

    stamps, rows = [], []
    for data, in sqlite3.connect(f"file:{path}?mode=ro", uri=True).execute("SELECT data FROM messages ORDER BY timestamp"):
        body, at = data[4:], 8
        stamps.append(struct.unpack_from("<iI", body))

        def number(at):
            at = -(-at // 4) * 4
            return struct.unpack_from("<I", body, at)[0], at + 4

        size, at = number(at)  # frame_id
        num_joints, at = number(at + size)
        for _ in range(num_joints):
            size, at = number(at)
            at += size
        arrays = []
        for _ in range(2):
            count, at = number(at)
            at = -(-at // 8) * 8
            arrays.append(struct.unpack_from(f"<{count}d", body, at))
            at += 8 * count
        rows.append(arrays)
    return np.array([sec + 1e-9 * nanosec for sec, nanosec in stamps]), *(np.array([row[k] for row in rows]) for k in range(2))


def explained_by_late_stamps(path):
    """Least share, over the joints, of the noise in positions that one time shift per row explains through the logged velocities, and
    the shift's rms [s]. Noise: the distance from the cubic through three rows on either side."""
    import numpy as np

    time, position, velocity = joint_states(path)
    noise, reach = [], 3
    for k in range(reach, len(time) - reach):
        near = [j for j in range(k - reach, k + reach + 1) if j != k]
        cubic = np.linalg.lstsq(np.vander(time[near] - time[k], 4), position[near], rcond=None)[0]
        noise.append(position[k] - cubic[-1])
    noise, velocity = np.array(noise), velocity[reach:len(time) - reach]
    shift = (noise * velocity).sum(1) / (velocity**2).sum(1)
    left = noise - shift[:, None] * velocity
    return float((1 - (left**2).sum(0) / (noise**2).sum(0)).min()), float(np.sqrt((shift**2).mean()))


def is_confirmed(doubt, bag):
    if doubt["id"] == "stamps-late":
        share, shift = explained_by_late_stamps(bag)
        print(f"measured here: a shift of {1e3 * shift:.2f} ms rms explains {100 * share:.1f} % or more by the logged velocities")
        return share > 0.95
    print(f"not confirmed here: {doubt['id']}")
    return False


class Program:
    def __init__(self, heft):
        self.heft = heft

    def __call__(self, *arguments):
        print("$ heft " + " ".join(map(str, arguments)), flush=True)
        done = subprocess.run([self.heft, *map(str, arguments)], capture_output=True, text=True)
        print(done.stdout + done.stderr + f"exit code {done.returncode}\n", flush=True)
        return done


def judged(heft, bag, robot, folder):
    """Whether identification succeeds with the suggested configuration, and all its serious doubts are confirmed."""
    config, out = folder / "suggested.yaml", folder / "out"
    heft("info", bag, "--json", folder / "info.json")
    if heft("check", "--robot", robot, "--log", bag, "--suggest", config).returncode != 0:
        return False, None
    heft("check", "--robot", robot, "--log", bag, "--config", config)
    code = heft("identify", "--robot", robot, "--log", bag, "--config", config, "--out", out).returncode
    if code not in (0, 4):
        return False, None
    result = json.loads((out / "result.json").read_text())
    serious = [doubt for doubt in result["doubts"] if doubt["severity"] == "serious"]
    return all([is_confirmed(doubt, bag) for doubt in serious]), result["training"]["overall_relative"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("bags", type=pathlib.Path)
    parser.add_argument("robots", type=pathlib.Path)
    parser.add_argument("--heft", default=str(ROOT / "build" / "heft"))
    parser.add_argument("--json")
    options = parser.parse_args()
    bags = {name: (options.bags / bag, options.robots / robot) for name, (bag, robot) in BAGS.items()}
    heft_bench.require(["numpy"], [options.heft, *(path for paths in bags.values() for path in paths)], "see --help and the docstring")
    report = heft_bench.Report(options.json)
    for name, (bag, robot) in bags.items():
        with tempfile.TemporaryDirectory(prefix="heft-public-") as folder:
            is_good, error = judged(Program(options.heft), bag, robot, pathlib.Path(folder))
        report.add(f"{name}: exit code 0, or 4 with confirmed doubts", float(is_good), "1 if so", must=1)
        if error is not None:
            report.add(f"{name}: error on the training log", 100 * error, "%")
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
