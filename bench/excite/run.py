#!/usr/bin/env python3
"""Designs of excitation: how long they take, what they are worth as others compute it, whether their files keep the limits.

Usage: bench/excite/run.py [--heft build/heft] [--bench build/bench/excite/bench_excite] [--seeds 10] [--json F] [--docs]

Needs numpy, pin and example-robot-data 6.0.0 (PyPI) in the Python that runs it. Times are CPU time of one thread, from design.json.
--docs rewrites the table of docs/excitation.md. Exit codes: 0 all figures reached, 1 one missed, 77 nothing to run on.
"""
import argparse
import json
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
sys.path.insert(0, str(HERE))
import heft_bench  # noqa: E402

try:
    import setup
except ModuleNotFoundError as missing:
    print(f"skipped: {missing.name} is missing")
    sys.exit(heft_bench.NOTHING_TO_RUN_ON)

DOCS = heft_bench.ROOT / "docs" / "excitation.md"
BEGIN, END = "<!-- excite: begin -->", "<!-- excite: end -->"


def design(heft, robot, out, *flags):
    done = subprocess.run([heft, "excite", "--robot", robot, "--threads", "1", "--quiet", "--ignore-collisions", "--out", out, *map(str, flags)],
                          capture_output=True, text=True)
    if done.returncode not in (0, 1, 5):
        raise RuntimeError(done.stderr)
    return json.loads((pathlib.Path(out) / "design.json").read_text())


def panda(report, options, robots, scratch):
    urdf = scratch / "panda.urdf"
    urdf.write_text(setup.with_fixed_fingers((robots / "panda_description/urdf/panda.urdf").read_text()))
    limits = scratch / "limits.yaml"
    limits.write_text(setup.LIMITS)
    judge = setup.Setup(urdf)
    violations, seconds = 0, []
    for intervals, must, goal in ((20, 902, 904.5), (40, 905, 907)):
        values = []
        for seed in range(options.seeds):
            out = scratch / f"{intervals}_{seed}"
            found = design(options.heft, urdf, out, "--config", limits, "--duration", 10, "--intervals", intervals, "--starts", 8,
                           "--seed", seed, "--rate", 10000 if seed == 0 else 500)
            seconds.append(found["search"]["cpu_s"])
            value, ratio = judge.log_det(out / "trajectory.csv")
            values.append(value)
            violations += int(ratio > 1)
        report.add(f"log det by Pinocchio, spline of {intervals} intervals, median of {options.seeds} seeds",
                   float(statistics.median(values)), "nats", must=must, goal=goal)
    report.add("8 starts, 10 s, 7 joints, limits and proof, one core", statistics.median(seconds), "s", must=6, goal=2,
               smaller_is_better=True)
    report.add("designs of the Panda whose files break a limit, by Pinocchio", violations, "", must=0, goal=0, smaller_is_better=True)
    speeds = json.loads(subprocess.run([options.bench, urdf], capture_output=True, text=True, check=True).stdout)
    for samples, value, gradient, value_goal, gradient_goal in ((200, 12000, 3500, 16000, None), (1000, 2600, 700, 3500, None)):
        report.add(f"candidates a second a core, N = {samples}, value", speeds[f"value_{samples}"], "/s", must=value, goal=value_goal)
        report.add(f"candidates a second a core, N = {samples}, with gradient", speeds[f"gradient_{samples}"], "/s", must=gradient,
                   goal=gradient_goal)
        report.add(f"cost of a gradient in evaluations, N = {samples}", speeds[f"cost_{samples}"], "", must=5, goal=3,
                   smaller_is_better=True)
    report.add("gradient against differences", max(speeds["gradient_error_200"], speeds["gradient_error_1000"]), "", must=1e-6,
               goal=1e-8, smaller_is_better=True)


def humanoid(report, options, robots, scratch):
    """Hung by its pelvis: limits only."""
    found = design(options.heft, robots / "g1_description/urdf/g1_29dof_rev_1_0.urdf", scratch / "g1", "--duration", 20, "--starts", 8)
    report.add("g1, 29 joints hung, 20 s, 8 starts, limits alone, one core", found["search"]["cpu_s"], "s", must=900, goal=120,
               smaller_is_better=True)
    report.add("g1: feasible", float(found["status"] == "feasible"), "", must=1)


def write_docs(report):
    lines = ["| figure | value | must | goal |", "|---|---|---|---|"]
    for row in report.rows:
        cells = ["–" if row[key] is None else f"{row[key]:.4g}" for key in ("value", "must", "goal")]
        lines.append(f"| {row['name']} | {cells[0]} {row['unit']} | {cells[1]} | {cells[2]} |")
    text = DOCS.read_text()
    DOCS.write_text(re.sub(f"{BEGIN}.*{END}", lambda _: "\n".join([BEGIN, "", *lines, "", END]), text, flags=re.DOTALL))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--heft", default=str(heft_bench.ROOT / "build" / "heft"))
    parser.add_argument("--bench", default=str(heft_bench.ROOT / "build" / "bench" / "excite" / "bench_excite"))
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--json")
    parser.add_argument("--docs", action="store_true")
    options = parser.parse_args()
    robots = setup.robots_folder()
    if robots is None or not pathlib.Path(options.heft).exists() or not pathlib.Path(options.bench).exists():
        print("skipped: example-robot-data (PyPI), heft or bench_excite is missing")
        return heft_bench.NOTHING_TO_RUN_ON
    report = heft_bench.Report()
    with tempfile.TemporaryDirectory(prefix="heft-excite-") as folder:
        panda(report, options, robots, pathlib.Path(folder))
        humanoid(report, options, robots, pathlib.Path(folder))
    report.print()
    if options.json:
        report.write(options.json)
    if options.docs:
        write_docs(report)
    return report.exit_code()


if __name__ == "__main__":
    sys.exit(main())
