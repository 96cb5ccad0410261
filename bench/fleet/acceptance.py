#!/usr/bin/env python3
"""Speedup of a newer build over an older one (fleets, single robots, stores), and of the newer one over Pinocchio and Clarabel.

Usage: bench/fleet/acceptance.py OLD/heft NEW/heft [--quick] [--only NAMES] [--robots N] [--peers N] [--rounds N]
                                 [--rows N] [--data DIR] [--scratch DIR] [--json FILE]

NAMES: first, store, peer, panda, million, diagnosis, incremental, separated by commas; default: all. Builds run in turn; a figure is the
median of the ratios of the rounds. `wall` is elapsed time, meaningful on two idle cores; `processor` is user and system time, which other
load changes less. `first` are first runs of a fleet, from CSV and NPY logs, with the default 200 resamples and without; `peer` needs pin,
clarabel, scipy and joblib; `panda` needs franka_panda/ in DIR (HEFT_DATA); all but `first` from CSV need numpy. --quick: fewer robots and
rounds, a few minutes on two idle cores. Exit codes: 0 all musts reached, 1 one missed, 77 a program is missing.
"""
import argparse
import importlib.util
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
import run  # noqa: E402

MEGABYTE = 1e6
ANSWERED = (0, 3, 4)  # exit codes with a result: certified, not certified, in doubt


def measured(work):
    """Wall and processor seconds of a function's child processes."""
    of_children = lambda: sum(resource.getrusage(resource.RUSAGE_CHILDREN)[:2])
    wall, processor = time.monotonic(), of_children()
    work()
    return {"wall": time.monotonic() - wall, "processor": of_children() - processor}


class Acceptance:
    def __init__(self, programs, scratch, options):
        self.options = options
        self.builds = [run.Bench(program, scratch) for program in programs]
        self.new = self.builds[-1]
        self.scratch = pathlib.Path(scratch).resolve()
        self.report = heft_bench.Report(options.json)
        self.npy = None

    def compare(self, name, work, must=None, goal=None):
        """Times `work(bench)` of both builds in alternation."""
        rounds = []
        for turn in range(self.options.rounds):
            seconds = {}
            for k in (0, 1)[::-1 if turn % 2 else 1]:
                seconds[k] = measured(lambda: work(self.builds[k]))
            rounds.append(seconds)
        for kind in ("wall", "processor"):
            old, new = (statistics.median(seconds[k][kind] for seconds in rounds) for k in (0, 1))
            self.report.add(f"{name}: old over new, {kind}", statistics.median(r[0][kind] / r[1][kind] for r in rounds), "x",
                            must=must if kind == "wall" else None, goal=goal if kind == "wall" else None, old_s=old, new_s=new)
            row = self.report.rows[-1]
            print(f"{row['name']}: {row['value']:.2f} ({old:.3f} s, {new:.3f} s)", flush=True)

    def add(self, name, value, unit, **more):
        self.report.add(name, value, unit, **more)
        print(f"{name}: {value:.3f} {unit}", flush=True)

    def npy_fleet(self, robots, bootstrap, seeks="true"):
        """A manifest of the first robots with NPY logs."""
        if self.npy is None:
            folder = self.new.fresh("npy")
            self.npy = folder, *self.new.npy_logs(folder, max(self.options.robots, self.options.peers))
        folder, rows, names = self.npy
        self.new.write_configuration(folder, names, bootstrap, seeks)
        manifest = folder / "fleet.csv"
        manifest.write_text("\n".join(rows[:1 + 3 * robots]) + "\n")
        return manifest

    def first(self):
        robots = self.options.robots
        manifest = self.new.manifest(robots, "first")
        self.compare(f"first run of {robots} robots, CSV", lambda bench: bench.run(manifest, self.new.fresh("first")), 2, 3)
        if has("numpy"):
            for bootstrap, words in ((200, ""), (0, " without resamples")):
                manifest = self.npy_fleet(robots, bootstrap)
                self.compare(f"first run of {robots} robots, NPY{words}", lambda bench: bench.run(manifest, self.new.fresh("first")), 2, 3)

    def store(self):
        """Bytes of files, without results and reports."""
        robots, sizes = 24, []
        manifest = self.new.manifest(robots, "store")
        for k, bench in enumerate(self.builds):
            store = self.new.fresh(f"store{k}")
            bench.run(manifest, store)
            sizes.append(sum(path.stat().st_size for path in store.rglob("*")
                             if path.is_file() and path.relative_to(store).parts[0] != "results") / robots / MEGABYTE)
        self.add("store per robot without results/", sizes[1], "MB", must=0.6, goal=0.15, smaller_is_better=True, old=sizes[0])

    def peer(self):
        if not has("joblib", "clarabel", "pinocchio", "scipy", "numpy"):
            return
        for bootstrap, robots, must, goal in ((0, self.options.peers, 10.5, 18), (200, self.options.peers // 2, 43, 70)):
            manifest, ratios = self.npy_fleet(robots, bootstrap), []
            for _ in range(self.options.peer_rounds):
                own, _ = self.new.run(manifest, self.new.fresh("peer"))
                ratios.append(self.new.peer_loop(manifest, bootstrap)["seconds"] / own)
            self.add(f"joblib, Pinocchio and Clarabel, {f'{bootstrap} resamples' if bootstrap else 'no intervals'}, {robots} robots, "
                     "against new with diagnosis: wall", statistics.median(ratios), "x", must=must, goal=goal)

    def identify(self, *words):
        return lambda bench: bench.call("identify", *words, "--out", self.new.fresh("out"), codes=ANSWERED)

    def panda_arguments(self):
        logs = self.options.data / "franka_panda"
        if not logs.exists():
            print(f"skipped: {logs} is missing (HEFT_DATA)", flush=True)
            return None
        return ("--robot", logs / "robot.urdf", "--config", HERE.parent / "real_logs" / "franka_panda.yaml", "--log",
                logs / "log_train.csv", "--validate", logs / "log_valid.csv")

    def panda(self):
        if (arguments := self.panda_arguments()) is not None:
            self.compare("heft identify, 21 s of the Panda", self.identify(*arguments), 1.5, 2.5)

    def million(self):
        """Rows of the demo arm at 100 Hz in one log."""
        if not has("numpy"):
            return
        import numpy as np
        rows, folder = self.options.rows, self.scratch / "million"
        subprocess.run([self.new.heft, "simulate", "--robot", run.ARM, "--duration", str(rows / 100), "--held-out", "1", "--rate", "100",
                        "--seed", "3", "--out", folder], check=True, capture_output=True)
        table = folder / "train.csv"
        with table.open() as file:
            names = file.readline().strip().split(",")
            np.save(self.scratch / "million.npy", np.loadtxt(file, delimiter=","))
        configuration = self.scratch / "million.yaml"
        configuration.write_text(f"log: {{columns: [{', '.join(names)}]}}\n")
        self.compare(f"heft identify, {rows} rows, CSV", self.identify("--robot", run.ARM, "--log", table), 2, 4)
        self.compare(f"heft identify, {rows} rows, NPY", self.identify(
            "--robot", run.ARM, "--config", configuration, "--log", self.scratch / "million.npy"), 2, 4)

    def diagnosis(self):
        """Time of the fault tests relative to the rest: for the Panda from the timings of heft identify, as in bench/faults/run.py; for
        fleets, whose logs are short, from runs without the tests."""
        if (arguments := self.panda_arguments()) is not None:
            shares = []
            for _ in range(self.options.rounds):
                out = self.new.fresh("out")
                self.new.call("identify", *arguments, "--threads", 1, "--out", out, codes=ANSWERED)
                timings = {name: one["value"] for name, one in json.loads((out / "result.json").read_text())["timings"].items()}
                shares.append(100 * timings["evidence"] / (sum(timings.values()) - timings["evidence"]))
            self.add("diagnosis, on top of the rest of heft identify, the Panda", statistics.median(shares), "%", must=15, goal=10,
                     smaller_is_better=True)
        if not has("numpy"):
            return
        ratios = []
        for turn in range(self.options.rounds):
            seconds = {}
            for seeks in ("true", "false")[::-1 if turn % 2 else 1]:
                manifest = self.npy_fleet(self.options.robots, 200, seeks)
                seconds[seeks] = measured(lambda: self.new.run(manifest, self.new.fresh("diagnosis")))["processor"]
            ratios.append(seconds["true"] / seconds["false"])
        self.add("diagnosis, on top of the rest of a fleet's robot, processor", 100 * (statistics.median(ratios) - 1), "%")

    def incremental(self):
        self.new.incremental(argparse.Namespace(robots=334))
        for row in self.new.report.rows:
            self.report.rows.append(row)
            print(f"{row['name']}: {row['value']:.4g} {row['unit']}", flush=True)


def has(*modules):
    missing = [name for name in modules if importlib.util.find_spec(name) is None]
    if missing:
        print(f"skipped: {sys.executable} has no {', '.join(missing)}", flush=True)
    return not missing


PARTS = ("first", "store", "panda", "million", "diagnosis", "peer", "incremental")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=pathlib.Path)
    parser.add_argument("new", type=pathlib.Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--robots", type=int)
    parser.add_argument("--rounds", type=int)
    parser.add_argument("--peers", type=int, help="robots beside Pinocchio and Clarabel; half of them with resamples")
    parser.add_argument("--rows", type=int, default=1_000_000, help="of `million`")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("HEFT_DATA", heft_bench.ROOT.parent / "shared" / "data"))
    parser.add_argument("--scratch", help="folder for logs and stores, kept; default: one that is removed")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.data = pathlib.Path(options.data)
    options.robots = options.robots or (40 if options.quick else 2000)
    options.rounds = options.rounds or (3 if options.quick else 5)
    options.peers = options.peers or (24 if options.quick else 96)
    options.peer_rounds = 1 if options.quick else 3
    programs = [options.old.resolve(), options.new.resolve()]
    for program in programs:
        if not program.exists():
            print(f"skipped: {program} is not there")
            return heft_bench.NOTHING_TO_RUN_ON
    parts = options.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"there is no part {', '.join(sorted(unknown))}: {', '.join(PARTS)}")
    if options.quick and options.only == parser.get_default("only"):
        parts.remove("incremental")  # waits for the disk nine times
    with tempfile.TemporaryDirectory(prefix="heft-acceptance-") as scratch:
        acceptance = Acceptance(programs, options.scratch or scratch, options)
        for part in parts:
            getattr(acceptance, part)()
        print()
        return acceptance.report.finish(options.json, programs=[str(program) for program in programs])


if __name__ == "__main__":
    sys.exit(main())
