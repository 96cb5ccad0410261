#!/usr/bin/env python3
"""The experiment of Traversaro et al. 2016 on a simulated arm, beside the printed Table I.

    bench/traversaro/run.py [--build build] [--json FILE] [--docs]

Three shoulder joints go from point to point, 10, 5, 2, 1 and 0.5 s a point, for 60 s at 100 Hz; a force-torque sensor in the upper
arm carries what is outward of it, elbow to hand locked. Velocities and accelerations come from encoders by Savitzky-Golay windows of
order two, 499, 41, 21, 9 and 7 samples, as in the paper; the sensor's offset is removed. `heft payload` then answers twice: ols,
which knows no physics, and cone, the optimum over possible bodies, which is what the paper finds on its manifold (the problem is
convex in the parameters, so that there is one). The simulation is NumPy's alone. The printed rows ($HEFT_GOLDEN,
traversaro2016_table1_icub.json) are judged here from their digits. --docs rewrites the table in docs/charts.md. Exit codes: 0 all
musts reached, 1 one missed, 77 nothing to run.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

try:
    import numpy as np
except ImportError:
    print("nothing to run on: numpy is missing")
    sys.exit(heft_bench.NOTHING_TO_RUN_ON)

BEGIN, END = "<!-- traversaro: begin -->", "<!-- traversaro: end -->"
WINDOWS = {10: 499, 5: 41, 2: 21, 1: 9, 0.5: 7}  # samples, by seconds a point
RATE, DURATION = 100, 60
FORCE_NOISE, TORQUE_NOISE, ENCODER = 0.5, 0.02, 2 * np.pi / 2**14
OFFSET = np.array([3.0, -2.0, 5.0, 0.1, -0.2, 0.05])
ORIGIN = np.array([0.02, 0.0, 0.11])  # of the sensor in the third link [m]
# forearm and hand: m, c, second moments about c along x y z, like the printed ones at the fastest path
MASS, COM = 1.84, np.array([0.033, 0.001, 0.112])
SECOND_MOMENTS = np.diag([0.0025, 0.0020, 0.0120])


def truth():
    """m, h, and J's upper left block, about the sensor's origin."""
    return np.block([[SECOND_MOMENTS + MASS * np.outer(COM, COM), (MASS * COM)[:, None]], [MASS * COM, MASS]])


def path(rng, seconds_a_point):
    """Minimum-jerk paths between random points, at rest at both ends."""
    t = np.arange(DURATION * RATE) / RATE
    points = rng.uniform(-0.9, 0.9, (int(DURATION / seconds_a_point) + 2, 3))
    k = np.minimum((t / seconds_a_point).astype(int), len(points) - 2)
    s = (t - k * seconds_a_point) / seconds_a_point
    way, rate, bend = 10 * s**3 - 15 * s**4 + 6 * s**5, 30 * s**2 - 60 * s**3 + 30 * s**4, 60 * s - 180 * s**2 + 120 * s**3
    step = points[k + 1] - points[k]
    return (t, points[k] + step * way[:, None], step * (rate / seconds_a_point)[:, None],
            step * (bend / seconds_a_point**2)[:, None])


def savitzky_golay(x, window, derivative):
    """Of polynomials of order two over a window, at its middle; the ends are dropped by the caller."""
    half = window // 2
    place = np.arange(-half, half + 1) / RATE
    weights = np.linalg.pinv(np.vander(place, 3, increasing=True))[derivative] * (2 if derivative == 2 else 1)
    return np.stack([np.convolve(column, weights[::-1], mode="same") for column in x.T], axis=1)


def turn(axis, angle):
    x, y, z = np.eye(3)[axis]
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * (K @ K)


def sensor_motion(q, v, a):
    """w, wd, a of the sensor's origin and gravity, in the sensor's axes: three joints about x, y, z through one point."""
    w = wd = np.zeros(3)
    R = np.eye(3)
    for axis in range(3):
        E = turn(axis, q[axis]).T  # from the parent's axes to the link's
        s = np.eye(3)[axis]
        w, wd = E @ w, E @ wd
        wd = wd + np.cross(w, s * v[axis]) + s * a[axis]
        w = w + s * v[axis]
        R = R @ E.T
    return w, wd, np.cross(wd, ORIGIN) + np.cross(w, np.cross(w, ORIGIN)), R.T @ np.array([0, 0, -9.81])


def wrench(w, wd, a, g):
    """From the pseudo-inertia instead of Heft's rows: moment of the mass's accelerations, sum over S = [wd]x + [w]x^2."""
    def cross(u):
        return np.array([[0, -u[2], u[1]], [u[2], 0, -u[0]], [-u[1], u[0], 0]])
    motion = np.column_stack([cross(wd) + cross(w) @ cross(w), a - g])  # acceleration of a point r: motion (r, 1)
    moments = motion @ truth()  # 3 x 4: sums of acceleration times (r, 1)
    f, P = moments[:, 3], moments[:, :3]
    return np.concatenate([f, [P[2, 1] - P[1, 2], P[0, 2] - P[2, 0], P[1, 0] - P[0, 1]]])


def write_log(file, rng, seconds_a_point):
    t, q, v, a = path(rng, seconds_a_point)
    measured = np.array([wrench(*sensor_motion(*state)) for state in zip(q, v, a)]) + OFFSET
    measured += rng.standard_normal(measured.shape) * np.repeat([FORCE_NOISE, TORQUE_NOISE], 3)
    shown = ENCODER * np.round(q / ENCODER)
    window = WINDOWS[seconds_a_point]
    smooth_v, smooth_a = (savitzky_golay(shown, window, k) for k in (1, 2))
    states = [np.concatenate(sensor_motion(*state)) for state in zip(shown, smooth_v, smooth_a)]
    rows = np.column_stack([t, states, measured])[window: -window]
    names = "t,wx,wy,wz,alx,aly,alz,ax,ay,az,gx,gy,gz,fx,fy,fz,nx,ny,nz"
    np.savetxt(file, rows, delimiter=",", header=names, comments="", fmt="%.12g")


def pseudo_inertia(m, h, tensor):
    xx, xy, xz, yy, yz, zz = tensor
    I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return np.block([[0.5 * np.trace(I) * np.eye(3) - I, np.array(h)[:, None]], [np.array(h), m]])


def verdict(printed):
    """The smallest eigenvalue of printed digits, and whether none of the bodies that round to them is physically consistent."""
    numbers = [float(word) for word in printed]
    values, vectors = np.linalg.eigh(pseudo_inertia(numbers[0], numbers[1:4], numbers[4:]))
    u, half = vectors[:, 0], [0.5 * 10.0 ** -len(word.partition(".")[2]) for word in printed]
    # u'Ju of every body that rounds to these digits is at most that much larger
    reach = sum(h * abs(u @ pseudo_inertia(e[0], e[1:4], e[4:]) @ u) for h, e in zip(half, np.eye(10)))
    return values[0], "**impossible**" if values[0] < -reach else "too few digits"


def answers(heft, folder, log):
    subprocess.run([heft, "payload", "--log", log, "--out", folder / "out", "--method", "all"], check=True, capture_output=True)
    return json.loads((folder / "out" / "result.json").read_text())


def tensor_of(J):
    """Ixx, Iyy, Izz of a pseudo-inertia."""
    S = np.diag(J)
    return S[1] + S[2], S[0] + S[2], S[0] + S[1]


def tensor(method):
    x = method["parameters"]
    return x[4], x[6], x[9]


def words(numbers):
    return ", ".join(f"{x:.3f}" for x in numbers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    heft = options.build / "heft"
    if not heft.exists():
        print(f"nothing to run: build {heft}")
        return heft_bench.NOTHING_TO_RUN_ON
    golden = pathlib.Path(os.environ.get("HEFT_GOLDEN", ROOT.parent / "shared" / "golden")) / "traversaro2016_table1_icub.json"
    printed = {(row["trajectory_time_s"], row["method"].split("_")[0]): row["printed"]
               for row in json.loads(golden.read_text())["rows"]} if golden.exists() else {}
    report = heft_bench.Report()
    xx, yy, zz = exact = tensor_of(truth())
    lines = ["| path | simulated: Ixx, Iyy, Izz by least squares | | by `cone` | printed: Ixx, Iyy, Izz by least squares | | on the manifold | |",
             "|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        for seconds in WINDOWS:
            write_log(folder / "log.csv", np.random.default_rng(16), seconds)
            methods = {method["name"]: method for method in answers(heft, folder, folder / "log.csv")["methods"]}
            ols, cone = (methods[name] for name in ("ols", "cone"))
            cells = [f"{seconds} s", words(tensor(ols)), "possible" if ols["possible"] else "**impossible**", words(tensor(cone))]
            for method in ("unconstrained", "manifold"):
                row = printed.get((seconds, method))
                cells += [words([float(row[k]) for k in (4, 7, 9)]), verdict(row)[1]] if row else ["", ""]
            lines.append("| " + " | ".join(cells) + " |")
            report.add(f"{seconds} s, mass by cone", abs(cone["parameters"][0] / MASS - 1), "of the mass", must=0.02,
                       smaller_is_better=True)
            for name, method in (("ols", ols), ("cone", cone)):
                report.add(f"{seconds} s, tensor by {name}", max(abs(a - b) for a, b in zip(tensor(method), exact)) / max(exact),
                           "of the tensor's largest")
            report.add(f"{seconds} s, cone possible", float(cone["possible"] or cone["certified"]), "yes", must=1)
    if printed:
        theirs = {(row["trajectory_time_s"], row["method"].split("_")[0]): row["verdict"] for row in json.loads(golden.read_text())["rows"]}
        same = sum((verdict(row)[1] == "**impossible**") == (theirs[key] == "inconsistent") for key, row in printed.items())
        report.add("printed rows judged as the golden file judges them", same, f"of {len(printed)}", must=len(printed))
        report.add("printed rows that no body has", sum(verdict(row)[1] == "**impossible**" for row in printed.values()),
                   f"of {len(printed)}")
    lines += ["", f"[kg m^2] about the sensor's origin; simulated truth {words((xx, yy, zz))}."]
    print("\n".join(lines))
    if options.docs:
        heft_bench.write_between(ROOT / "docs" / "charts.md", BEGIN, END, lines)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
