#!/usr/bin/env python3
"""Compares heft observe --static with the rank of gravity-only rows: random trees, half of them with a vertical first axis.

    bench/observe/run.py --json FILE [--trees 500]

The oracle shares nothing with Heft: the torque of a joint at rest is the derivative of the potential energy
-g . sum (m p + R h), one row per posture; NumPy's singular values give the rank of the rows of 1000 postures.
HEFT_PYTHON_PEERS may name an interpreter with NumPy. Exit codes: 0 all agree, 1 some differ, 77 NumPy or the program is missing.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench"))
from heft_bench import Report  # noqa: E402

PROGRAM = os.environ.get("HEFT_PROGRAM", str(ROOT / "build" / "heft"))
GRAVITY = (0.0, 0.0, -9.81)
CUT = 1e-9  # of the largest singular value: rows are of length about one

try:
    import numpy as np
except ImportError:
    peers = os.environ.get("HEFT_PYTHON_PEERS", "")
    if peers and "HEFT_BENCH_AGAIN" not in os.environ:
        os.execve(peers, [peers, *sys.argv], {**os.environ, "HEFT_BENCH_AGAIN": "1"})
    print("no NumPy: set HEFT_PYTHON_PEERS to an interpreter that has it")
    sys.exit(77)


def turned(axis, angle):
    x, y, z = axis
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def from_rpy(r, p, y):
    return turned((0, 0, 1), y) @ turned((0, 1, 0), p) @ turned((1, 0, 0), r)


def random_tree(rng, vertical):
    """Joints as (parent body, xyz, rpy, axis, kind); body k is moved by joint k, and -1 is the world."""
    joints = []
    for k in range(rng.integers(1, 7)):
        parent = -1 if k == 0 else int(rng.integers(0, k))
        right_angles = rng.random() < 0.5
        rpy = rng.integers(-1, 3, 3) * np.pi / 2 if right_angles else rng.uniform(-3, 3, 3)
        xyz = rng.uniform(-0.5, 0.5, 3) * (rng.random(3) < 0.7)
        axis = np.eye(3)[rng.integers(0, 3)] if rng.random() < 0.7 else rng.normal(size=3)
        kind = "prismatic" if rng.random() < 0.2 else "revolute"
        if k == 0 and vertical:
            axis, kind = from_rpy(*rpy).T @ np.array([0.0, 0.0, rng.choice([-1.0, 1.0])]), "revolute"
        joints.append((parent, xyz, rpy, axis / np.linalg.norm(axis), kind))
    return joints


def urdf(joints):
    text = '<robot name="tree"><link name="world"/>\n'
    numbers = lambda v: " ".join(f"{x:.17g}" for x in v)
    for k, (parent, xyz, rpy, axis, kind) in enumerate(joints):
        text += (f'<link name="b{k}"><inertial><mass value="1"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/>'
                 f'</inertial></link>\n<joint name="j{k}" type="{kind}"><parent link="{"world" if parent < 0 else f"b{parent}"}"/>'
                 f'<child link="b{k}"/><origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/><axis xyz="{numbers(axis)}"/>'
                 '<limit lower="-3" upper="3" effort="10" velocity="3"/></joint>\n')
    return text + "</robot>\n"


def rank_of_rows(joints, rng, num_postures=1000):
    """Of the rows of every joint's torque in (m, h) of every body."""
    n, g = len(joints), np.array(GRAVITY) / np.linalg.norm(GRAVITY)
    rows = np.full((num_postures * n, 4 * n), np.nan)
    carries = [[False] * n for _ in range(n)]  # joint, body
    for body in range(n):
        at = body
        while at >= 0:
            carries[at][body] = True
            at = joints[at][0]
    for posture in range(num_postures):
        R, p, axes = [], [], []
        for k, (parent, xyz, rpy, axis, kind) in enumerate(joints):
            R0, p0 = (np.eye(3), np.zeros(3)) if parent < 0 else (R[parent], p[parent])
            place, frame = p0 + R0 @ xyz, R0 @ from_rpy(*rpy)
            q = rng.uniform(-3, 3)
            axes.append(frame @ axis)
            R.append(frame @ turned(axis, q) if kind == "revolute" else frame)
            p.append(place if kind == "revolute" else place + q * axes[-1])
        for j in range(n):
            row = np.zeros(4 * n)
            for b in range(n):
                if not carries[j][b]:
                    continue
                if joints[j][4] == "prismatic":
                    row[4 * b] = -g @ axes[j]
                else:
                    row[4 * b] = -g @ np.cross(axes[j], p[b] - p[j])
                    row[4 * b + 1:4 * b + 4] = -np.cross(g, axes[j]) @ R[b]
            rows[posture * n + j] = row
    singular = np.linalg.svd(rows, compute_uv=False)
    return int((singular > CUT * max(1.0, singular[0])).sum())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--postures", type=int, default=1000)
    options = parser.parse_args()
    if not pathlib.Path(PROGRAM).exists():
        print("there is no program", PROGRAM)
        sys.exit(77)
    rng = np.random.default_rng(20261123)
    agree, wrong = 0, []
    with tempfile.TemporaryDirectory() as folder:
        robot, answer = pathlib.Path(folder) / "tree.urdf", pathlib.Path(folder) / "answer.json"
        for tree in range(options.trees):
            joints = random_tree(rng, vertical=tree % 2 == 0)
            robot.write_text(urdf(joints))
            subprocess.run([PROGRAM, "observe", robot, "--static", "--no-channels", "--json", answer], check=True,
                           capture_output=True, timeout=60)
            found, wanted = json.loads(answer.read_text())["num_base"], rank_of_rows(joints, rng, options.postures)
            agree += found == wanted
            if found != wanted:
                wrong.append((tree, found, wanted))
    for tree, found, wanted in wrong:
        print(f"tree {tree}: observe says {found}, the rows {wanted}")
    report = Report()
    report.add("trees whose static rank agrees", agree, "1", must=options.trees, goal=options.trees)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
