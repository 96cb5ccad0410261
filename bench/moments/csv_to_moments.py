#!/usr/bin/env python3
"""From a CSV log to normal equations: Heft beside numpy.loadtxt or pandas with Pinocchio.

    /path/to/python bench/moments/csv_to_moments.py --heft build/heft [--rows 100000]

The log is that of a 7-DoF arm with time, positions, velocities, accelerations and torques. Heft's time has everything
in it: reading, checking, conditioning, sums per channel. The peer's is the faster of the two readers plus the fastest
sum of run.py, as if reading and summing cost nothing more.
"""

import argparse
import pathlib
import re
import statistics
import subprocess
import tempfile
import time

import numpy as np
import pandas

import robots
import run


def write_log(path, rows):
    rng = np.random.default_rng(1)
    t = 0.001 * np.arange(rows)[:, None]
    a, w, phase = rng.uniform(0.2, 1, 7), rng.uniform(1, 6, 7), rng.uniform(0, 6, 7)
    q, qd, qdd = a * np.sin(w * t + phase), a * w * np.cos(w * t + phase), -a * w * w * np.sin(w * t + phase)
    tau = 5 * qdd + 20 * np.cos(q) + rng.normal(0, 0.1, (rows, 7))
    joints = [f"joint_0_{k}" for k in range(7)]
    header = ["t", *(f"{kind}_{joint}" for kind in ("q", "qd", "qdd", "tau") for joint in joints)]
    np.savetxt(path, np.hstack([t, q, qd, qdd, tau]), fmt="%.9g", delimiter=",", header=",".join(header), comments="")


def seconds_of(work, repeats=3):
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", required=True, help="the program")
    parser.add_argument("--rows", type=int, default=100_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        log = folder / "log.csv"
        write_log(log, options.rows)
        arm = robots.write_random_robots(folder)[1]
        robots.write_peer_tables(arm[1], False, folder / "arm.txt")
        peer = run.ask_peer(run.build_peer(folder), folder / "arm.txt", 1)
        summing = 1e-9 * options.rows * min(peer[way] for way in run.WAYS)
        readers = {"pandas.read_csv": seconds_of(lambda: pandas.read_csv(log).to_numpy()),
                   "numpy.loadtxt": seconds_of(lambda: np.loadtxt(log, delimiter=",", skiprows=1))}
        done = subprocess.run([options.heft, "bench", "csv", arm[1], "--log", log], check=True, capture_output=True,
                              text=True)
    heft = float(re.search(r"in ([0-9.]+) s", done.stdout).group(1))
    best = min(readers, key=readers.get)
    print(f"{options.rows} rows, 29 columns: {best} {readers[best]:.2f} s + Pinocchio {summing:.2f} s; heft {heft:.3f} s: "
          f"{(readers[best] + summing) / heft:.1f} times faster "
          f"({', '.join(f'{name} {s:.2f} s' for name, s in readers.items())})")


if __name__ == "__main__":
    main()
