#!/usr/bin/env python3
"""How often the intervals of result.json contain the truth, on simulated robots whose truth is known.

Usage: bench/coverage/run.py [--heft build/heft] [--before old/heft] [--runs 20] [--cells TEXT] [--halves] [--json FILE]

robots.py simulates every robot, motion and noise in numpy and shares no line with Heft. A cell is a robot, a noise, a
duration and a cutoff; its logs are identified with a robot file that is 5, 20 and 50 % off. --before names an older
program: widths and times are then relative to it. With HEFT_DATA, halves of real logs are compared with their claims.
Exit code 1 if a figure misses what it must reach; they are meant for at least 20 runs.
"""

import argparse
import collections
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402

RATE = 200
NOISE = 0.05  # of the rms torque of a joint, before the low-pass
CAD_ERRORS = (0.05, 0.2, 0.5)
Cell = collections.namedtuple("Cell", "robot color seconds cutoff")
CELLS = [Cell("arm6", color, seconds, 10) for seconds in (5, 20, 60) for color in ("white", "colored")] + [
    Cell("arm6", "white", 20, 5), Cell("arm6", "white", 20, 20), Cell("arm7", "white", 20, 10), Cell("arm7", "colored", 20, 10),
    Cell("payload", "white", 20, 10), Cell("humanoid", "white", 20, 10), Cell("humanoid", "colored", 60, 10),
    Cell("thin", "white", 20, 10)]
REAL = [("staubli_tx40", ["log_train"]), ("kuka_kr300", ["log_train_A"]), ("kuka_kr300", ["log_train_B"]), ("franka_panda", ["log_train"])]


def name_of(cell):
    return f"{cell.robot}, {cell.color} noise, {cell.seconds} s, {cell.cutoff} Hz"


def heft(program, *arguments, allowed=(0,)):
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode not in allowed:
        sys.exit(f"heft {arguments[0]} failed: {done.stdout[-2000:]} {done.stderr}")


def identify(program, robot, logs, folder, configuration, *more):
    """result.json and the seconds of the run."""
    start = time.perf_counter()
    # 3 and 4: answers without a certificate or with a doubt have intervals, too
    heft(program, "identify", "--quiet", "--robot", robot, *sum((["--log", log] for log in logs), []), "--config", configuration,
         "--out", folder / "result", *more, allowed=(0, 3, 4))
    return json.loads((folder / "result" / "result.json").read_text()), time.perf_counter() - start


class Simulation:
    """One robot with its log and the truth of every parameter and base parameter."""

    def __init__(self, program, cell, seed, folder):
        import numpy as np
        import robots
        self.random = np.random.default_rng([seed, *map(ord, cell.robot + cell.color), cell.seconds])
        robot = {"humanoid": robots.humanoid, "thin": robots.thin_arm, "arm7": lambda random: robots.arm(random, 7)}.get(
            cell.robot, lambda random: robots.arm(random, 6))(self.random)
        self.known = robot  # what a robot file may know
        self.robot = robots.with_payload(robot, self.random) if cell.robot == "payload" else robot
        t, q, qd, qdd = robots.motion(self.random, robot.size, cell.seconds, RATE)
        tau = robots.torques(self.robot, q, qd, qdd)
        tau += robots.noise(self.random, tau, RATE, NOISE, cell.color)
        q = q + 1e-5 * self.random.normal(size=q.shape)
        joints = [f"j{k + 1}" for k in range(robot.size)]
        header = ",".join(["t", *(f"q_{name}" for name in joints), *(f"tau_{name}" for name in joints)])
        self.log = folder / "log.csv"
        np.savetxt(self.log, np.column_stack([t, q, tau]), fmt="%.10g", delimiter=",", header=header, comments="")
        self.configuration = folder / "robot.yaml"
        self.configuration.write_text(f"conditioning: {{lowpass_hz: {cell.cutoff}}}\n"
                                      f"columns: [viscous, coulomb: {{tanh_width: {robots.TANH_WIDTH}}}]\n"
                                      "log: {position: \"q_{joint}\", torque: \"tau_{joint}\"}\n")
        self.truth = {f"l{k + 1}.{name}": value for k, body in enumerate(self.robot.parameters)
                      for name, value in zip(robots.NAMES, body)}
        for k, joint in enumerate(joints):
            self.truth[f"viscous {joint}"] = self.robot.viscous[k]
            self.truth[f"coulomb {joint}"] = self.robot.coulomb[k]
        self.urdf = folder / "robot.urdf"
        self.write_file(0)
        heft(program, "observe", self.urdf, "--json", folder / "observe.json")
        self.base = [sum(coefficient * self.truth["{1}.{0}".format(*label.split("_", 1))] for label, coefficient in combination.items())
                     for combination in json.loads((folder / "observe.json").read_text())["identifiable"]]

    def write_file(self, error):
        import robots
        self.urdf.write_text(robots.urdf(self.known, robots.cad_of(self.known, self.random, error)))


class Count:
    """Intervals that contain the truth, by kind, with the share of every run for a standard error."""

    def __init__(self):
        self.runs = collections.defaultdict(list)

    def add(self, kind, hits):
        if hits:
            self.runs[kind].append((sum(hits), len(hits)))

    def share(self, kind):
        held, total = (sum(column) for column in zip(*self.runs[kind])) if self.runs[kind] else (0, 0)
        return 100 * held / total if total else None

    def standard_error(self, kind):
        shares = [100 * held / total for held, total in self.runs[kind]]
        return statistics.stdev(shares) / len(shares) ** 0.5 if len(shares) > 1 else None

    def merge(self, other):
        for kind, runs in other.runs.items():
            self.runs[kind] += runs


def judged(result, simulation, suffix=""):
    """Per kind of interval whether each contains the truth, and the width of those that do, by name."""
    hits, widths = collections.defaultdict(list), {}
    uncertainty = result["uncertainty"]
    num_base = len(simulation.base)
    for at, quantity in enumerate(uncertainty["base_parameters"]):
        if quantity["half_width"] is None or (at >= num_base and quantity["name"] not in simulation.truth):
            continue  # the latter: columns that --columns auto chose, whose truth is unknown
        value = simulation.base[at] if at < num_base else simulation.truth[quantity["name"]]
        held = abs(quantity["estimate"] - value) <= quantity["half_width"]
        hits[("base" if at < num_base else "friction") + suffix].append(held)
        if held:
            widths["base", quantity["name"]] = 2 * quantity["half_width"]
    for parameter in uncertainty["parameters"]:
        if parameter["interval"] is None or parameter["name"] not in simulation.truth or " " in parameter["name"]:
            continue  # columns count as friction
        low, high = parameter["interval"]
        held = low <= simulation.truth[parameter["name"]] <= high
        hits["single" + suffix].append(held)
        if held:
            widths["single", parameter["name"]] = high - low
    return hits, widths


class Bench:
    def __init__(self, options, report):
        self.options, self.report = options, report
        self.total, self.by_cutoff, self.worst = Count(), collections.defaultdict(Count), []
        self.widths, self.times = [], []

    def run(self, cell):
        count, by_error = Count(), {error: Count() for error in CAD_ERRORS}
        for seed in range(self.options.runs):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                simulation = Simulation(self.options.heft, cell, seed, folder)
                for error in CAD_ERRORS:
                    simulation.write_file(error)
                    self.one(simulation, folder, [count, by_error[error], self.by_cutoff[cell.cutoff]], seed)
        self.show(name_of(cell), count)
        for error, of_error in by_error.items():
            self.worst.append((of_error.share("single"), f"single parameters of {name_of(cell)}, robot file {100 * error:g} % off"))
            print(f"    robot file {100 * error:g} % off: single {self.words(of_error, 'single')}, 68 % {self.words(of_error, 'single 68')}")
        self.worst.append((count.share("base"), f"base parameters of {name_of(cell)}"))
        self.worst.append((count.share("friction"), f"friction of {name_of(cell)}"))
        self.total.merge(count)

    def one(self, simulation, folder, counts, seed):
        arguments = (simulation.urdf, [simulation.log], folder, simulation.configuration)
        result, seconds = identify(self.options.heft, *arguments)
        hits, widths = judged(result, simulation)
        narrow, _ = identify(self.options.heft, *arguments, "--estimation.confidence", 0.68, "--estimation.bootstrap", 0) \
            if seed % 2 == 0 else (None, 0)
        if narrow:
            hits.update(judged(narrow, simulation, " 68")[0])
        for count in counts:
            for kind, held in hits.items():
                count.add(kind, held)
        if self.options.before:
            before, seconds_before = identify(self.options.before, *arguments)
            _, widths_before = judged(before, simulation)
            self.times.append(seconds / seconds_before)
            self.widths += [widths[name] / width for name, width in widths_before.items() if name in widths and width > 0]

    @staticmethod
    def words(count, kind):
        share, error = count.share(kind), count.standard_error(kind)
        return "-" if share is None else f"{share:.1f}" + (f" -+ {error:.1f}" if error is not None else "")

    def show(self, label, count):
        print(f"{label}: base {self.words(count, 'base')}, single {self.words(count, 'single')}, friction {self.words(count, 'friction')}; "
              f"68 %: base {self.words(count, 'base 68')}, single {self.words(count, 'single 68')}", flush=True)

    def columns_chosen(self):
        count = Count()
        for seed in range(max(10, self.options.runs // 4)):
            with tempfile.TemporaryDirectory() as scratch:
                folder = pathlib.Path(scratch)
                simulation = Simulation(self.options.heft, Cell("arm6", "white", 20, 10), 1000 + seed, folder)
                simulation.write_file(0.2)
                result, _ = identify(self.options.heft, simulation.urdf, [simulation.log], folder, simulation.configuration,
                                     "--columns", "auto")
                hits, _ = judged(result, simulation)
                count.add("all", hits["base"] + hits["single"] + hits["friction"])
        self.report.add("after --columns auto", count.share("all"), "%", must=92, goal=94.5)

    def finish(self):
        total = self.total
        for kind, title in (("base", "base parameters"), ("single", "single parameters not set by the prior"), ("friction", "friction")):
            self.report.add(f"95 % intervals that contain the truth: {title}", total.share(kind), "%", must=93, goal=94.5,
                            standard_error=total.standard_error(kind))
        for cutoff, count in sorted(self.by_cutoff.items()):
            self.report.add(f"friction at a cutoff of {cutoff} Hz", count.share("friction"), "%", must=93, goal=94.5,
                            standard_error=count.standard_error("friction"))
        known = [(share, label) for share, label in self.worst if share is not None]
        if known:
            share, label = min(known)
            self.report.add(f"worst cell ({label})", share, "%", must=88, goal=92)
        for kind in ("base 68", "single 68"):
            share = total.share(kind)
            self.report.add(f"68 % intervals that contain the truth, at least: {kind.split()[0]}", share, "%", must=65)
            self.report.add(f"68 % intervals that contain the truth, at most: {kind.split()[0]}", share, "%", must=72, smaller_is_better=True)
        if self.widths:
            self.report.add("median width relative to before, where those hold", statistics.median(self.widths), "", must=1.3, goal=1, smaller_is_better=True)
            self.report.add("median time relative to before, 200 resamples", statistics.median(self.times), "", must=1.3, goal=1, smaller_is_better=True)


def rms(numbers):
    return statistics.mean(x * x for x in numbers) ** 0.5


def halves_of_real_logs(options, report):
    """Estimates from halves of real logs: rms of their differences over the claimed standard error, base parameters and friction."""
    data = pathlib.Path(os.environ.get("HEFT_DATA", heft_bench.ROOT.parent / "shared" / "data"))
    for name, logs in REAL:
        files = [data / name / f"{log}.csv" for log in logs]
        if not all(file.exists() for file in files):
            print(f"not compared, since {files[0]} is not there")
            continue
        with tempfile.TemporaryDirectory() as scratch:
            folder = pathlib.Path(scratch)
            lines = files[0].read_text().splitlines(keepends=True)
            middle = (len(lines) + 1) // 2
            arguments = (folder, HERE.parent / "real_logs" / f"{name}.yaml", "--estimation.bootstrap", 0)
            whole = identify(options.heft, data / name / "robot.urdf", files, *arguments)[0]["uncertainty"]["calibration"]
            results = []
            for part in (lines[1:middle], lines[middle:]):
                log = folder / "half.csv"
                log.write_text(lines[0] + "".join(part))
                results.append(identify(options.heft, data / name / "robot.urdf", [log], *arguments)[0]["uncertainty"])
            pairs = zip(*(result["base_parameters"] for result in results), strict=True)
            ratios = [(a["estimate"] - b["estimate"]) * 1.96 / (a["half_width"] ** 2 + b["half_width"] ** 2) ** 0.5 for a, b in pairs
                      if a["half_width"] and b["half_width"]]
        label = f"halves of {name} {'+'.join(logs)}: rms difference over the claim"
        if ratios:
            report.add(f"{label} of each half", rms(ratios), "", must=1.2, smaller_is_better=True)
        else:
            print(f"{label} of each half: not compared, since half a log has no intervals")
        report.add(f"{label} of the whole log, after calibration", whole["ratio"] / whole["widened_by"], "", must=1.2, smaller_is_better=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft", type=pathlib.Path)
    parser.add_argument("--before", type=pathlib.Path, help="an older program to compare widths and times with")
    parser.add_argument("--runs", type=int, default=20, help="per cell")
    parser.add_argument("--cells", default="", help="only cells whose name contains this")
    parser.add_argument("--halves", action="store_true", help="only the halves of real logs")
    parser.add_argument("--json", help="file for the figures")
    options = parser.parse_args()
    heft_bench.require(modules=["numpy"], files=[options.heft], remedy="build heft, or name it with --heft")
    report = heft_bench.Report()
    if options.halves:
        halves_of_real_logs(options, report)
        sys.exit(report.finish(options.json) if report.rows else heft_bench.NOTHING_TO_RUN_ON)
    bench = Bench(options, report)
    for cell in CELLS:
        if options.cells in name_of(cell):
            bench.run(cell)
    bench.finish()
    if not options.cells:
        bench.columns_chosen()
        halves_of_real_logs(options, report)
    sys.exit(report.finish(options.json))


if __name__ == "__main__":
    main()
