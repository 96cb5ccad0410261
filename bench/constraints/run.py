#!/usr/bin/env python3
"""What physics and priors buy: held-out error against the amount of training data.

Usage: bench/constraints/run.py [--heft build/heft] [--driver build/bench/constraints/bench_constraints] [--data DIR]

Writes docs/figures/constraints_*.svg and the tables of docs/constraints.md. Real logs run through `heft identify`
with the recipes of bench/real_logs; the leg with rotors is simulated here (leg.py) and solved by bench_constraints.
DIR (default: $HEFT_DATA or ../shared/data) is that of bench/real_logs. Needs matplotlib, and pinocchio for the leg. Only
the Panda has shapes, and only where example-robot-data is installed: the others get no ellipsoids. Exit codes: 0 done, 77
nothing to run on.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import heft_bench  # noqa: E402
heft_bench.require(["matplotlib", "numpy", "pinocchio"], remedy="pip install matplotlib pin")
import matplotlib  # noqa: E402

matplotlib.use("Agg")
matplotlib.rcParams["svg.hashsalt"] = "heft"
import matplotlib.pyplot as plt  # noqa: E402
import panda_shapes  # noqa: E402
ROOT = HERE.parents[1]
# set, training logs, held-out log, shares of the conditioned samples
CASES = [("staubli_tx40", ["log_train"], "log_valid", [1 / 20, 1 / 10, 1 / 3, 1]),
         ("kuka_kr300", ["log_train_A"], "log_valid_C", [1 / 4, 1 / 3, 1 / 2, 1]),
         ("franka_panda", ["log_train"], "log_valid", [1 / 20, 1 / 10, 1 / 3, 1])]
# label, prior, consistency, ellipsoids; the first four ask what the constraints buy, the others what the prior does
VARIANTS = [("no prior, no constraint", "none", "none", "none"), ("no prior, semi-consistency", "none", "semi", "none"),
            ("no prior, full consistency", "none", "full", "none"),
            ("no prior, full, ellipsoids", "none", "full", "collision"),
            ("Euclidean prior, full", "euclidean", "full", "none"), ("diagonal prior, full", "diagonal", "full", "none"),
            ("metric prior, full", "metric", "full", "none"),
            ("metric prior, full, ellipsoids", "metric", "full", "collision"),
            ("entropic prior, full", "entropic", "full", "none")]
BEGIN, END = "<!-- tables: written by bench/constraints/run.py -->", "<!-- end of tables -->"


def has_shapes(case):
    return case[0] == "franka_panda" and panda_shapes.meshes() is not None


def identify(options, case, flags):
    name, training, held_out = case[:3]
    folder = options.data / name
    with tempfile.TemporaryDirectory() as out:
        robot = pathlib.Path(out) / "robot.urdf"
        text = (folder / "robot.urdf").read_text()
        robot.write_text(panda_shapes.with_shapes(text, panda_shapes.meshes()) if has_shapes(case) else text)
        command = [options.heft, "identify", "--quiet", "--robot", robot, "--out", out,
                   "--config", ROOT / "bench" / "real_logs" / f"{name}.yaml", "--estimation.bootstrap", "0", *flags]
        for log in training:
            command += ["--log", folder / f"{log}.csv"]
        command += ["--validate", folder / f"{held_out}.csv"]
        run = subprocess.run([str(word) for word in command], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        path = pathlib.Path(out) / "result.json"
        if not path.exists():
            print(f"{name} {' '.join(flags)}: {run.stderr.strip()}", file=sys.stderr)
            return None
        return json.loads(path.read_text())


def held_out_error(result):
    if result is None:
        return float("nan")
    return next((100 * e["validation_overall_relative"] for e in result["estimates"] if e["name"] == "constrained"),
                float("nan"))


def real_curves(options, case):
    """Training samples, and the held-out error [%] of every variant at each of them."""
    whole = identify(options, case, [])
    samples = sum(log["samples"] for log in whole["logs"]["training"])
    sizes = [round(share * samples) for share in case[3]]
    curves = {}
    for label, prior, consistency, ellipsoids in VARIANTS:
        if ellipsoids != "none" and not has_shapes(case):
            continue
        flags = ["--estimation.prior", prior, "--estimation.consistency", consistency,
                 "--estimation.bounding_ellipsoids", ellipsoids]
        curves[label] = [held_out_error(identify(options, case, [*flags, "--estimation.training_samples", str(n)]))
                         for n in sizes]
        print(case[0], label, [f"{e:.2f}" for e in curves[label]], flush=True)
    return sizes, curves


def plot(name, title, sizes, curves):
    figure, axes = plt.subplots(figsize=(7, 4))
    for index, (label, errors) in enumerate(curves.items()):
        axes.plot(sizes, errors, marker="o", markersize=3, label=label, linestyle="--" if label.startswith("no prior") else "-",
                  color=f"C{index}")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("training samples")
    axes.set_ylabel("held-out error, % of the torque")
    axes.set_title(title)
    axes.grid(True, which="both", alpha=0.3)
    axes.legend(fontsize=7)
    figure.tight_layout()
    path = ROOT / "docs" / "figures" / f"constraints_{name}.svg"
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def table(title, sizes, curves):
    lines = [f"**{title}**, held-out error in % of the torque by training samples:", "",
             "| | " + " | ".join(str(n) for n in sizes) + " |", "|---" * (len(sizes) + 1) + "|"]
    for label, errors in curves.items():
        lines.append(f"| {label} | " + " | ".join("failed" if e != e else f"{e:.2f}" if e < 1e3 else f"{e:.0e}" for e in errors) + " |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default=ROOT / "build" / "heft")
    parser.add_argument("--driver", default=ROOT / "build" / "bench" / "constraints" / "bench_constraints")
    parser.add_argument("--data", type=pathlib.Path, default=os.environ.get("HEFT_DATA", ROOT.parent / "shared" / "data"))
    options = parser.parse_args()
    options.data = pathlib.Path(options.data)
    heft_bench.require(files=[options.heft, options.driver], remedy="cmake --build build --target heft_program benches")
    heft_bench.require(files=[options.data / case[0] for case in CASES], remedy="set HEFT_DATA to the folder that holds it")

    lines = []
    for case in CASES:
        title = f"{case[0]} {'+'.join(log.removeprefix('log_') for log in case[1])} -> {case[2].removeprefix('log_')}"
        sizes, curves = real_curves(options, case)
        plot(case[0], title, sizes, curves)
        lines += [f"![{title}](figures/constraints_{case[0]}.svg)", ""] + table(title, sizes, curves)

    import leg
    title = "simulated leg, three links and three rotors at gear ratio 10.6"
    sizes, curves = leg.curves(options.driver)
    plot("leg", title, sizes, curves)
    lines += [f"![{title}](figures/constraints_leg.svg)", ""] + table(title, sizes, curves)

    heft_bench.write_between(ROOT / "docs" / "constraints.md", BEGIN, END, ["\n".join(lines).rstrip()])


if __name__ == "__main__":
    main()
