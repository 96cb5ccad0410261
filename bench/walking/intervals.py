#!/usr/bin/env python3
"""How often the 95 % intervals of a whole robot's mass and center of mass hold the truth, on logs of `heft simulate`.

Usage: bench/walking/intervals.py [--heft build/heft] [--robots 40] [--seconds 20] [--kept FOLDER] [--json FILE]

Robots of the demo's biped with other inertias (perturbations 0.05, 0.1 and 0.2), which stand or step. Their feet have noise and biases, their
IMUs have noise of 0.05, 0.1 or 0.2 m/s^2 and biases, which are unknowns.
Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / "tools" / "demo")]
import biped_log  # noqa: E402
import heft_bench  # noqa: E402

CONFIG = {
    "robot": {"floating_base": True},
    "base": {"source": "imu", "frame": "imu", "gyro": [f"imu_w{x}" for x in "xyz"], "accel": [f"imu_a{x}" for x in "xyz"], "bias": True},
    "wrenches": [{"name": side, "frame": f"{side}_foot", "columns": [f"{side}_{x}" for x in ("fx", "fy", "fz", "nx", "ny", "nz")], "bias": True}
                 for side in ("left", "right")],
    "conditioning": {"lowpass_hz": 40, "torque_lowpass_hz": 10, "filter_rows": True, "keep_every": 5},
    "estimation": {"bootstrap": 0, "seek_faults": False}}
GAITS, PERTURBATIONS, ACCELEROMETERS = ("stance", "step"), (0.05, 0.1, 0.2), (0.05, 0.1, 0.2)


def judged(heft, folder, seed, seconds):
    """Gait, errors and half-widths [% of the mass; mm] of one robot, and which intervals hold; empty intervals count as not held."""
    gait, of = GAITS[seed % 2], seed // 2
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "biped.urdf").write_text(biped_log.urdf())
    (folder / "biped.yaml").write_text(json.dumps(CONFIG))
    names = ["--robot", folder / "biped.urdf", "--config", folder / "biped.yaml"]
    if not (folder / "walk" / "truth.json").exists():
        flags = {"gait": gait, "rate": 200, "duration": seconds, "held-out": 2, "seed": 100 + seed, "perturbation": PERTURBATIONS[of % 3],
                 "accel-noise": ACCELEROMETERS[of // 3 % 3], "friction": 0.01, "out": folder / "walk"}
        words = [word for flag, value in flags.items() for word in (f"--{flag}", value)]
        run(heft, "simulate", *names, *words)
    run(heft, "identify", *names, "--log", folder / "walk" / "train.csv", "--out", folder / "result")
    truth = json.loads((folder / "walk" / "truth.json").read_text())["whole"]
    whole = json.loads((folder / "result" / "result.json").read_text())["whole"]
    rows = zip([100 / truth["mass"], 1e3, 1e3, 1e3], [truth["mass"], *truth["com"]], [whole["mass"], *whole["com"]],
               [whole["mass_interval"], *whole["com_interval"]])
    return gait, [(abs(unit * (value - true)), unit * (interval[1] - interval[0]) / 2, interval[0] <= true <= interval[1]) if interval else
                  (abs(unit * (value - true)), float("inf"), False) for unit, true, value, interval in rows]


def run(*words):
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode not in (0, 4):
        sys.exit(done.stderr)


def median(values):
    return sorted(values)[len(values) // 2] if values else None


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default="build/heft")
    parser.add_argument("--robots", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--kept", type=pathlib.Path, help="folder that keeps simulated logs for the next run")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    heft_bench.require(files=(options.heft,))
    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.kept or pathlib.Path(scratch)
        found = [judged(options.heft, folder / str(seed), seed, options.seconds) for seed in range(options.robots)]
    for gait in GAITS:
        of_gait = [rows for which, rows in found if which == gait]
        held = [holds for rows in of_gait for _, _, holds in rows]
        report.add(f"biped, {gait}: 95 % intervals of the whole robot that hold", 100 * sum(held) / len(held) if held else None, "%", 90, 95)
        for name, unit, which in (("mass", "%", (0,)), ("center of mass", "mm", (1, 2, 3))):
            errors, widths = ([rows[k][i] for rows in of_gait for k in which] for i in (0, 1))
            report.add(f"biped, {gait}: {name}, median error", median(errors), unit)
            report.add(f"biped, {gait}: {name}, median half-width", median(widths), unit)
    sys.exit(report.finish(options.json))


if __name__ == "__main__":
    main()
