#!/usr/bin/env python3
"""Writes the log of a force-torque sensor on the demo arm's gripper that holds 1.2 kg, for the motion of a log of heft simulate.

Usage: tools/demo/sensor_on_arm.py LOG.csv OUT.csv

The wrench follows from the positions of LOG by plain forward kinematics and differences in time; noise and an offset are added.
Python's own library only.
"""
import csv
import math
import pathlib
import random
import sys
import xml.etree.ElementTree as ElementTree

LINK, MASS, COM, SIZE = "gripper", 1.2, (0.02, 0.0, 0.09), (0.06, 0.04, 0.1)
BIAS, NOISE = (2.0, -1.0, 4.0, 0.05, 0.1, -0.05), (0.05, 0.002)
GRAVITY = (0.0, 0.0, -9.81)


def times(A, B):
    return [[sum(a * b for a, b in zip(row, column)) for column in zip(*B)] for row in A]


def turn(axis, angle):
    """Rodrigues' rotation as a 4 x 4 pose."""
    x, y, z = axis
    c, s = math.cos(angle), math.sin(angle)
    v = 1 - c
    return [[c + x * x * v, x * y * v - z * s, x * z * v + y * s, 0], [y * x * v + z * s, c + y * y * v, y * z * v - x * s, 0],
            [z * x * v - y * s, z * y * v + x * s, c + z * z * v, 0], [0, 0, 0, 1]]


def origin_of(joint):
    origin = joint.find("origin")
    xyz, rpy = ([float(x) for x in (origin.get(name, "0 0 0") if origin is not None else "0 0 0").split()] for name in ("xyz", "rpy"))
    R = times(turn((0, 0, 1), rpy[2]), times(turn((0, 1, 0), rpy[1]), turn((1, 0, 0), rpy[0])))
    return [[*R[i][:3], xyz[i]] for i in range(3)] + [[0, 0, 0, 1]]


def chain():
    """(name or none, pose, axis) of the joints from the base to the link."""
    joints = {joint.find("child").get("link"): joint for joint in
              ElementTree.parse(pathlib.Path(__file__).with_name("arm.urdf")).getroot().findall("joint")}
    found, link = [], LINK
    while link in joints:
        joint = joints[link]
        axis = joint.find("axis")
        moves = joint.get("type") != "fixed"
        found.append((joint.get("name") if moves else None, origin_of(joint),
                      [float(x) for x in axis.get("xyz").split()] if moves and axis is not None else [1.0, 0.0, 0.0]))
        link = joint.find("parent").get("link")
    return found[::-1]


def pose(joints, q):
    X = turn((1, 0, 0), 0)
    for name, origin, axis in joints:
        X = times(X, origin)
        if name:
            X = times(X, turn(axis, q[name]))
    return X


def corners():
    """Eight equal masses that have the moments of the box."""
    return [[c + sign[i] * SIZE[i] / math.sqrt(12) for i, c in enumerate(COM)]
            for sign in ((a, b, d) for a in (-1, 1) for b in (-1, 1) for d in (-1, 1))]


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    with open(sys.argv[1]) as file:
        rows = [{name: float(x) for name, x in row.items()} for row in csv.DictReader(file)]
    joints, noise, masses = chain(), random.Random(1), corners()
    names = [name for name, _, _ in joints if name]
    rows = rows[::max(1, len(rows) // 1000)]
    poses = [pose(joints, {name: row[f"q_{name}"] for name in names}) for row in rows]
    lines = [["t", *(f"q_{name}" for name in names), "fx", "fy", "fz", "nx", "ny", "nz"]]

    def place(X, p):
        return [sum(X[i][k] * p[k] for k in range(3)) + X[i][3] for i in range(3)]

    for k in range(1, len(rows) - 1):
        step, X = rows[k + 1]["t"] - rows[k]["t"], poses[k]
        force, torque = [0.0] * 3, [0.0] * 3
        for p in masses:  # Newton's law of every mass, by second differences
            before, here, after = (place(poses[j], p) for j in (k - 1, k, k + 1))
            pull = [MASS / 8 * ((a - 2 * h + b) / step**2 - g) for a, h, b, g in zip(after, here, before, GRAVITY)]
            f = [sum(X[i][j] * pull[i] for i in range(3)) for j in range(3)]
            force = [x + y for x, y in zip(force, f)]
            n = [p[1] * f[2] - p[2] * f[1], p[2] * f[0] - p[0] * f[2], p[0] * f[1] - p[1] * f[0]]
            torque = [x + y for x, y in zip(torque, n)]
        felt = [x + b + noise.gauss(0, NOISE[c // 3]) for c, (x, b) in enumerate(zip(force + torque, BIAS))]
        lines.append([rows[k]["t"], *(rows[k][f"q_{name}"] for name in names), *felt])
    pathlib.Path(sys.argv[2]).write_text("\n".join(",".join(str(x) for x in line) for line in lines) + "\n")


if __name__ == "__main__":
    main()
