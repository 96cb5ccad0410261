#!/usr/bin/env python3
"""Writes logs of a fictional hammer on a force-torque sensor, in closed form, with its truth and mesh. Needs only Python's standard library.

Usage: tools/demo/payload_log.py FOLDER

FOLDER gets shaken.csv (6 s at 100 Hz with noise and a bias), poses.csv (poses at rest), reversed.csv (shaken.csv by a
sensor that reports the wrench of the payload on the sensor), gripped.csv (with half a kilogram more, from a steel ball 50 mm above the head),
grasped.csv (12 s, the ball in the second half), hammer.stl (handle and head in meters, in the sensor's frame) and truth.json.
"""
import json
import math
import pathlib
import random
import sys

# density [kg/m^3], size, center [m] in the sensor's frame: wooden handle, steel head; the mesh has uniform density
PARTS = [(700, (0.03, 0.03, 0.25), (0, 0, 0.125)), (7800, (0.03, 0.09, 0.03), (0, 0.01, 0.265))]
GRAVITY, BIAS = 9.81, (4.0, -2.5, 7.0, 0.15, -0.3, 0.05)
FORCE_NOISE, TORQUE_NOISE, ANGULAR_NOISE, LINEAR_NOISE = 0.1, 0.005, 0.3, 0.05


def moments():
    """m, h, I about the sensor's origin; I as rows."""
    m, h, S = 0.0, [0.0] * 3, [[0.0] * 3 for _ in range(3)]
    for density, size, centre in PARTS:
        mass = density * math.prod(size)
        m += mass
        for i in range(3):
            h[i] += mass * centre[i]
            S[i][i] += mass * size[i] ** 2 / 12
            for j in range(3):
                S[i][j] += mass * centre[i] * centre[j]
    trace = sum(S[i][i] for i in range(3))
    return m, h, [[(trace if i == j else 0) - S[i][j] for j in range(3)] for i in range(3)]


BALL, BALL_AT = 0.5, (0, 0.01, 0.315)  # [kg], [m]: so dense that it is a point


def cross(a, b):
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def times(A, v):
    return [sum(A[i][k] * v[k] for k in range(3)) for i in range(3)]


def plus(*vectors):
    return [sum(parts) for parts in zip(*vectors)]


def wrench(w, wd, u, ball=0.0):
    """What carries the hammer, and `ball` of the ball."""
    m, h, I = moments()
    force = plus([m * x for x in u], cross(wd, h), cross(w, cross(w, h)))
    torque = plus(cross(h, u), times(I, wd), cross(w, times(I, w)))
    pull = [ball * BALL * x for x in plus(u, cross(wd, BALL_AT), cross(w, cross(w, BALL_AT)))]
    return plus(force, pull) + plus(torque, cross(BALL_AT, pull))


def rotation(yaw, pitch, roll):
    """Sensor to world, Rz(yaw) Ry(pitch) Rx(roll)."""
    (ca, sa), (cb, sb), (cc, sc) = ((math.cos(x), math.sin(x)) for x in (yaw, pitch, roll))
    return [[ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc], [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
            [-sb, cb * sc, cb * cc]]


def transposed(A):
    return [[A[j][i] for j in range(3)] for i in range(3)]


WAVE = [(0.9, 2.3), (0.8, 3.1), (0.7, 4.3)]  # amplitude [rad], rate [rad/s] of yaw, pitch, roll


def orientation(t):
    """Sensor to world."""
    return rotation(*(A * math.sin(r * t) for A, r in WAVE))


def motion(t):
    """w, wd, a, g in the sensor's frame: three angles and three places that are sines of time."""
    angle = [A * math.sin(r * t) for A, r in WAVE]
    rate = [A * r * math.cos(r * t) for A, r in WAVE]
    bend = [-A * r * r * math.sin(r * t) for A, r in WAVE]
    (ya, yb, yc), (da, db, dc) = rate, bend
    sb, cb, sc, cc = math.sin(angle[1]), math.cos(angle[1]), math.sin(angle[2]), math.cos(angle[2])
    w = [yc - ya * sb, yb * cc + ya * cb * sc, ya * cb * cc - yb * sc]
    wd = [dc - da * sb - ya * yb * cb,
          db * cc - yb * yc * sc + da * cb * sc - ya * yb * sb * sc + ya * yc * cb * cc,
          da * cb * cc - ya * yb * sb * cc - ya * yc * cb * sc - db * sc - yb * yc * cc]
    R = transposed(orientation(t))
    place = [-0.1 * r * r * math.sin(r * t + 1) for r in (3.7, 2.9, 3.3)]  # acceleration, world
    return w, wd, times(R, place), times(R, [0, 0, -GRAVITY])


def write(path, header, rows):
    path.write_text("\n".join([",".join(header), *(",".join(f"{x:.9g}" for x in row) for row in rows)]) + "\n")


def stl():
    faces = [(0, 2, 1), (1, 2, 3), (4, 5, 6), (5, 7, 6), (0, 1, 4), (1, 5, 4), (2, 6, 3), (3, 6, 7), (0, 4, 2), (2, 4, 6),
             (1, 3, 5), (3, 7, 5)]
    lines = ["solid hammer"]
    for _, size, centre in PARTS:
        for face in faces:
            lines += ["facet normal 0 0 0", "outer loop"]
            for k in face:
                lines.append("vertex " + " ".join(f"{centre[i] + ((k >> i & 1) - 0.5) * size[i]:.9g}" for i in range(3)))
            lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid hammer", ""])


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder, noise = pathlib.Path(sys.argv[1]), random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)

    def shaken(values, sd):
        return [x + noise.gauss(0, sd) for x in values]

    def measured(exact):
        return shaken(plus(exact[:3], BIAS[:3]), FORCE_NOISE) + shaken(plus(exact[3:], BIAS[3:]), TORQUE_NOISE)

    axes = [stem + axis for stem in ("w", "al", "a", "g", "f", "n") for axis in "xyz"]
    def recorded(seconds, ball):
        rows = []
        for k in range(100 * seconds):
            w, wd, a, g = motion(k / 100)
            felt = measured(wrench(w, wd, [x - y for x, y in zip(a, g)], ball(k / 100)))
            rows.append([k / 100, *w, *shaken(wd, ANGULAR_NOISE), *shaken(a, LINEAR_NOISE), *g, *felt])
        return rows

    rows = recorded(6, lambda t: 0)
    write(folder / "shaken.csv", ["t", *axes], rows)
    write(folder / "reversed.csv", ["t", *axes], [[*row[:13], *(-x for x in row[13:])] for row in rows])
    poses = []
    for k, angles in enumerate([(0, 0, 0), (0, 1.5, 0), (0, -1.5, 0), (0, 0, 1.5), (0, 0, -1.5), (0, 3, 0)]):
        R = rotation(*angles)
        up = times(transposed(R), [0, 0, GRAVITY])
        poses.append([k, *R[0], *R[1], *R[2], *measured(wrench([0] * 3, [0] * 3, up))])
    write(folder / "poses.csv", ["t", *(f"r{i}{j}" for i in "123" for j in "123"), *axes[12:]], poses)
    write(folder / "gripped.csv", ["t", *axes], recorded(3, lambda t: 1))
    write(folder / "grasped.csv", ["t", *axes], recorded(12, lambda t: t > 6))
    (folder / "hammer.stl").write_text(stl())
    m, h, I = moments()
    (folder / "truth.json").write_text(json.dumps({"mass": m, "com": [x / m for x in h], "tensor": I}, indent=1) + "\n")


if __name__ == "__main__":
    main()
