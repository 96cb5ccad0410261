#!/usr/bin/env python3
"""Designs of excitation: how long they take, what they are worth as others compute it, whether their files keep the limits.

Usage: bench/excite/run.py [--only PART,..] [--seeds 2] [--designs 5] [--robots 10] [--trees 5] [--json F] [--docs]

Parts: logdet, speed, collisions, humanoid, gradient, violations, worth, robust, trees, everyone. The defaults are quick; the figures of
docs/excitation.md take --seeds 10 --designs 100 --trees 100. Needs numpy, pin (with coal) and example-robot-data 6.0.0 (PyPI) in the Python that
runs it. Times are CPU time of one thread, from design.json. --docs rewrites the rows of docs/excitation.md that were measured.
Exit codes: 0 all figures reached, 1 one missed, 77 nothing to run on.
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import heft_bench  # noqa: E402

try:
    import numpy as np
    import setup
    import trees
    import violations
    import worth
except ModuleNotFoundError as missing:
    print(f"skipped: {missing.name} is missing")
    sys.exit(heft_bench.NOTHING_TO_RUN_ON)

DOCS = heft_bench.ROOT / "docs" / "excitation.md"
BEGIN, END = "<!-- excite: begin -->", "<!-- excite: end -->"
G1 = "g1_description/urdf/g1_29dof_rev_1_0.urdf"
ARMS = ("xarm_description/urdf/xarm7.urdf", "ur_description/urdf/ur5_robot.urdf", "ur_description/urdf/ur10_robot.urdf",
        "z1_description/urdf/z1.urdf")


class Bench:
    def __init__(self, options, robots, scratch):
        self.options, self.robots, self.scratch = options, robots, scratch
        self.report = heft_bench.Report(options.json)
        self.panda = scratch / "panda.urdf"
        self.panda.write_text(setup.with_fixed_fingers((robots / "panda_description/urdf/panda.urdf").read_text()))
        self.limits = scratch / "limits.yaml"
        self.limits.write_text(setup.LIMITS)
        self.packages = robots.parent.parent  # meshes are package://example-robot-data/..
        self.done = {}

    def design(self, name, robot, *flags, collisions=False):
        """design.json and its folder; a name is searched only once."""
        if name not in self.done:
            out = self.scratch / name
            words = [self.options.heft, "excite", "--robot", robot, "--threads", "1", "--quiet", "--out", out, *flags]
            words += ["--package-path", self.packages] if collisions else ["--ignore-collisions"]
            run = subprocess.run([str(word) for word in words], capture_output=True, text=True)
            if run.returncode not in (0, 1, 5) or not (out / "design.json").exists():
                raise RuntimeError(run.stderr)
            self.done[name] = json.loads((out / "design.json").read_text()), out
        return self.done[name]

    def panda_design(self, intervals, seed, objective="d"):
        return self.design(f"panda_{objective}_{intervals}_{seed}", self.panda, "--config", self.limits, "--duration", 10, "--intervals", intervals,
                           "--starts", 8, "--seed", seed, "--objective", objective, "--rate", 10000 if seed == 0 else 500)

    def logdet(self):
        judge, broken = setup.Setup(self.panda), 0
        for intervals, must, goal in ((20, 902, 904.5), (40, 905, 907)):
            values = []
            for seed in range(self.options.seeds):
                value, ratio = judge.log_det(self.panda_design(intervals, seed)[1] / "trajectory.csv")
                values.append(value)
                broken += int(ratio > 1)
            self.report.add(f"log det by Pinocchio, spline of {intervals} intervals, median of {self.options.seeds} seeds",
                            float(statistics.median(values)), "nats", must=must, goal=goal)
        self.report.add("of these designs, files that break a limit by Pinocchio", broken, "", must=0, goal=0, smaller_is_better=True)

    def speed(self):
        seconds = [self.panda_design(20, seed)[0]["search"]["cpu_s"] for seed in range(self.options.seeds)]
        self.report.add("8 starts, 10 s, 7 joints, limits and proof, one core", statistics.median(seconds), "s", must=6, goal=2,
                        smaller_is_better=True)

    def collisions(self):
        for name, robot, config in (("panda", self.panda, ["--config", self.limits]), ("xarm7", self.robots / ARMS[0], []),
                                    ("ur5", self.robots / ARMS[1], [])):
            found, out = self.design("apart_" + name, robot, *config, "--duration", 10, "--starts", 8, "--floor", -0.05, collisions=True)
            self.report.add(f"{name}: 8 starts with self-collision and floor, one core", found["search"]["cpu_s"] if found["status"] == "feasible" else None,
                            "s", must=30, goal=5, smaller_is_better=True)

    def humanoid(self):
        """The robot suspended by its pelvis."""
        found, out = self.design("g1", self.robots / G1, "--duration", 20, "--starts", self.options.humanoid_starts, collisions=True)
        self.report.add(f"g1, 29 joints hung, 20 s, {self.options.humanoid_starts} starts, limits and self-collision, one core",
                        found["search"]["cpu_s"], "s", must=900, goal=120, smaller_is_better=True)
        self.report.add("g1: feasible", float(found["status"] == "feasible"), "", must=1)
        if found["status"] == "feasible":
            peer = violations.clearance(self.robots / G1, out, self.packages, every=4)
            self.report.add("g1: least clearance by coal, 25 postures a second", peer["value"], "m", must=0)

    def gradient(self):
        speeds = json.loads(subprocess.run([self.options.bench, self.panda], capture_output=True, text=True, check=True).stdout)
        for samples, value, gradient, value_goal in ((200, 12000, 3500, 16000), (1000, 2600, 700, 3500)):
            self.report.add(f"candidates per second and core, N = {samples}, value", speeds[f"value_{samples}"], "/s", must=value, goal=value_goal)
            self.report.add(f"candidates per second and core, N = {samples}, with gradient", speeds[f"gradient_{samples}"], "/s", must=gradient)
            self.report.add(f"cost of a gradient in evaluations, N = {samples}", speeds[f"cost_{samples}"], "", must=5, goal=3, smaller_is_better=True)
        self.report.add("gradient against differences", max(speeds["gradient_error_200"], speeds["gradient_error_1000"]), "", must=1e-6, goal=1e-8,
                        smaller_is_better=True)

    def violations(self):
        """Panda, xArm 7, UR5, UR10 and Z1 in turn, with another seed each time."""
        robots = [("panda", self.panda, ["--config", self.limits])] + [(pathlib.Path(path).stem, self.robots / path, []) for path in ARMS]
        broken, meetings, unproved, torques, clearances, infeasible = [], [], 0, 0, 0, 0
        for i in range(self.options.designs):
            name, robot, config = robots[i % len(robots)]
            found, out = self.design(f"kept_{i}", robot, *config, "--duration", 8, "--starts", 1, "--seed", i, "--floor", -0.05, "--rate", 10000,
                                     collisions=True)
            if found["status"] != "feasible":
                infeasible += 1
                continue
            ratio, which = violations.worst_ratio(robot, out, **(setup.GIVEN_LIMITS if name == "panda" else {}))
            if ratio > 1:
                broken.append(f"{name} {i}: {which} {ratio:.6f}")
            unproved += int(any(not use["proved"] for use in found["limits"] if use["name"] != "torque"))
            torques += int(all(use["proved"] for use in found["limits"] if use["name"] == "torque"))
            clearances += int(found["min_clearance"]["proved"])
            peer = violations.clearance(robot, out, self.packages, every=10 * self.options.coarser, floor=-0.05)
            # coal leaves out fewer pairs than Heft says that it leaves out
            if peer["value"] <= 0 and not any(all(link in note for link in peer["pair"]) for note in found["assumed"]):
                meetings.append(f"{name} {i}: {peer['pair']} at {peer['at_s']} s")
            (out / "trajectory.csv").unlink()
        count = self.options.designs - infeasible
        label = f"{count} designs on {min(count, len(robots))} robots"
        self.report.add(f"{label}: files that break a limit of the robot file at 10 kHz, by numpy and Pinocchio", len(broken), "", must=0, smaller_is_better=True)
        self.report.add(f"{label}: hulls that meet, every {self.options.coarser} ms by coal", len(meetings), "", must=0, smaller_is_better=True)
        self.report.add(f"{label}: without proof of q, qd, qdd or jerk", unproved, "", must=0, smaller_is_better=True)
        self.report.add(f"{label}: torque proved", torques / max(1, count), "", goal=1)
        self.report.add(f"{label}: clearance proved", clearances / max(1, count), "", goal=1)
        for line in broken + meetings:
            print(line)

    def worth(self):
        judge = setup.Setup(self.panda)
        robots = worth.Robots(judge, self.options.robots)
        random = np.random.default_rng(5)
        def median(motions):
            """Errors of all base parameters, of the identifiable ones, and of torques."""
            return np.median([robots.errors(motion) for motion in motions], axis=0)
        series = {each_joint: median([worth.random_fourier(judge, random, each_joint) for _ in range(5)]) for each_joint in (False, True)}
        seeds = range(min(3, self.options.seeds))
        found = {objective: median([worth.read_motion(self.panda_design(20, seed, objective)[1] / "trajectory.csv") for seed in seeds])
                 for objective in ("d", "condition")}
        count = f"{self.options.robots} robots"
        reach = f"the {int(robots.in_reach.sum())} of {len(robots.in_reach)} base parameters in reach"
        self.report.add(f"error of {reach}, random Fourier", float(series[False][1]), "prior sd")
        self.report.add("held-out torque error, random Fourier", float(series[False][2]), "residual rms")

        def less(place, than):
            return 100 * float(1 - found["d"][place] / than[place])
        self.report.add(f"error of {reach} less than random Fourier's, {count}", less(1, series[False]), "%", must=30, goal=40)
        self.report.add(f"error of all {len(robots.in_reach)} base parameters less than random Fourier's, {count}", less(0, series[False]), "%", must=30, goal=40)
        scattered = median([worth.scattered(judge, random) for _ in range(3)])
        self.report.add(f"error of all {len(robots.in_reach)} base parameters less than random Fourier's, for the same number of random states, which no motion reaches", 100 * float(1 - scattered[0] / series[False][0]), "%")
        self.report.add(f"held-out torque error less than random Fourier's, {count}", less(2, series[False]), "%", must=20, goal=25)
        self.report.add(f"error of {reach} less than that of random Fourier whose every joint is at a limit of its own", less(1, series[True]), "%")
        self.report.add("held-out torque error less than that of random Fourier whose every joint is at a limit of its own", less(2, series[True]), "%")
        self.report.add("held-out torque error less than that of designs by condition number", less(2, found["condition"]), "%", must=15)

    def robust(self):
        judge = setup.Setup(self.panda)
        limits = self.scratch / "robust.yaml"
        limits.write_text(setup.LIMITS.replace("torque: {scale: 0.85, deviations: 0}", "torque: {scale: 1}"))
        _, out = self.design("robust", self.panda, "--config", limits, "--duration", 10, "--intervals", 20, "--starts", 4, "--rate", 100)
        count = worth.exceeding(judge, worth.read_motion(out / "trajectory.csv"), 100, 0.25, judge.model.effortLimit)
        self.report.add("of 100 robots 25 % off their file, exceed a torque limit", count, "", must=1, goal=0, smaller_is_better=True)

    def trees(self):
        random, paths, feasible, gained = np.random.default_rng(17), [], 0, []
        for i in range(self.options.trees):
            paths.append(self.scratch / f"tree_{i}.urdf")
            paths[-1].write_text(trees.random_tree(random, f"tree_{i}"))
        study = json.loads(subprocess.run([self.options.bench, "--study", *paths], capture_output=True, text=True, check=True).stdout)
        for i, urdf in enumerate(paths):
            found, _ = self.design(f"tree_design_{i}", urdf, "--duration", 5, "--starts", 1)
            feasible += int(found["status"] == "feasible")
            gained.append(found["log_det"] - found["log_det_prior"])
        label = f"{self.options.trees} random trees"
        self.report.add(f"{label}: gradient against differences in one batch of motions, the worst", study["gradient_error"], "", must=1e-6, goal=1e-8,
                        smaller_is_better=True)
        self.report.add(f"{label}: motions scored per second by one thread", study["motions_a_second"], "/s")
        self.report.add(f"{label}: feasible with one start", feasible / max(1, self.options.trees), "", must=0.95)
        self.report.add(f"{label}: log det gained, median", float(np.median(gained)), "nats")

    def everyone(self):
        """Every robot file of example-robot-data, with one start of at most --seconds-each and a floating base suspended; with --shapes
        also shapes. A rejected file must be one for which no design is possible, and the message must say how to fix it."""
        files = sorted(path for path in self.robots.rglob("*.urdf"))
        kinds = {"feasible": 0, "infeasible": 0, "budget": 0, "refused": 0}
        silent, assumed = [], 0
        for i, robot in enumerate(files):
            out = self.scratch / f"one_{i}"
            words = [self.options.heft, "excite", "--robot", robot, "--threads", "1", "--quiet", "--out", out, "--duration", 5, "--starts", 1, "--rate", 50,
                     "--base", "hung", "--time-budget", self.options.seconds_each]
            words += ["--package-path", self.packages] if self.options.shapes else ["--ignore-collisions"]
            run = subprocess.run([str(word) for word in words], capture_output=True, text=True)
            if (out / "design.json").exists():
                found = json.loads((out / "design.json").read_text())
                kinds[found["status"]] += 1
                assumed += int(any("because the robot file has" in note or "position limit is missing" in note for note in found["assumed"]))
                if found["status"] != "feasible":
                    print(f"{robot.name}: {found['status']}: {found['infeasible_because']}")
            else:
                kinds["refused"] += 1
                print(f"{robot.name}: {run.stderr.strip()}")
            if run.returncode not in (0, 1, 5) or (run.returncode == 1 and not (out / "design.json").exists() and "remedy:" not in run.stderr):
                silent.append(f"{robot.name}: code {run.returncode}: {run.stderr[-200:]}")
        label = f"of {len(files)} example robots{', shapes too' if self.options.shapes else ''}"
        self.report.add(f"{label}: crashes, and refusals without a remedy", len(silent), "", must=0, smaller_is_better=True)
        for kind, count in kinds.items():
            self.report.add(f"{label}: {kind}", count, "")
        self.report.add(f"{label}: with limits that were missing, zero or without end, as said", assumed, "")
        for line in silent:
            print(line)


PARTS = ("logdet", "speed", "collisions", "humanoid", "gradient", "violations", "worth", "robust", "trees", "everyone")


def write_docs(report):
    """Rows by name; those that were not measured this time are kept."""
    text = DOCS.read_text()
    head, old, tail = text.partition(BEGIN)[0], text.partition(BEGIN)[2].partition(END)[0], text.partition(END)[2]
    lines = {line.split("|")[1].strip(): line for line in old.splitlines() if line.startswith("| ") and "figure | value" not in line}
    for row in report.rows:
        cells = ["–" if row[key] is None else f"{row[key]:.4g}" for key in ("value", "must", "goal")]
        lines[row["name"]] = f"| {row['name']} | {cells[0]} {row['unit']} | {cells[1]} | {cells[2]} |"
    DOCS.write_text("\n".join([head + BEGIN, "", "| figure | value | must | goal |", "|---|---|---|---|", *lines.values(), "", END + tail]))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heft", default=str(heft_bench.ROOT / "build" / "heft"))
    parser.add_argument("--bench", default=str(heft_bench.ROOT / "build" / "bench" / "excite" / "bench_excite"))
    parser.add_argument("--only", default=",".join(PARTS), help="parts, with commas between")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--designs", type=int, default=5)
    parser.add_argument("--robots", type=int, default=10)
    parser.add_argument("--trees", type=int, default=5)
    parser.add_argument("--humanoid-starts", type=int, default=1)
    parser.add_argument("--seconds-each", type=float, default=15, help="of each of all example robots")
    parser.add_argument("--shapes", action="store_true", help="all example robots keep their links apart too")
    parser.add_argument("--coarser", type=int, default=10, help="hulls are looked at every so many ms")
    parser.add_argument("--json")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    parts = options.only.split(",")
    if unknown := set(parts) - set(PARTS):
        parser.error(f"no part {', '.join(sorted(unknown))}: there are {', '.join(PARTS)}")
    robots = setup.robots_folder()
    if robots is None or not pathlib.Path(options.heft).exists() or not pathlib.Path(options.bench).exists():
        print("skipped: example-robot-data (PyPI), heft or bench_excite is missing")
        return heft_bench.NOTHING_TO_RUN_ON
    with tempfile.TemporaryDirectory(prefix="heft-excite-") as folder:
        bench = Bench(options, robots, pathlib.Path(folder))
        for part in parts:
            getattr(bench, part)()
    report = bench.report
    if options.docs:
        write_docs(report)
    return report.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
