#!/usr/bin/env python3
"""Heft's normal equations compared with Pinocchio's regressor, and the effect of fp32 on the least-squares result.

    /path/to/python bench/moments/agreement.py --heft build/heft [--samples 300] [--many 1000000]

Exits with 1 if |dG| / |G| in fp64, of `--samples`, is above 1e-13, or if fp32 moves the least-squares answer of `--many`
samples by more than 1 % of its standard error (noise of 1 N m or 1 N in every row; any combination of the parameters
that the samples determine). The fp64 sums of the same samples are what it is moved from.
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
MOST_SHIFT = 0.01  # standard errors


def heft_sums(program, urdf, floating, samples):
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "bench", "moments", str(urdf), *(["--floating"] if floating else []), "--samples",
                        str(samples), "--sums", file.name], check=True, capture_output=True)
        return json.loads(pathlib.Path(file.name).read_text())


def many_sums(program, urdf, floating, samples):
    """{form: (G, b)} of as many random samples, in fp64 and in both forms of fp32."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        subprocess.run([program, "bench", "precision", str(urdf), *(["--floating"] if floating else []), "--samples",
                        str(samples), "--sums", file.name], check=True, capture_output=True)
        data = json.loads(pathlib.Path(file.name).read_text())
    return {form: (np.array(sums["G"]).reshape(len(sums["b"]), -1), np.array(sums["b"]))
            for form, sums in data.items() if form != "samples"}


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
    parser.add_argument("--samples", type=int, default=300, help="beside Pinocchio")
    parser.add_argument("--many", type=int, default=1_000_000, help="in fp32 beside fp64")
    options = parser.parse_args()
    worst = worst_shift = 0
    print(f"| robot | fp64 summed: dG, db | per channel: dG, db | fp32 summed: dG | shift of the answer at "
          f"{options.many:.0e} samples, in standard errors: fp32 summed, per channel |")
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
            many = many_sums(options.heft, urdf, floating, options.many)
            shifts = [shift_in_standard_errors(*many["fp64 summed"], *many[form])
                      for form in ("fp32 summed", "fp32 per channel")]
            worst_shift = max(worst_shift, *shifts)
            print(f"| {name} | {summed[0]:.1e}, {summed[1]:.1e} | {channels[0]:.1e}, {channels[1]:.1e} | "
                  f"{single[0]:.1e} | {shifts[0]:.1e}, {shifts[1]:.1e} |", flush=True)
    if not worst <= BOUND:
        sys.exit(f"fp64 is {worst:.1e} away from Pinocchio, more than {BOUND:.0e}")
    if not worst_shift <= MOST_SHIFT:
        sys.exit(f"fp32 moves the answer by {worst_shift:.1e} of its standard error, more than {MOST_SHIFT:g}")


if __name__ == "__main__":
    main()
