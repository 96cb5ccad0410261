#!/usr/bin/env python3
"""The golden payload problems as sums: payloads.py GOLDEN [DATA]. Prints JSON for `bench_charts problems`:
[{"name", "G", "b", "tau2", "rows", "prior", "weight", "objective"}].

Rows are FORMULAS 8's, made here; channels are weighted by the golden rms residuals of weighted least squares. The fifteen simulated
sets need no logs; the twelve tools need those of DATA (workshop_tools_ft), whose noise is added by the golden file's generator.
Exit code 77: no NumPy.
"""

import json
import math
import pathlib
import sys

try:
    import numpy as np
except ImportError:
    sys.exit(77)

LEVELS = {"low": (.25, .025, .05, .0025), "moderate": (.5, .05, .1, .005), "high": (1, .1, .2, .01)}  # of al, a, f, n


def cross(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def spread(v):
    """D with D(v) (Ixx, Ixy, Iyy, Ixz, Iyz, Izz)' = I v."""
    x, y, z = v
    return np.array([[x, y, 0, z, 0, 0], [0, x, y, 0, z, 0], [0, 0, 0, x, y, z]])


def rows_of(w, al, a, g):
    u = a - g
    turns = cross(w)
    Y = np.zeros((6, 10))
    Y[:3, 0] = u
    Y[:3, 1:4] = cross(al) + turns @ turns
    Y[3:, 1:4] = -cross(u)
    Y[3:, 4:] = spread(al) + turns @ spread(w)
    return Y


def problems_of(name, data, prior, rms, expected):
    G, b, tau2 = np.zeros((10, 10)), np.zeros(10), 0.0
    scale = 1 / np.asarray(rms)
    for _, *numbers in data:
        w, al, a, g, f, n = np.reshape(numbers, (6, 3))
        Y, y = rows_of(w, al, a, g) * scale[:, None], np.concatenate([f, n]) * scale
        G, b, tau2 = G + Y.T @ Y, b + Y.T @ y, tau2 + y @ y
    for weight in ("0.01", "1"):
        answer = expected.get(f"metric_cone_w{weight}")
        if answer:
            yield {"name": f"{name}, w = {weight}", "G": G.tolist(), "b": b.tolist(), "tau2": tau2, "rows": 6 * len(data),
                   "prior": prior, "weight": float(weight), "objective": answer["objective"]}


def normals(seed):
    mask, state = 2**64 - 1, seed

    def uniform():
        nonlocal state
        state = (state + 0x9e3779b97f4a7c15) & mask
        x = state
        x = ((x ^ (x >> 30)) * 0xbf58476d1ce4e5b9) & mask
        x = ((x ^ (x >> 27)) * 0x94d049bb133111eb) & mask
        x ^= x >> 31
        return ((x >> 11) + 0.5) * 2.0**-53

    while True:
        u1, u2 = uniform(), uniform()
        yield math.sqrt(-2 * math.log(u1)) * math.cos(2 * math.pi * u2)


def main():
    golden = pathlib.Path(sys.argv[1]) / "payload"
    problems = []
    for i, one in enumerate(json.loads((golden / "payload_sim.json").read_text())["sets"]):
        expected = one["expected"]
        problems += problems_of(f"{one['object']} {i}", one["data"], expected["prior"], expected["wls"]["rms_residuals"], expected)
    folder = pathlib.Path(sys.argv[2]) / "workshop_tools_ft" if len(sys.argv) > 2 else None
    if folder and folder.is_dir():
        for tool in json.loads((golden / "payload_real.json").read_text())["tools"]:
            rows = np.loadtxt(folder / tool["file"], delimiter=",", skiprows=1)
            noise = normals(tool["seed"])
            for row in rows:
                for first, level in zip((4, 7, 13, 16), LEVELS[tool["noise"]]):
                    for axis in range(3):
                        row[first + axis] += level * next(noise)
            problems += problems_of(tool["object"], rows, tool["prior"], tool["rms_residuals_wls"], tool["expected"])
    json.dump(problems, sys.stdout)


if __name__ == "__main__":
    main()
