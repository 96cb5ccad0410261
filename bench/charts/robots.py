#!/usr/bin/env python3
"""Rows of `heft rows` on random robots compared with Pinocchio's: robots.py HEFT COUNT. Prints JSON: {identity: [worst, must]}.

Robots are trees of two to eight joints, revolute and prismatic, with axes and inertias in any direction; every second floats.
Worst is the largest difference of any column, relative to the largest entry of the array. Identities without a time derivative must
hold to 1e-12, those over an interval, by Gauss's quadrature, too; those with a derivative, by differences along a path, to 1e-9. Exit
code 77: no Pinocchio.
"""

import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "tools"))
try:
    import numpy as np
    import pinocchio
except ImportError:
    sys.exit(77)
import peers  # noqa: E402

KINDS = ("torque", "gravity", "momentum", "coriolis_transpose", "kinetic", "potential", "power", "world_wrench", "world_gravity",
         "world_momentum")
ALGEBRAIC, DERIVATIVE = 1e-12, 1e-9
STEP = 2e-4
INTERVAL, NODES = 0.2, 16  # [s], of Gauss's quadrature


def urdf(rng, joints):
    def words(numbers):
        return " ".join(f"{x:.9f}" for x in numbers)

    def inertial():
        points, masses = 0.15 * rng.standard_normal((5, 3)), rng.uniform(0.1, 2, 5)
        m, c = masses.sum(), masses @ points / masses.sum()
        r = points - c
        tensor = sum(w * (p @ p * np.eye(3) - np.outer(p, p)) for w, p in zip(masses, r))
        I = {k: tensor["xyz".index(k[1]), "xyz".index(k[2])] for k in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")}
        entries = " ".join(f'{k}="{v:.12g}"' for k, v in I.items())
        return f'<inertial><origin xyz="{words(c)}"/><mass value="{m:.12g}"/><inertia {entries}/></inertial>'

    parts = [f'<robot name="random"><link name="link0">{inertial()}</link>']
    for k in range(1, joints + 1):
        parent = rng.integers(max(0, k - 3), k)
        kind = "prismatic" if rng.random() < 0.25 else "revolute"
        axis = rng.standard_normal(3)
        parts.append(f'<link name="link{k}">{inertial()}</link><joint name="j{k}" type="{kind}"><parent link="link{parent}"/>'
                     f'<child link="link{k}"/><origin xyz="{words(rng.uniform(-0.4, 0.4, 3))}" rpy="{words(rng.uniform(-3, 3, 3))}"/>'
                     f'<axis xyz="{words(axis / np.linalg.norm(axis))}"/>'
                     '<limit lower="-3" upper="3" velocity="3" effort="100"/></joint>')
    return "".join(parts) + "</robot>"


def path_of(model, q, v, a):
    """States at five times on a path with velocity v + t a; the middle one is (q, v, a)."""
    states = []
    for k in (0, -2, -1, 1, 2):
        t = k * STEP
        states.append(np.concatenate([pinocchio.integrate(model, q, t * v + t * t / 2 * a), v + t * a, a]))
    return np.array(states)


def rate(values):
    """d/dt at the middle of path_of."""
    _, a, b, c, d, *_ = values
    return (8 * (c - b) - (d - a)) / (12 * STEP)


def interval_of(q, v, a):
    """States of a path at both ends of an interval and at Gauss's nodes in it, with the weights of the nodes. For joints only."""
    nodes, weights = np.polynomial.legendre.leggauss(NODES)
    times = INTERVAL * np.concatenate([[0, 1], 0.5 + 0.5 * nodes])
    return np.array([np.concatenate([q + t * v + t * t / 2 * a, v + t * a, a]) for t in times]), 0.5 * INTERVAL * weights


def seen_from_world(q, rows):
    """Rows of force and torque on a floating base in its axes, in those of the world and about the world's origin."""
    x, y, z, w = q[3:7]
    R = pinocchio.Quaternion(w, x, y, z).toRotationMatrix()
    force = R @ rows[:3]
    return np.vstack([force, R @ rows[3:6] + np.cross(q[:3], force, axisb=0, axisc=0)])


def main():
    heft, count = sys.argv[1], int(sys.argv[2])
    worst = {}

    def compare(name, ours, theirs, must, size=0.0):
        size = max(size, np.abs(theirs).max(), np.abs(ours).max())
        difference = float(np.abs(ours - theirs).max() / (size if size > 0 else 1))
        assert np.isfinite(difference), name
        worst[name] = [max(worst.get(name, [0])[0], difference), must]

    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        robot, states_path, out = folder / "robot.urdf", folder / "states.npy", folder / "rows.npy"
        for seed in range(count):
            rng = np.random.default_rng(seed)
            floating = seed % 2 == 1
            robot.write_text(urdf(rng, int(rng.integers(2, 9))))
            model = pinocchio.buildModelFromUrdf(str(robot), *((pinocchio.JointModelFreeFlyer(),) if floating else ()))
            q = pinocchio.integrate(model, pinocchio.neutral(model), rng.standard_normal(model.nv))
            v, a = 0.5 * rng.standard_normal(model.nv), rng.standard_normal(model.nv)
            states = np.vstack([path_of(model, q, v, a), path_of(model, q, v, 0 * a)])
            if not floating:
                interval, weights = interval_of(q, v, a)
                states = np.vstack([states, interval])
            np.save(states_path, states)
            ours = {}
            for kind in KINDS:
                subprocess.run([heft, "rows", "--robot", robot, "--states", states_path, "--kind", kind, "--out", out,
                                *(["--floating"] if floating else [])], check=True, capture_output=True)
                ours[kind] = np.load(out)
            theirs = peers.mechanics_rows(pinocchio, np, str(robot), states[:1], floating)
            # of robots that only slide C'v is zero: measured beside momentum times velocity
            slow = {"coriolis_transpose": np.abs(ours["momentum"][0]).max() * np.abs(v).max()}
            for kind in KINDS:
                compare(f"{kind} beside Pinocchio", ours[kind][0], np.array(theirs[kind][0]), ALGEBRAIC, slow.get(kind, 0.0))
            Y, p, K, U, C, g, P = (ours[kind] for kind in ("torque", "momentum", "kinetic", "potential", "coriolis_transpose",
                                                           "gravity", "power"))
            size = np.abs(Y[0]).max() * np.abs(v).max()
            compare("v'Y = power", v @ Y[0], P[0, 0], ALGEBRAIC, size)
            compare("v'Y_p = 2 Y_K", v @ p[0], 2 * K[0, 0], ALGEBRAIC)
            # C v is the torque without acceleration and gravity
            compare("v'C'v = v'C v", v @ C[0], v @ (Y[5] - g[5]), ALGEBRAIC, size)
            compare("d/dt Y_p = Y + Y_C'v - Y_g", rate(p), Y[0] + C[0] - g[0], DERIVATIVE)
            compare("d/dt world_momentum = world_wrench - world_gravity", rate(ours["world_momentum"]),
                    ours["world_wrench"][0] - ours["world_gravity"][0], DERIVATIVE)
            compare("d/dt (Y_K + Y_U) = power", rate(K + U)[0], P[0, 0], DERIVATIVE, np.abs(U[0]).max())
            compare("d/dt Y_K = v'(Y - Y_g)", rate(K)[0], v @ (Y[0] - g[0]), DERIVATIVE, np.abs(U[0]).max())
            compare("d/dt Y_U = v'Y_g", rate(U)[0], v @ g[0], DERIVATIVE, np.abs(U[0]).max())
            # along the path without acceleration momentum changes by dM/dt v alone
            compare("C'v = dM/dt v - C v", C[5], rate(p[5:]) - (Y[5] - g[5]), DERIVATIVE, slow["coriolis_transpose"])
            if floating:
                for world, kind in (("world_wrench", "torque"), ("world_gravity", "gravity"), ("world_momentum", "momentum")):
                    compare(f"{world} = {kind} of the base, seen from the world", ours[world][0],
                            seen_from_world(q, ours[kind][0]), ALGEBRAIC)
            else:
                begin, end, nodes = 10, 11, slice(12, None)
                size = INTERVAL * np.abs(Y[nodes]).max()
                compare("[Y_p] = int (Y + Y_C'v - Y_g) dt", p[end] - p[begin], np.tensordot(weights, (Y + C - g)[nodes], 1),
                        ALGEBRAIC, size)
                compare("[Y_K + Y_U] = int v'Y dt", (K + U)[end, 0] - (K + U)[begin, 0],
                        weights @ np.einsum("ti,tik->tk", states[nodes, model.nq:model.nq + model.nv], Y[nodes]), ALGEBRAIC,
                        size * np.abs(states[nodes, model.nq:model.nq + model.nv]).max())
    json.dump(worst, sys.stdout)


if __name__ == "__main__":
    main()
