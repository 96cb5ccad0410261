#!/usr/bin/env python3
"""How often the intervals of result.json contain the truth, on simulated robots.

Usage: bench/coverage/run.py [--heft build/heft] [--runs 200]

Every run simulates another robot (the demo arm with other inertias) on another trajectory with torque noise, low-passes
its log as any other, identifies it, and looks whether the truth lies in the 95 % intervals. Exit code 1 if the share,
averaged over base parameters, is not between 90 and 98 %, or an interval was given to a parameter that the prior
decides.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import heft_bench  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
ARM = HERE.parents[1] / "tools" / "demo" / "arm.urdf"
CONFIGURATION = """\
conditioning: {lowpass_hz: 25, trim: 50}
columns: [viscous, coulomb: {tanh_width: 0.05}]
"""
MUST = (0.90, 0.98)


def heft(program, *arguments):
    done = subprocess.run([str(program), *map(str, arguments)], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"heft {arguments[0]} failed: {done.stderr}")
    return done.stdout


def combinations(program, folder):
    """Base parameters as lists of (parameter, body, coefficient)."""
    path = folder / "observe.json"
    heft(program, "observe", ARM, "--json", path)
    return [[(*label.split("_", 1), coefficient) for label, coefficient in combination.items()]
            for combination in json.loads(path.read_text())["identifiable"]]


def true_values(truth, base, columns):
    values = [sum(coefficient * truth[f"{body}.{name}"] for name, body, coefficient in terms) for terms in base]
    return values + [truth[column] for column in columns]


def one_run(program, seed, folder, base):
    """Whether the interval contains the truth, per base parameter and column, and per single parameter."""
    heft(program, "simulate", "--robot", ARM, "--duration", 40, "--rate", 200, "--seed", seed, "--trajectory-seed", seed,
         "--torque-noise", 0.05, "--out", folder / "logs")
    configuration = folder / "arm.yaml"
    configuration.write_text(CONFIGURATION)
    heft(program, "identify", "--quiet", "--robot", ARM, "--log", folder / "logs" / "train.csv", "--config", configuration,
         "--out", folder / "result")
    result = json.loads((folder / "result" / "result.json").read_text())
    truth = {name: entry["value"]
             for name, entry in json.loads((folder / "logs" / "truth.json").read_text())["parameters"].items()}
    uncertainty = result["uncertainty"]
    hits = [abs(quantity["estimate"] - value) <= quantity["half_width"]
            for quantity, value in zip(uncertainty["base_parameters"], true_values(truth, base, [column["name"] for column in result["columns"]]),
                                         strict=True)]
    single = {}
    for parameter in uncertainty["parameters"]:
        if parameter["interval"] is None:
            continue
        if parameter["prior_share"] > 0.5:
            sys.exit(f"seed {seed}: {parameter['name']} is set by the prior and has an interval")
        low, high = parameter["interval"]
        single[parameter["name"]] = low <= truth[parameter["name"]] <= high
    return hits, single, uncertainty["blocks"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--heft", default=HERE.parents[1] / "build" / "heft")
    parser.add_argument("--runs", type=int, default=200)
    arguments = parser.parse_args()
    heft_bench.require(files=[arguments.heft], remedy="build it, or name it with --heft")
    all_hits, single = [], {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        base = combinations(arguments.heft, folder)
        for seed in range(1, arguments.runs + 1):
            hits, parameters, blocks = one_run(arguments.heft, seed, folder, base)
            all_hits.append(hits)
            for name, hit in parameters.items():
                single.setdefault(name, []).append(hit)
    shares = [statistics.mean(column) for column in zip(*all_hits)]
    num_base = len(base)
    average = statistics.mean(shares[:num_base])
    print(f"{arguments.runs} runs, {blocks} blocks in the last; 95 % intervals that hold the truth:")
    print(f"  {num_base} base parameters: {100 * average:.1f} % on average, {100 * min(shares[:num_base]):.1f} % at least "
          f"(must: {100 * MUST[0]:.0f} to {100 * MUST[1]:.0f} %)")
    print(f"  {len(shares) - num_base} friction columns: {100 * statistics.mean(shares[num_base:]):.1f} %")
    if single:
        print(f"  {len(single)} single parameters, bootstrap with constraints: "
              f"{100 * statistics.mean(statistics.mean(hits) for hits in single.values()):.1f} %")
    print("no parameter that the prior decides got an interval")
    sys.exit(0 if MUST[0] <= average <= MUST[1] else 1)


if __name__ == "__main__":
    main()
