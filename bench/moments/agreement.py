#!/usr/bin/env python3
"""Heft's normal equations against Pinocchio's regressor, and what fp32 does to the least-squares answer.

    /path/to/python bench/moments/agreement.py --heft build/heft [--samples 300]

Exits with 1 if |dG| / |G| in fp64 is above 1e-13. The shift that fp32 causes is given in units of the standard error
of the answer (noise of 1 N m or 1 N in every row), for a million samples: both the mean normal equations and their
rounding grow with the samples, so that a shift of the answer that does not average out grows like the square root of
their number against the standard error. `--samples` of them are summed, and the shift is scaled by that root.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pinocchio

import robots

BOUND = 1e-13
MILLION = 1e6


def heft_sums(program, urdf, floating, samples):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "bench", "moments", str(urdf), *(["--floating"] if floating else []), "--samples",
                        str(samples), "--sums", file.name], check=True, capture_output=True)
        return json.loads(pathlib.Path(file.name).read_text())


def columns(data, name):
    """num_samples x n, from numbers that lie column after column."""
    return np.array(data[name]).reshape(-1, data["samples"]).T


def pinocchio_sums(data, urdf, floating):
    """G and b of the same samples, parameters in Heft's order of bodies."""
    root = (pinocchio.JointModelFreeFlyer(),) if floating else ()
    model = pinocchio.buildModelFromUrdf(str(urdf), *root)
    state = model.createData()
    joint = {name: model.joints[i] for i, name in enumerate(model.names)}
    base = "root_joint"
    order = [model.getJointId(name) if name else model.getJointId(base) for name in data["joints"]]
    pick = np.concatenate([10 * (i - 1) + np.arange(10) for i in order])
    position, velocity, acceleration, torque = (
        columns(data, name) for name in ("position", "velocity", "acceleration", "torque"))
    base_motion = columns(data, "base_motion") if floating else None
    G, b = np.zeros((len(pick), len(pick)), np.longdouble), np.zeros(len(pick), np.longdouble)
    for t in range(data["samples"]):
        q, v, a, tau = pinocchio.neutral(model), np.zeros(model.nv), np.zeros(model.nv), np.zeros(model.nv)
        offset = 6 if floating else 0
        if floating:  # the base at rest in the world's axes: its acceleration minus gravity is what was logged
            v[3:6], a[3:6] = base_motion[t, 0:3], base_motion[t, 3:6]
            a[0:3] = base_motion[t, 6:9] + model.gravity.linear
            tau[0:6] = torque[t, 0:6]
        for k, name in enumerate(data["coordinates"]):
            q[joint[name].idx_q], v[joint[name].idx_v] = position[t, k], velocity[t, k]
            a[joint[name].idx_v], tau[joint[name].idx_v] = acceleration[t, k], torque[t, offset + k]
        Y = pinocchio.computeJointTorqueRegressor(model, state, q, v, a)[:, pick].astype(np.longdouble)
        G += Y.T @ Y
        b += Y.T @ tau
    return G, b


def shift_in_standard_errors(G, b, G_other, b_other):
    """Largest shift of an identifiable combination of parameters, in its own standard errors for unit noise."""
    size = np.sqrt(np.diag(G).clip(1e-300))
    used = size > 1e-9 * size.max()
    G, b, G_other, b_other = (x[np.ix_(used, used)] if x.ndim == 2 else x[used] for x in (G, b, G_other, b_other))
    size = size[used]
    values, vectors = np.linalg.eigh(G / np.outer(size, size))
    base = vectors[:, values > 1e-10 * values[-1]]
    reduced = [base.T @ (g / np.outer(size, size)) @ base for g in (G, G_other)]
    answers = [np.linalg.solve(g, base.T @ (v / size)) for g, v in zip(reduced, (b, b_other))]
    return np.max(np.abs(answers[1] - answers[0]) / np.sqrt(np.diag(np.linalg.inv(reduced[0]))))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", required=True, help="the program")
    parser.add_argument("--samples", type=int, default=300)
    options = parser.parse_args()
    worst = 0
    print("| robot | fp64 summed: dG, db | per channel: dG, db | fp32 summed: dG | shift of the answer at 1e6 samples |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name, urdf, floating in robots.write_random_robots(pathlib.Path(scratch)) + robots.example_robots():
            data = heft_sums(options.heft, urdf, floating, options.samples)
            G, b = pinocchio_sums(data, urdf, floating)
            trace = np.sqrt(np.trace(G) * np.sum(np.array(data["torque"]) ** 2))

            def ours(form):
                return (np.array(data[form]["G"]).reshape(G.shape), np.array(data[form]["b"]))

            def distances(form):
                ours_G, ours_b = ours(form)
                return np.linalg.norm((ours_G - G).astype(float)) / np.linalg.norm(G.astype(float)), \
                    np.linalg.norm((ours_b - b).astype(float)) / trace

            summed, channels, single = (distances(form) for form in ("fp64 summed", "fp64 per channel", "fp32 summed"))
            worst = max(worst, *summed, *channels)
            shift = shift_in_standard_errors(*ours("fp64 summed"), *ours("fp32 summed"))
            print(f"| {name} | {summed[0]:.1e}, {summed[1]:.1e} | {channels[0]:.1e}, {channels[1]:.1e} | "
                  f"{single[0]:.1e} | {shift * np.sqrt(MILLION / options.samples):.1e} of its standard error |")
    if not worst <= BOUND:
        sys.exit(f"fp64 is {worst:.1e} away from Pinocchio, more than {BOUND:.0e}")


if __name__ == "__main__":
    main()
