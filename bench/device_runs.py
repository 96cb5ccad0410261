#!/usr/bin/env python3
"""The benefit of a device for users: whole runs with --backend cpu and with cuda, and the differences of their results.

Usage: bench/device_runs.py --heft build/heft [--rows 1000000] [--robots 96] [--threads N] [--problems problems.bin --solver
build/bench/solver/bench_solver] [--json FILE]

One arm with a long log (identify), a fleet of arms with short ones (fleet run), and batches of problems through the executor
(bench_solver, of bench/solver/problems.py). Times are wall clock. Exit codes: 0 all ran and agree, 1 not, 77 no device answers.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
import heft_bench  # noqa: E402

ARM = HERE.parent / "tools" / "demo" / "arm.urdf"
BACKENDS = ("cpu", "cuda")
AGREEMENT = 1e-6  # of masses and held-out errors; optima are certified to 1e-8 of their objective


class Runs:
    def __init__(self, options, scratch):
        self.options, self.scratch = options, pathlib.Path(scratch)
        self.report = heft_bench.Report(options.json)

    def call(self, *words, codes=(0,)):
        begin = time.monotonic()
        done = subprocess.run([self.options.heft, *map(str, words)], capture_output=True, text=True)
        if done.returncode not in codes:
            raise RuntimeError(f"heft {' '.join(map(str, words))}: exit {done.returncode}\n{done.stderr[-1500:]}")
        return time.monotonic() - begin

    def log(self, name, duration, rate, seed, trajectory=1):
        """A log of the arm with this seed, on its own trajectory; the held-out log follows it."""
        folder = self.scratch / name
        self.call("simulate", "--robot", ARM, "--duration", duration, "--held-out", 20, "--rate", rate, "--seed", seed,
                  "--trajectory-seed", trajectory, "--out", folder)
        return folder

    def identify(self):
        """One robot with one long log, stage by stage."""
        rate = 500
        log = self.log("long", self.options.rows / rate, rate, 1)
        answers = {}
        for turn in range(2):  # the first reads the file into the system's cache
            for backend in BACKENDS:
                out = self.scratch / f"identify_{backend}"
                seconds = self.call("identify", "--robot", ARM, "--log", log / "train.csv", "--validate", log / "held_out.csv",
                                    "--quiet", "--backend", backend, "--threads",
                                    self.options.threads, "--out", out, codes=(0, 4))
                answers[backend] = json.loads((out / "result.json").read_text())
                if turn == 0:
                    continue
                what = f"identify, {self.options.rows} rows, --backend {backend}"
                self.report.add(what, seconds, "s")
                for stage, entry in answers[backend]["timings"].items():
                    self.report.add(f"{what}: {stage}", entry["value"], "s")
        print(answers["cuda"]["provenance"]["backend"], json.dumps(answers["cuda"]["provenance"]["solves"]), flush=True)
        self.apart("identify", *(answers[backend] for backend in BACKENDS))

    def apart(self, what, one, other):
        errors = [answer["validation"]["overall_relative"] for answer in (one, other)]
        masses = [abs(a["parameters"]["m"] / b["parameters"]["m"] - 1) for a, b in zip(one["bodies"], other["bodies"])]
        self.report.add(f"{what}: held-out errors apart", abs(errors[0] / errors[1] - 1), "", must=AGREEMENT, smaller_is_better=True)
        self.report.add(f"{what}: masses apart, largest", max(masses), "", must=AGREEMENT, smaller_is_better=True)

    def fleet(self):
        """Many robots with two short logs and one held-out log each."""
        robots = range(1, self.options.robots + 1)
        with concurrent.futures.ThreadPoolExecutor(self.options.threads) as pool:
            made = list(pool.map(lambda k: self.log(f"log{k}", 20, 100, k // 2, 3 * k), [2 * r + half for r in robots for half in (0, 1)]))
        lines = ["robot_id,robot,log,role"]
        for robot in robots:
            first, second = made[2 * robot - 2:2 * robot]
            lines += [f"r{robot},{ARM},{first}/train.csv,train", f"r{robot},{ARM},{second}/train.csv,train",
                      f"r{robot},{ARM},{first}/held_out.csv,validate"]
        manifest = self.scratch / "fleet.csv"
        manifest.write_text("\n".join(lines) + "\n")
        errors = {}
        for backend in BACKENDS:
            store = self.scratch / f"store_{backend}"
            seconds = self.call("fleet", "run", manifest, "--store", store, "--no-pages", "--quiet", "--jobs", self.options.threads,
                                "--backend", backend)
            self.report.add(f"fleet of {self.options.robots} robots, --backend {backend}", self.options.robots / seconds, "robots/s")
            errors[backend] = [robot["held_out"] for robot in json.loads((store / "fleet.json").read_text())["robots"]]
        self.report.add("fleet: held-out errors apart, largest", max(abs(a / b - 1) for a, b in zip(*errors.values())), "", must=AGREEMENT,
                        smaller_is_better=True)

    def solver(self):
        """Batches: lanes by the CPU time of one thread, the device by wall-clock time, including transfers and the host's work."""
        done = subprocess.run([self.options.solver, self.options.problems, "--batches"], capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        for batch in found["batches"]:
            what = f"{batch['count']} problems of {batch['bodies']} bodies, w {batch['weight']:g}"
            self.report.add(f"{what}: {found['instruction_set']}, one thread", batch["us"], "us a problem")
            self.report.add(f"{what}: device, fed by one thread", batch["device"].get("us"), "us a problem")
            self.report.add(f"{what}: device, fed by all", batch["device"].get("us_all_threads"), "us a problem")
            self.report.add(f"{what}: device, certified", batch["device"].get("certified"), f"of {batch['distinct']}", must=batch["distinct"])
            self.report.add(f"{what}: its certificate, on the host", batch["certify_us"], "us a problem")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=heft_bench.ROOT / "build" / "heft")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--robots", type=int, default=96)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--solver", help="bench_solver")
    parser.add_argument("--problems", help="what bench/solver/problems.py wrote")
    parser.add_argument("--only", default="solver,identify,fleet")
    parser.add_argument("--json")
    options = parser.parse_args()
    inventory = subprocess.run([options.heft, "info"], capture_output=True, text=True).stdout
    if "backend cuda (" not in inventory:
        print(inventory + "no device answers")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory() as scratch:
        runs = Runs(options, scratch)
        for part in options.only.split(","):
            if part != "solver" or options.solver:
                getattr(runs, part)()
    return runs.report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
