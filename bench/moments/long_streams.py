#!/usr/bin/env python3
"""Moments of ever longer streams: time a sample and memory, from a file and from a motion that the backend makes.

    /path/to/python bench/moments/long_streams.py --heft build/heft [--most 100000000] [--readme bench/moments/README.md]

The file is a structured NumPy array of a 2-DoF arm, 24 bytes a row, written to --folder and deleted again; Heft
low-passes it, differentiates and sums. The motion is a Fourier series of a 6-DoF arm. Memory is the most that the
process ever had. One run each.
"""

import argparse
import json
import os
import pathlib
import subprocess
import tempfile

import numpy as np

import robots
import run

BEGIN, END = "<!-- table: written by long_streams.py -->", "<!-- end of table of streams -->"
ROW = np.dtype([("t", "<f8"), ("q", "<f4", (2,)), ("tau", "<f4", (2,))])
PART = 1_000_000  # rows written at a time


def write_array(path, num_rows):
    with open(path, "wb") as file:
        np.lib.format.write_array_header_2_0(file, {"descr": np.lib.format.dtype_to_descr(ROW), "fortran_order": False,
                                                    "shape": (num_rows,)})
        for begin in range(0, num_rows, PART):
            t = 0.001 * np.arange(begin, min(begin + PART, num_rows))
            part = np.empty(len(t), ROW)
            part["t"] = t
            for k, (a, w) in enumerate(((0.7, 2.1), (0.5, 3.7))):
                part["q"][:, k] = a * np.sin(w * t)
                part["tau"][:, k] = 20 * np.cos(a * np.sin(w * t)) - 5 * a * w * w * np.sin(w * t)
            part.tofile(file)


def measure(command):
    """The JSON of a bench command."""
    with tempfile.NamedTemporaryFile(suffix=".json") as report:
        subprocess.run([*command, "--json", report.name], stdout=subprocess.DEVNULL, check=True)
        return json.loads(pathlib.Path(report.name).read_text())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", required=True, help="the program")
    parser.add_argument("--most", type=int, default=100_000_000, help="samples of the longest stream")
    parser.add_argument("--folder", help="for the file; 24 bytes a sample of the longest stream")
    parser.add_argument("--readme", help="write the table between its marks in this file")
    options = parser.parse_args()
    lines = ["| samples | file: ns a sample | memory | limited by | motion: ns a sample | memory |",
             "|---|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory(dir=options.folder) as scratch:
        folder = pathlib.Path(scratch)
        arm6 = robots.write_random_robots(folder)[0][1]
        arm2 = folder / "arm2.urdf"
        arm2.write_text(robots.tree("arm2", (2,), seed=3))
        log, configuration = folder / "log.npy", folder / "log.yaml"
        configuration.write_text("columns: []\n")
        num_samples = 100_000
        while num_samples <= options.most:
            write_array(log, num_samples)
            of_file = measure([options.heft, "bench", "logs", arm2, "--log", log, "--config", configuration, "--passes",
                               "1", "--threads", "1"])
            log.unlink()
            of_motion = measure([options.heft, "bench", "motion", arm6, "--samples", str(num_samples)])
            lines.append(f"| {num_samples:.0e} | {of_file['ns_per_sample']:.0f} | {of_file['memory_mb']:.0f} MB | "
                         f"{of_file['limited_by']} | {of_motion['ns_per_sample']:.0f} | {of_motion['memory_mb']:.0f} MB |")
            print(lines[-1], flush=True)
            num_samples *= 10
    lines = [f"{run.cpu_name()}, load average {os.getloadavg()[0]:.1f}.", "", *lines]
    if options.readme:
        run.heft_bench.write_between(pathlib.Path(options.readme), BEGIN, END, lines)


if __name__ == "__main__":
    main()
