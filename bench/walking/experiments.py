#!/usr/bin/env python3
"""Compares experiments: a go2 that hangs, stands and trots in MuJoCo, identified from each log alone and from all of them in one fit.

Usage: bench/walking/experiments.py [--heft build/heft] [--robots FOLDER] [--truths 3] [--seconds 10] [--kept FOLDER]
       [--json FILE]

Each robot is identified from its hung, its stance and its trot log alone, and from all three at once with equal weights and with
weights by residuals (the default), with measured foot forces. Every result predicts held-out logs of all three experiments. Noise and
robots are those of run.py; figures are medians over the truths: held-out error of the joints' torques, errors of the total mass, of the
center of mass of the whole robot, of Coulomb friction (relative), and of the masses of thighs and calves (relative).
Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on: NumPy, mujoco, pin or example-robot-data are missing.
"""

import argparse
import functools
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
from run import Bench, config_of, joint_error, median, noisy, true_whole, write  # noqa: E402

KINDS = ("hung", "stance", "trot")
BASE = [f"tau_base_{x}" for x in ("fx", "fy", "fz", "nx", "ny", "nz")]


class Experiments:
    def __init__(self, heft, folder, robots, kept=None):
        self.heft, self.folder, self.robots = heft, folder, robots
        self.bench = Bench(heft, folder, robots, kept)

    def simulated_log(self, kind, text, experiment, seed, truth, seconds):
        import numpy as np
        import simulated

        motion = {"hung": simulated.hanging, "stance": functools.partial(simulated.trotting, stride=0, lift=0), "trot": simulated.trotting}
        log = self.bench.simulated(kind, text, motion[experiment], seed, seconds, experiment == "hung")
        if log is None:
            sys.exit(f"truth {truth}, {experiment}: the robot fell")
        log = noisy(log, kind, np.random.default_rng([seed, KINDS.index(experiment)]), np.random.default_rng(1000 + truth))
        # what holds the hung robot is not measured; the feet of the others carry it
        log.update({name: np.full(len(log["t"]), np.nan if experiment == "hung" else 0.0) for name in BASE})
        return log

    def make_logs(self, kind, truth, seconds):
        import simulated

        text = simulated.bare_urdf(kind, self.robots, truth)
        (self.folder / "true.urdf").write_text(text)
        (self.folder / "prior.urdf").write_text(simulated.bare_urdf(kind, self.robots))
        for experiment in KINDS:
            for role, seed in (("train", 10 * truth + 1), ("held_out", 10 * truth + 2)):
                write(self.folder / f"{experiment}_{role}.csv", self.simulated_log(kind, text, experiment, seed, truth, seconds))

    def identify(self, config, logs, held_out):
        (self.folder / "config.yaml").write_text(json.dumps(config))
        command = [self.heft, "identify", "--robot", self.folder / "prior.urdf", "--config", self.folder / "config.yaml",
                   "--out", self.folder / "result", "--validate", self.folder / f"{held_out}_held_out.csv"]
        for log in logs:
            command += ["--log", self.folder / f"{log}_train.csv"]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 4):
            sys.exit(done.stderr)
        return json.loads((self.folder / "result" / "result.json").read_text())

    def figures(self, kind, logs, weights):
        """Errors by experiment of the held-out log, then of the parameters."""
        import numpy as np
        import simulated

        config = config_of(kind, True, False)
        config["estimation"]["log_weights"] = weights
        config["estimation"]["bootstrap"] = 0
        found = {}
        for held_out in KINDS:
            result = self.identify(config, logs, held_out)
            found[held_out] = 100 * joint_error(result, self.folder / f"{held_out}_held_out.csv")
        mass, com = true_whole(self.folder / "true.urdf")
        whole = result["whole"]
        found["mass"] = 100 * abs(whole["mass"] / mass - 1)
        found["center"] = 1e3 * float(np.linalg.norm(np.array(whole["com"]) - com))
        coulomb = [column["value"] for column in result["columns"] if column["kind"] == "coulomb"]
        found["friction"] = 100 * float(np.sqrt(np.mean((np.array(coulomb) / simulated.FRICTION[1] - 1)**2)))
        truth = link_masses(self.folder / "true.urdf")
        light = [body["parameters"]["m"] / truth[body["name"]] - 1 for body in result["bodies"] if body["name"].endswith(("thigh", "calf"))]
        found["links"] = 100 * float(np.sqrt(np.mean(np.square(light))))
        return found


def link_masses(path):
    """Masses of the links, with those fixed to them."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    masses = {}
    for frame in model.frames:
        if frame.type == pinocchio.FrameType.BODY and model.inertias[frame.parentJoint].mass > 0:
            masses.setdefault(frame.name, model.inertias[frame.parentJoint].mass)
    return masses


FITS = (("hung alone", ["hung"], "equal"), ("stance alone", ["stance"], "equal"), ("trot alone", ["trot"], "equal"),
        ("all, equal weights", list(KINDS), "equal"), ("all, by residuals", list(KINDS), "residuals"))
UNITS = {"hung": "%", "stance": "%", "trot": "%", "mass": "%", "center": "mm", "friction": "%", "links": "%"}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default="build/heft")
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--truths", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--kept", type=pathlib.Path, help="folder that keeps simulated logs for the next run, as in run.py")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    heft_bench.require(("numpy", "mujoco", "pinocchio"), (options.heft,), "pip install numpy mujoco pin")
    import simulated

    robots = options.robots or simulated.robots_folder()
    heft_bench.require(files=(robots or "example-robot-data",), remedy="pip install example-robot-data, or name --robots")
    report = heft_bench.Report(options.json)
    figures = {name: [] for name, _, _ in FITS}
    with tempfile.TemporaryDirectory() as scratch:
        bench = Experiments(options.heft, pathlib.Path(scratch), robots, options.kept)
        for truth in range(1, options.truths + 1):
            bench.make_logs(simulated.GO2, truth, options.seconds)
            for name, logs, weights in FITS:
                figures[name].append(bench.figures(simulated.GO2, logs, weights))
                print(f"truth {truth}, {name}:", {key: round(value, 3) for key, value in figures[name][-1].items()}, flush=True)
    medians = {name: {key: median([one[key] for one in rows]) for key in UNITS} for name, rows in figures.items()}
    alone = {key: min(medians[f"{kind} alone"][key] for kind in KINDS) for key in KINDS}
    for name, _, _ in FITS:
        for key, unit in UNITS.items():
            label = f"held out, {key}" if key in KINDS else key
            # no worse than the best log alone
            must = round(1.02 * alone[key], 3) if name == "all, by residuals" and key in KINDS else None
            report.add(f"{name}: {label}", medians[name][key], unit, must, None, smaller_is_better=True)
    sys.exit(report.finish(options.json))


if __name__ == "__main__":
    main()
