#!/usr/bin/env python3
"""From a CSV log to normal equations: Heft beside pandas or numpy.loadtxt with Pinocchio.

    /path/to/python bench/moments/csv_to_moments.py --heft build/heft [--rows 100000] [--readme bench/moments/README.md]

A 7-DoF arm, rigid columns only, the same work on both sides, twice:

    as logged     t, q, qd, qdd, tau are read, and the sums made of them
    conditioned   t, q, tau are read, low-passed forward and backward (order 4, 10 Hz; the peer by
                  scipy.signal.sosfiltfilt), q differentiated twice, and the sums made

The peer is the faster of the two readers, then either of two ways to the sums: Python, where a loop calls
pinocchio.computeJointTorqueRegressor and NumPy multiplies (the best of a product a sample and a product of 256 stacked
samples), or the best of what peer_pinocchio.cpp does in C++, as if arrays came to it for nothing. The peer has one thread.
Heft has two: one reads ahead, the other does the rest. What counts is its wall time; beside it stand the processor time of
the busier thread, a lower bound of it, and that of both. All take turns.
"""

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy wakes it: idle threads would spin beside what is timed

import numpy as np
import pandas
import pinocchio
import scipy.signal

import robots
import run

BEGIN, END = "<!-- table: written by csv_to_moments.py -->", "<!-- end of table of logs -->"
RATE_HZ, LOWPASS_HZ = 1000, 10
PYTHON_SAMPLES = 4096  # what the loop in Python is timed with
STACK = 256
CONFIGURATIONS = {"as logged": "conditioning: {filter: none, velocity: logged, trim: 0}\ncolumns: []\n",
                  "conditioned": f"conditioning: {{lowpass_hz: {LOWPASS_HZ}}}\ncolumns: []\n"}
KINDS = {"as logged": ("q", "qd", "qdd", "tau"), "conditioned": ("q", "tau")}


def write_logs(folder, rows):
    rng = np.random.default_rng(1)
    t = np.arange(rows)[:, None] / RATE_HZ
    a, w, phase = rng.uniform(0.2, 1, 7), rng.uniform(1, 6, 7), rng.uniform(0, 6, 7)
    signals = {"q": a * np.sin(w * t + phase), "qd": a * w * np.cos(w * t + phase),
               "qdd": -a * w * w * np.sin(w * t + phase)}
    signals["tau"] = 5 * signals["qdd"] + 20 * np.cos(signals["q"]) + rng.normal(0, 0.1, (rows, 7))
    for task, kinds in KINDS.items():
        header = ["t", *(f"{kind}_joint_0_{k}" for kind in kinds for k in range(7))]
        np.savetxt(folder / f"{task}.csv", np.hstack([t, *(signals[kind] for kind in kinds)]), fmt="%.9g",
                   delimiter=",", header=",".join(header), comments="")


class Stopwatch:
    """Processor seconds of what the peer does, step by step, a list of rounds each."""

    def __init__(self):
        self.times = {}

    def __call__(self, step, work, share=1.0):
        start = time.process_time()
        result = work()
        self.times.setdefault(step, []).append((time.process_time() - start) / share)
        return result

    def median(self, step):
        return statistics.median(self.times[step])


def condition(table):
    q, tau = table[:, 1:8], table[:, 8:15]
    sos = scipy.signal.butter(4, LOWPASS_HZ, fs=RATE_HZ, output="sos")
    q, tau = (scipy.signal.sosfiltfilt(sos, x, axis=0) for x in (q, tau))
    qd = np.gradient(q, 1 / RATE_HZ, axis=0)
    return q, qd, np.gradient(qd, 1 / RATE_HZ, axis=0), tau


def product_per_sample(model, data, q, v, a, tau):
    size = 10 * (model.njoints - 1)
    G, b = np.zeros((size, size)), np.zeros(size)
    for k in range(len(q)):
        Y = pinocchio.computeJointTorqueRegressor(model, data, q[k], v[k], a[k])
        G += Y.T @ Y
        b += Y.T @ tau[k]
    return G, b


def product_of_stacks(model, data, q, v, a, tau):
    size = 10 * (model.njoints - 1)
    G, b = np.zeros((size, size)), np.zeros(size)
    rows = np.empty((STACK * model.nv, size))
    for start in range(0, len(q), STACK):
        for k in range(STACK):
            rows[k * model.nv:(k + 1) * model.nv] = pinocchio.computeJointTorqueRegressor(
                model, data, q[start + k], v[start + k], a[start + k])
        G += rows.T @ rows
        b += rows.T @ tau[start:start + STACK].ravel()
    return G, b


def run_peer(log, task, model, watch):
    table = watch("pandas.read_csv", lambda: pandas.read_csv(log).to_numpy())
    watch("numpy.loadtxt", lambda: np.loadtxt(log, delimiter=",", skiprows=1))
    if task == "conditioned":
        q, v, a, tau = watch("conditioning", lambda: condition(table))
    else:
        q, v, a, tau = (table[:, 1 + 7 * k:8 + 7 * k] for k in range(4))
        watch("conditioning", lambda: None)
    part = [np.ascontiguousarray(x[:PYTHON_SAMPLES]) for x in (q, v, a, tau)]
    share = PYTHON_SAMPLES / len(q)
    for way in (product_per_sample, product_of_stacks):
        watch(way.__name__, lambda way=way: way(model, model.createData(), *part), share)


def run_heft(program, arm, log, configuration):
    with tempfile.NamedTemporaryFile(suffix=".json") as report, tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(configuration)
        file.flush()
        subprocess.run([program, "bench", "logs", arm, "--log", log, "--config", file.name, "--threads", "1",
                        "--passes", "3", "--json", report.name], check=True, capture_output=True)
        return json.loads(pathlib.Path(report.name).read_text())


def line(task, rows, watch, sums_in_cpp, heft):
    reader = min(("pandas.read_csv", "numpy.loadtxt"), key=watch.median)
    before = watch.median(reader) + watch.median("conditioning")
    python = min(watch.median("product_per_sample"), watch.median("product_of_stacks"))
    busiest, wall, cpu = (statistics.median(h[key] for h in heft) for key in ("busiest_thread_s", "wall_s", "cpu_s"))
    limits = [h["limited_by"] for h in heft]

    def times(sums):
        return f"**{(before + sums) / wall:.1f}x**, {(before + sums) / busiest:.1f}x, {(before + sums) / cpu:.1f}x"
    return (f"| {task} | {reader} {watch.median(reader):.3f} s | {watch.median('conditioning'):.3f} s | {python:.3f} s | "
            f"{sums_in_cpp:.3f} s | {wall:.3f} s, {busiest:.3f} s, {cpu:.3f} s | {max(set(limits), key=limits.count)} | "
            f"{times(python)} | {times(sums_in_cpp)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", required=True, help="the program")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--readme", help="write the table between its marks in this file")
    options = parser.parse_args()
    lines = ["| task | peer: reading | conditioning | Pinocchio in Python | best sum in C++ | Heft: wall, busier thread, "
             "both threads | limited by | faster than the peer in Python, by these three | than with C++ sums |",
             "|---|---|---|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        write_logs(folder, options.rows)
        arm = robots.write_random_robots(folder)[1]
        robots.write_peer_tables(arm[1], False, folder / "arm.txt")
        instruction_set = run.instruction_sets(options.heft)[0]
        peer_in_cpp = run.build_peer(folder, instruction_set)
        model = pinocchio.buildModelFromUrdf(str(arm[1]))
        watches = {task: Stopwatch() for task in KINDS}
        heft, ns_in_cpp = {task: [] for task in KINDS}, []
        for _ in range(options.rounds):
            peer = run.ask_peer(peer_in_cpp, folder / "arm.txt", 0.3, instruction_set)
            ns_in_cpp.append(min(peer[way] for way in run.WAYS))
            for task in KINDS:
                log = folder / f"{task}.csv"
                heft[task].append(run_heft(options.heft, arm[1], log, CONFIGURATIONS[task]))
                run_peer(log, task, model, watches[task])
        sums_in_cpp = 1e-9 * options.rows * statistics.median(ns_in_cpp)
        lines += [line(task, options.rows, watches[task], sums_in_cpp, heft[task]) for task in KINDS]
        sizes = ", ".join(f"{task} {(folder / f'{task}.csv').stat().st_size / 1e6:.0f} MB" for task in KINDS)
    lines = [f"{run.cpu_name()}, load average {os.getloadavg()[0]:.1f}; {options.rows} rows ({sizes}).", "", *lines]
    print("\n".join(lines))
    if options.readme:
        run.heft_bench.write_between(pathlib.Path(options.readme), BEGIN, END, lines)


if __name__ == "__main__":
    main()
