#!/usr/bin/env python3
"""What the solver must reach: single plain solves, second-order cones beside Clarabel, intervals and --columns auto on two threads.

    bench/solver/run.py [--build build] [--only plain,second-order,threads] [--count 200] [--before HEFT] [--json FILE]

plain and second-order need numpy, scipy and Pinocchio, second-order Clarabel too: problems are those of problems.py. Times are
thread CPU time of the solve alone, medians over problems; `threads` is wall clock, on otherwise idle cores.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "bench"), str(ROOT / "bench/solver")]

import heft_bench  # noqa: E402


def heft_answers(build, problems):
    """The output of bench_solver for each problem, by method."""
    import problems as P

    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/problems.bin"
        P.write(path, problems)
        run = subprocess.run([build / "bench/solver/bench_solver", path, "--single"], check=True, capture_output=True)
    return [{solver["name"]: solver for solver in answer["solvers"]} for answer in json.loads(run.stdout)["problems"]]


def plain(report, options):
    import numpy as np
    import problems as P

    rng = np.random.default_rng(20260301)
    for name, bodies, weight, samples, noise, must, share in [
            ("7 bodies, w 1e-2", 7, 1e-2, 300, 0.05, 85, 0.2),
            ("7 bodies, w 1e-4, few samples", 7, 1e-4, 40, 0.1, 250, 0.2),
            ("31 bodies, w 1e-3", 31, 1e-3, 300, 0.05, 3000, 0.05)]:
        count = max(1, round(share * options.count))
        answers = heft_answers(options.build, [P.random_problem(rng, bodies, weight, samples, noise, False)
                                               for _ in range(count)])
        for method, limit in [("heft", must), ("heft admm", None), ("heft interior point", None)]:
            times = [answer[method]["us"] for answer in answers]
            report.add(f"{name}, {method}", float(np.median(times)), "us", must=limit, smaller_is_better=True)
        report.add(f"{name}, certified", sum(a["heft"]["certified"] for a in answers) / count, "share", must=1)


def second_order(report, options):
    import numpy as np
    import problems as P

    rng = np.random.default_rng(20260302)
    problems = [P.random_problem(rng, 2 + k % 4, (1e-2, 1e-3, 1e-4)[k % 3], 40, 0.1, False, True)
                for k in range(options.count)]
    worst, acting = 0.0, 0
    answers = heft_answers(options.build, problems)
    for problem, answer in zip(problems, answers):
        x = np.array(answer["heft"]["x"])
        y, _, _ = P.clarabel(problem, 1e-11)
        worst = max(worst, abs(P.objective(problem, x) - P.objective(problem, y)) / P.residual_cost(problem, y))
        for i in range(problem["bodies"]):
            off = x[10 * i + 1:10 * i + 4] - x[10 * i] * problem["centres"][i]
            acting += off @ np.linalg.solve(problem["shapes"][i], off) > (1 - 1e-5) * x[10 * i] ** 2
    report.add("second-order cones, worst distance from Clarabel", worst, "residual cost", must=1e-8, smaller_is_better=True)
    report.add("second-order cones, certified", sum(a["heft"]["certified"] for a in answers) / len(answers), "share", must=1)
    report.add("second-order cones that act", acting, "cones")


STAGES = {"intervals": ("intervals", ["--estimation.bootstrap", "4000"]),
          "--columns auto": ("choose the model", ["--columns", "auto", "--estimation.bootstrap", "0"])}


def threads(report, options):
    """Seconds of a stage from result.json, the least of three runs; programs and numbers of threads take turns."""
    with tempfile.TemporaryDirectory() as folder:
        heft, arm = options.build / "heft", ROOT / "tools/demo/arm.urdf"
        subprocess.run([heft, "simulate", "--robot", arm, "--out", f"{folder}/logs"], check=True, capture_output=True)

        def seconds(program, stage, flags, count):
            subprocess.run([program, "identify", "--robot", arm, "--config", ROOT / "tools/demo/arm.yaml", "--log",
                            f"{folder}/logs/train.csv", *flags, "--threads", str(count), "--out", f"{folder}/result"],
                           check=True, capture_output=True)
            return json.loads(pathlib.Path(f"{folder}/result/result.json").read_text())["timings"][stage]["value"]

        runs = {"two": (heft, 2), "one": (heft, 1)} | ({"before": (options.before, 2)} if options.before else {})
        for name, (stage, flags) in STAGES.items():
            least = {run: float("inf") for run in runs}
            for _ in range(3):
                for run, (program, count) in runs.items():
                    least[run] = min(least[run], seconds(program, stage, flags, count))
            report.add(f"{name}, two threads over one", least["one"] / least["two"], "times", must=None if options.before else 1.7)
            if options.before:
                report.add(f"{name}, two threads over the program before", least["before"] / least["two"], "times", must=1.7)


PARTS = {"plain": plain, "second-order": second_order, "threads": threads}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--only", default=",".join(PARTS))
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--before", type=pathlib.Path, help="heft of an earlier commit, whose two threads ours are beside")
    parser.add_argument("--json")
    options = parser.parse_args()
    options.build = options.build.resolve()
    report = heft_bench.Report(options.json)
    for part in options.only.split(","):
        program = options.build / ("heft" if part == "threads" else "bench/solver/bench_solver")
        if not program.exists():
            print(f"{part}: skipped, {program} is not there: cmake --build build --target heft_program benches")
            continue
        try:
            PARTS[part](report, options)
        except ModuleNotFoundError as missing:
            print(f"{part}: skipped, {missing.name} is missing")
    return report.finish(options.json) if report.rows else heft_bench.NOTHING_TO_RUN_ON


if __name__ == "__main__":
    sys.exit(main())
