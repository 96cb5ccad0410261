#!/usr/bin/env python3
"""Logs conditioned on a device, many at a time: heft identify of an arm with more and more logs, with --backend cpu and cuda.

Usage: bench/waves.py --heft build/heft [--logs 2,32,256] [--rows 2000] [--long 100000] [--threads N] [--json FILE]

For every number of logs of --rows rows, and for one log of --long rows: wall-clock times, the stage that reads and conditions,
what provenance.wave says, and the differences of masses. Exit codes: 0 all agree and were conditioned by the device, 1 not,
77 no device answers.
"""
import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import device_runs  # noqa: E402
import heft_bench  # noqa: E402

RATE = 500
AGREEMENT = 1e-9  # of masses, relative to the largest
STAGE = "read, condition and accumulate"


class Waves(device_runs.Runs):
    def log(self, rows, seed):
        folder = self.scratch / f"log_{rows}_{seed}"
        if not folder.exists():
            self.call("simulate", "--robot", device_runs.ARM, "--duration", rows / RATE, "--held-out", 1, "--rate", RATE, "--seed", seed,
                      "--trajectory-seed", seed, "--out", folder)
        return folder / "train.csv"

    def identified(self, backend, logs):
        """result.json and seconds, of the second run: the first reads the files into the system's cache."""
        out = self.scratch / f"{backend}_{len(logs)}"
        words = ["identify", "--robot", device_runs.ARM]
        for log in logs:
            words += ["--log", log]
        words += ["--backend", backend, "--threads", self.options.threads, "--estimation.seek_faults", "false",
                  "--estimation.bootstrap", 0, "--quiet", "--out", out]
        for _ in range(2):
            seconds = self.call(*words, codes=(0, 4))
        return json.loads((out / "result.json").read_text()), seconds

    def compare(self, name, logs):
        here, cpu_s = self.identified("cpu", logs)
        there, cuda_s = self.identified("cuda", logs)
        wave = there["provenance"]["wave"]
        masses = [[body["parameters"]["m"] for body in result["bodies"]] for result in (here, there)]
        worst = max(abs(a - b) for a, b in zip(*masses)) / max(map(abs, masses[0]))
        self.report.add(f"{name}: masses differ, relative", worst, "", must=AGREEMENT, smaller_is_better=True)
        self.report.add(f"{name}: logs left to the host", len(wave["on_host"]), "", must=0, smaller_is_better=True)
        for what, result, seconds in (("cpu", here, cpu_s), ("cuda", there, cuda_s)):
            self.report.add(f"{name}: {what}, whole run", seconds, "s")
            self.report.add(f"{name}: {what}, {STAGE}", result["timings"][STAGE]["value"], "s")
        for key, unit in (("device_s", "s"), ("host_cpu_s", "s"), ("bytes_up", "bytes"), ("bytes_down", "bytes"), ("launches", "")):
            self.report.add(f"{name}: wave, {key}", wave[key], unit)

    def run(self):
        for count in self.options.logs:
            self.compare(f"{count} logs of {self.options.rows} rows", [self.log(self.options.rows, seed) for seed in range(count)])
        self.compare(f"one log of {self.options.long} rows", [self.log(self.options.long, 1)])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft")
    parser.add_argument("--logs", type=lambda text: [int(count) for count in text.split(",")], default=[2, 32, 256])
    parser.add_argument("--rows", type=int, default=2000)
    parser.add_argument("--long", type=int, default=100_000)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--json")
    options = parser.parse_args()
    inventory = subprocess.run([options.heft, "info"], capture_output=True, text=True).stdout
    if "backend cuda (" not in inventory:
        print(inventory + "no device answers")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory() as scratch:
        waves = Waves(options, scratch)
        waves.run()
    return waves.report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
