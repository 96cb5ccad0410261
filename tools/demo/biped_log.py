#!/usr/bin/env python3
"""Writes a small biped and logs of it: an IMU in its trunk, six-axis sensors in its feet, joint torques.

Usage: tools/demo/biped_log.py FOLDER [--still]

The folder gets biped.urdf, whose masses are up to 20 % wrong, train.csv and held_out.csv. The base and the joints follow given
motions; the load moves from foot to foot, and each foot is in the air for a while. Sensors have noise and biases; the IMU has axes
and a place of its own. --still: the trunk keeps its orientation, as in a robot that only shifts its weight.
"""
import math
import pathlib
import random
import sys

RATE, DURATION = 200, 20  # Hz, s
# link, joint axis, origin in the parent: mass [kg], center of mass [m], radii of gyration [m], factor of the mass in the URDF
TRUNK = ("trunk", None, None, 12.0, (0.02, 0.0, 0.12), (0.10, 0.12, 0.09), 1.2)
LEG = [("hip", (1, 0, 0), (0, 0.09, 0), 0.8, (0, 0.01, -0.02), (0.03, 0.03, 0.03), 0.85),
       ("thigh", (0, 1, 0), (0, 0.02, -0.05), 2.5, (0.01, 0.02, -0.12), (0.08, 0.08, 0.04), 1.15),
       ("shank", (0, 1, 0), (0, 0, -0.25), 1.4, (0.01, 0.0, -0.10), (0.08, 0.08, 0.03), 0.8)]
FOOT = (0.03, 0, -0.24)  # of the foot's sensor in the shank
IMU = (0.05, -0.03, 0.15)  # in the trunk; its axes are turned by 180 degrees about x
FRICTION = (0.3, 0.5)  # N m s/rad, N m
FOOT_BIAS = ((3.0, -2.0, 4.0, 0.1, -0.2, 0.05), (-2.0, 1.0, 3.0, -0.1, 0.1, 0.0))  # N, N m
GRAVITY = 9.81


def add(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def scaled(factor, v):
    return [factor * x for x in v]


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def dot(a, b):
    return sum(x * y for x, y in zip(a, b))


def times(R, v):
    return [dot(row, v) for row in R]


def turned_back(R, v):
    return [sum(R[i][k] * v[i] for i in range(3)) for k in range(3)]


def product(A, B):
    return [[sum(A[i][k] * B[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def turn(axis, angle):
    """Rotation about a coordinate axis."""
    c, s = math.cos(angle), math.sin(angle)
    k = list(axis).index(1)
    i, j = (k + 1) % 3, (k + 2) % 3
    R = [[float(a == b) for b in range(3)] for a in range(3)]
    R[i][i], R[i][j], R[j][i], R[j][j] = c, -s, s, c
    return R


class Waves:
    """Sums of sines with their derivatives."""

    def __init__(self, rng, center, size, slowest=0.3):
        self.center = center
        self.parts = [(size * rng.uniform(0.4, 1) / (k + 1), 2 * math.pi * slowest * (k + 1) * rng.uniform(0.9, 1.1),
                       rng.uniform(0, 6.28)) for k in range(3)]

    def at(self, t, order=0):
        value = self.center if order == 0 else 0.0
        for size, w, phase in self.parts:
            value += size * w**order * math.sin(w * t + phase + order * math.pi / 2)
        return value


def tensor(mass, com, radii):
    """About the link's origin."""
    I = [[mass * radii[i] ** 2 * (i == j) for j in range(3)] for i in range(3)]
    square = dot(com, com)
    return [[I[i][j] + mass * (square * (i == j) - com[i] * com[j]) for j in range(3)] for i in range(3)]


def moving_wrench(link, w, wd, u):
    """Force, and torque about the link's origin, that move it; `u` is acceleration minus gravity."""
    mass, com, radii = link[3:6]
    h, I = scaled(mass, com), tensor(mass, com, radii)
    force = add(scaled(mass, u), cross(wd, h), cross(w, cross(w, h)))
    return force, add(times(I, wd), cross(w, times(I, w)), cross(h, u))


class Walk:
    """One motion: the trunk's and that of the joints."""

    def __init__(self, seed, still):
        rng = random.Random(seed)
        self.angles = [Waves(rng, 0, 0 if still else size) for size in (0.25, 0.25, 0.3)]
        self.place = [Waves(rng, 0, 0.05, 0.5) for _ in range(3)]
        self.joints = [Waves(rng, center, 0.35) for _ in range(2) for center in (0, 0.4, -0.8)]

    def orientation(self, t):
        roll, pitch, yaw = (wave.at(t) for wave in self.angles)
        return product(turn((0, 0, 1), yaw), product(turn((0, 1, 0), pitch), turn((1, 0, 0), roll)))

    def rate(self, t):
        """Angular velocity in the trunk's axes."""
        (r, p, _), (rd, pd, yd) = ([wave.at(t, order) for wave in self.angles] for order in (0, 1))
        return [rd - yd * math.sin(p), pd * math.cos(r) + yd * math.cos(p) * math.sin(r),
                -pd * math.sin(r) + yd * math.cos(p) * math.cos(r)]

    def state(self, t):
        """w, wd, acceleration minus gravity of the trunk's origin, in its axes; positions, rates, accelerations of the joints."""
        step = 1e-4
        wd = scaled(1 / (2 * step), add(self.rate(t + step), scaled(-1, self.rate(t - step))))
        u = add([wave.at(t, 2) for wave in self.place], [0, 0, GRAVITY])
        return self.rate(t), wd, turned_back(self.orientation(t), u), [[wave.at(t, k) for wave in self.joints] for k in range(3)]


def share_of_left(t):
    """Of the load on the left foot: a second on both feet, a second on one."""
    return min(1.0, max(0.0, 0.5 + 1.2 * math.sin(2 * math.pi * t / 4)))


def mirrored(v, side):
    return [v[0], side * v[1], v[2]]


def leg_links(side):
    return [(name, axis, mirrored(origin, side), mass, mirrored(com, side), radii, factor)
            for name, axis, origin, mass, com, radii, factor in LEG]


def leg_wrench(side, w, wd, u, q, qd, qdd):
    """Chain of (link, R in the parent, wrench) outward, and the last link's rotation and place in the trunk."""
    chain, R_trunk, p_trunk = [], turn((1, 0, 0), 0), [0, 0, 0]
    for link, a, b, c in zip(leg_links(side), q, qd, qdd):
        axis, origin = link[1], link[2]
        R = turn(axis, a)
        u = turned_back(R, add(u, cross(wd, origin), cross(w, cross(w, origin))))
        w_parent = turned_back(R, w)
        wd = add(turned_back(R, wd), cross(w_parent, scaled(b, axis)), scaled(c, axis))
        w = add(w_parent, scaled(b, axis))
        p_trunk = add(p_trunk, times(R_trunk, origin))
        R_trunk = product(R_trunk, R)
        chain.append((link, R, moving_wrench(link, w, wd, u)))
    return chain, R_trunk, p_trunk


def inward(chain, pushed):
    """Joint torques, and the wrench on the trunk about its origin, if `pushed` acts on the foot's sensor."""
    force, torque = scaled(-1, pushed[:3]), add(scaled(-1, pushed[3:]), cross(FOOT, scaled(-1, pushed[:3])))
    torques = []
    for link, R, (f, n) in reversed(chain):
        force, torque = add(force, f), add(torque, n)
        torques.append(dot(link[1], torque))
        force = times(R, force)
        torque = add(times(R, torque), cross(link[2], force))
    return torques[::-1], force, torque


def row_of(walk, t, rng):
    """One row of the log."""
    w, wd, u, (q, qd, qdd) = walk.state(t)
    force, torque = moving_wrench(TRUNK, w, wd, u)
    legs = []
    for k, side in enumerate((1, -1)):
        part = slice(3 * k, 3 * k + 3)
        legs.append(leg_wrench(side, w, wd, u, q[part], qd[part], qdd[part]))
        _, f, n = inward(legs[k][0], [0] * 6)
        force, torque = add(force, f), add(torque, n)
    left = share_of_left(t)
    torques, feet = [], []
    for (chain, R, p), share, bias in zip(legs, (left, 1 - left), FOOT_BIAS):
        place = add(p, times(R, FOOT))
        f = scaled(share, force)
        n = add(scaled(share, torque), scaled(-1, cross(place, f)))
        pushed = turned_back(R, f) + turned_back(R, n)
        torques += inward(chain, pushed)[0]
        feet += [x + b + rng.gauss(0, 0.5 if i < 3 else 0.02) for i, (x, b) in enumerate(zip(pushed, bias))]
    torques = [x + FRICTION[0] * b + FRICTION[1] * math.tanh(b / 0.05) + rng.gauss(0, 0.1) for x, b in zip(torques, qd)]
    at_imu = add(u, cross(wd, IMU), cross(w, cross(w, IMU)))
    imu = [s * x + rng.gauss(0, noise) for v, noise in ((w, 0.005), (at_imu, 0.02)) for s, x in zip((1, -1, -1), v)]
    return [t, *q, *torques, *imu, *feet]


JOINTS = [f"{side}_{link[0]}" for side in ("left", "right") for link in LEG]
COLUMNS = (["t"] + [f"q_{joint}" for joint in JOINTS] + [f"tau_{joint}" for joint in JOINTS]
           + [f"imu_w{x}" for x in "xyz"] + [f"imu_a{x}" for x in "xyz"]
           + [f"{side}_{x}" for side in ("left", "right") for x in ("fx", "fy", "fz", "nx", "ny", "nz")])


def log(seed, still=False):
    rng, walk = random.Random(100 + seed), Walk(seed, still)
    lines = [",".join(COLUMNS)]
    lines += [",".join(f"{x:.7g}" for x in row_of(walk, k / RATE, rng)) for k in range(RATE * DURATION)]
    return "\n".join(lines) + "\n"


def link_text(name, link):
    _, _, _, mass, com, radii, factor = link
    mass *= factor
    diagonal = [mass * r * r for r in radii]
    return (f'  <link name="{name}"><inertial><origin xyz="{com[0]} {com[1]} {com[2]}"/><mass value="{mass:.6g}"/>'
            f'<inertia ixx="{diagonal[0]:.6g}" ixy="0" ixz="0" iyy="{diagonal[1]:.6g}" iyz="0" izz="{diagonal[2]:.6g}"/></inertial></link>\n')


def joint_text(name, kind, parent, child, origin, rpy="0 0 0", axis=None):
    text = f'  <joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
    text += f'<origin xyz="{origin[0]} {origin[1]} {origin[2]}" rpy="{rpy}"/>'
    if axis:
        text += f'<axis xyz="{axis[0]} {axis[1]} {axis[2]}"/><limit lower="-2.5" upper="2.5" effort="150" velocity="10"/>'
    return text + "</joint>\n"


def urdf():
    text = '<robot name="demo_biped">\n' + link_text("trunk", TRUNK) + '  <link name="imu"/>\n'
    text += joint_text("imu_mount", "fixed", "trunk", "imu", IMU, "3.14159265358979 0 0")
    for name, side in (("left", 1), ("right", -1)):
        parent = "trunk"
        for link in leg_links(side):
            child = f"{name}_{link[0]}"
            text += link_text(child, link) + joint_text(child, "revolute", parent, child, link[2], axis=link[1])
            parent = child
        text += f'  <link name="{name}_foot"/>\n' + joint_text(f"{name}_ankle", "fixed", parent, f"{name}_foot", FOOT)
    return text + "</robot>\n"


def total_mass():
    return TRUNK[3] + 2 * sum(link[3] for link in LEG)


def main(words):
    if len(words) not in (1, 2) or words[1:] not in ([], ["--still"]):
        sys.exit(__doc__)
    folder = pathlib.Path(words[0])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "biped.urdf").write_text(urdf())
    for seed, name in ((1, "train"), (2, "held_out")):
        (folder / f"{name}.csv").write_text(log(seed, words[1:] == ["--still"]))
    print(f"{folder}: biped.urdf, train.csv, held_out.csv; the robot weighs {total_mass():.1f} kg")


if __name__ == "__main__":
    main(sys.argv[1:])
