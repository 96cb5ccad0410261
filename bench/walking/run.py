#!/usr/bin/env python3
"""Robots that walk and hang, simulated in MuJoCo: held-out error, mass and center of mass of the whole robot, errors of an IMU.

Usage: bench/walking/run.py [--heft build/heft] [--robots FOLDER] [--kinds go2,g1] [--only moving,stance,turned,zeroed,missing,hung]
       [--truths 5] [--seconds 20] [--kept FOLDER] [--json FILE]

go2 trots and walks (moving) and sways on four feet (stance), g1 steps on the spot and sways on both feet (moving), with measured foot
forces; once more with an IMU that is off by 5 degrees if it steps (turned), with wrenches that are zeroed in the air and have no unknown biases
(zeroed; only g1), and with the first foot missing in the options (missing), which heft check has to name; both also hang in the air (hung).
The URDF of example-robot-data is the prior; the simulated robots have other inertias (masses 20 % off). Logs have 500 Hz, torque noise of 5 %, foot forces with 3 % noise and a bias,
an IMU with bias. Biases are unknowns; those of sensors are the same in all logs of a robot. Figures are medians over the truths.
FOLDER: robots of example-robot-data, if no Python environment on the path has them.
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

CONFIG = {
    "robot": {"floating_base": True},
    "conditioning": {"lowpass_hz": 60, "torque_lowpass_hz": 15, "filter_rows": True, "keep_every": 8},
    "columns": ["viscous", {"coulomb": {"tanh_width": 0.05}}, "reflected_inertia"],
    "estimation": {"seek_faults": False, "bootstrap": 100}}
IN_THE_AIR = 5  # force below which a foot is [N]
POSE = ["px", "py", "pz", "qw", "qx", "qy", "qz"]


def noisy(log, kind, rng, of_robot, imu_turn=None):
    """The columns as sensors show them; `of_robot` draws the biases, the same in all its logs."""
    import numpy as np

    noisy = dict(log)
    for name, values in log.items():
        size = np.sqrt(np.mean(values**2))
        if name.startswith("tau_"):
            noisy[name] = values + 0.05 * size * rng.normal(size=len(values))
        elif any(name.startswith(foot) for foot in kind.feet):
            scale = 3.0 if name[-2] == "f" else 0.1
            noisy[name] = values + 0.03 * size * rng.normal(size=len(values)) + scale * of_robot.uniform(-0.5, 0.5)
    for prefix, noise, bias in (("gyro", 0.005, 0.005), ("accel", 0.05, 0.05)):
        v = np.stack([log[f"{prefix}_{x}"] for x in "xyz"])
        if imu_turn is not None:
            v = imu_turn @ v
        v = v + noise * rng.normal(size=v.shape) + bias * of_robot.uniform(-1, 1, size=(3, 1))
        noisy.update({f"{prefix}_{x}": v[k] for k, x in enumerate("xyz")})
    return noisy


def write(path, log):
    import numpy as np

    np.savetxt(path, np.stack(list(log.values())).T, delimiter=",", fmt="%.9g", header=",".join(log), comments="")


def config_of(kind, has_wrenches, turns):
    config = json.loads(json.dumps(CONFIG))
    config["base"] = {"source": "imu", "gyro": [f"gyro_{x}" for x in "xyz"], "accel": [f"accel_{x}" for x in "xyz"], "pose": POSE,
                      "quaternion": "wxyz", "bias": True, "rotation": turns}
    if has_wrenches:
        is_point = len(next(iter(kind.feet.values()))) == 1
        names = ("fx", "fy", "fz") if is_point else ("fx", "fy", "fz", "nx", "ny", "nz")
        config["wrenches"] = [{"name": foot, "frame": foot, "columns": [f"{foot}_{x}" for x in names], "bias": True,
                               "radius": kind.loaded_radius if is_point else 0} for foot in kind.feet]
    return config


class Bench:
    def __init__(self, heft, folder, robots, kept=None):
        self.heft, self.folder, self.robots, self.kept = heft, folder, robots, kept

    def simulated(self, kind, text, motion, seed, seconds, hung):
        """A log without noise, from the folder of kept ones if it is there; None if the robot fell."""
        import numpy as np
        import simulated

        name = f"{kind.name}_{getattr(motion, '__name__', 'stance')}_{seed}_{seconds:g}{'_hung' if hung else ''}.npz"
        if self.kept and (self.kept / name).exists():
            with np.load(self.kept / name) as log:
                return dict(log) or None
        robot = simulated.Robot(kind, text, hung)
        log = simulated.simulate(robot, motion(robot, seed), seconds)
        if self.kept:
            np.savez(self.kept / name, **(log or {}))
        return log

    def identify(self, urdf, config, train, held_out, *more):
        path = self.folder / "config.yaml"
        path.write_text(json.dumps(config))
        out = self.folder / "result"
        validation = ["--validate", held_out] if held_out else []
        done = subprocess.run([self.heft, "identify", "--robot", urdf, "--config", path, "--log", train, *validation, "--out", out, *more],
                              capture_output=True, text=True)
        if done.returncode not in (0, 4):
            sys.exit(done.stderr)
        return json.loads((out / "result.json").read_text())

    def findings(self, urdf, config, log):
        """Names of what heft check finds, with what it is about."""
        path, out = self.folder / "config.yaml", self.folder / "check.json"
        path.write_text(json.dumps(config))
        subprocess.run([self.heft, "check", "--robot", urdf, "--config", path, "--log", log, "--json", out], capture_output=True, text=True)
        return {finding["name"]: finding["subject"] for finding in json.loads(out.read_text())["findings"]}

    def logs(self, kind, truth, motion, seconds, hung=False, imu_turn=None):
        """Paths of a training and a held-out log, and the simulated robot; None if it fell."""
        import numpy as np
        import simulated

        text = simulated.bare_urdf(kind, self.robots, truth)
        paths = []
        for seed, name in ((10 * truth + 1, "train.csv"), (10 * truth + 2, "held_out.csv")):
            log = self.simulated(kind, text, motion, seed, seconds, hung)
            if log is None:
                print(f"{kind.name}, truth {truth}, {name}: the robot fell")
                return None
            paths.append(self.folder / name)
            rng, of_robot = np.random.default_rng(seed), np.random.default_rng(1000 + truth)
            write(paths[-1], noisy(log, kind, rng, of_robot, imu_turn))
        (self.folder / "true.urdf").write_text(text)
        (self.folder / "prior.urdf").write_text(simulated.bare_urdf(kind, self.robots))
        return paths


def zeroed(path, kind):
    """The log without what the wrenches show while a foot is in the air: their force is below a threshold, and 25 ms before and after."""
    import numpy as np

    names = path.open().readline().strip().split(",")
    table, window = np.loadtxt(path, delimiter=",", skiprows=1), np.ones(25)
    for foot in kind.feet:
        columns = [names.index(f"{foot}_{x}") for x in ("fx", "fy", "fz", "nx", "ny", "nz")]
        smooth = [np.convolve(table[:, k], window / len(window), "same") for k in columns[:3]]
        is_low = np.linalg.norm(smooth, axis=0) < IN_THE_AIR
        in_the_air = np.convolve(is_low, window, "same") > len(window) - 0.5
        table[:, columns] -= table[in_the_air][:, columns].mean(axis=0)
    other = path.with_name(f"zeroed_{path.name}")
    write(other, dict(zip(names, table.T)))
    return other


def joint_error(result, held_out):
    """Relative error of the joints' torques, without the base. result.json compares with measured minus known torques."""
    import numpy as np

    names = held_out.open().readline().strip().split(",")
    size = dict(zip(names, np.mean(np.loadtxt(held_out, delimiter=",", skiprows=1)**2, axis=0)))
    joints = [channel for channel in result["validation"]["per_channel"] if not channel["channel"].startswith("base_")]
    return float(np.sqrt(sum(c["rms_error"]**2 for c in joints) / sum(size["tau_" + c["channel"]] for c in joints)))


def true_whole(path):
    """Mass, and center of mass with all joints at zero in the base's axes, by Pinocchio."""
    import pinocchio

    model = pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer())
    data = model.createData()
    com = pinocchio.centerOfMass(model, data, pinocchio.neutral(model))
    return data.mass[0], com


def standing(bench, kind, motion, options, zeroes=False):
    """Figures of every truth: a list of dictionaries. `zeroes`: wrenches are zeroed in the air and have no biases as unknowns."""
    import numpy as np

    figures = []
    for truth in range(1, options.truths + 1):
        paths = bench.logs(kind, truth, motion, options.seconds)
        if paths is None:
            continue
        config = config_of(kind, True, False)
        if zeroes:
            paths = [zeroed(path, kind) for path in paths]
            for wrench in config["wrenches"]:
                wrench["bias"] = False
        found = bench.identify(bench.folder / "prior.urdf", config, *paths)
        pinned = json.loads(json.dumps(config))
        pinned["estimation"].update({"prior_weight": 1e6, "bootstrap": 0})
        reference = bench.identify(bench.folder / "true.urdf", pinned, *paths)
        mass, com = true_whole(bench.folder / "true.urdf")
        whole = found["whole"]
        held = [bool(low <= value <= high) for value, interval in zip([mass, *com], [whole["mass_interval"], *whole["com_interval"]])
                if interval for low, high in [interval]]
        error, least = joint_error(found, paths[1]), joint_error(reference, paths[1])
        figures.append({"truth": truth, "error": 100 * error, "ratio": error / least,
                        "mass": 100 * abs(whole["mass"] / mass - 1), "com": 1e3 * float(np.linalg.norm(np.array(whole["com"]) - com)),
                        "held": held})
        if "no_intervals" in found["uncertainty"]:
            print("no intervals:", found["uncertainty"]["no_intervals"])
        print(f"{kind.name}:", figures[-1], flush=True)
    return figures


def hanging(bench, kind, options):
    import simulated

    errors = []
    for truth in range(1, options.truths + 1):
        paths = bench.logs(kind, truth, simulated.hanging, options.seconds, hung=True)
        config = config_of(kind, False, False)
        config["conditioning"]["torque_lowpass_hz"] = 10
        found = bench.identify(bench.folder / "prior.urdf", config, *paths)
        errors.append(100 * joint_error(found, paths[1]))
        print(f"{kind.name}, hung:", {"truth": truth, "error": errors[-1]}, flush=True)
    return errors


def turned_imu(bench, kind, motion, figures, options):
    """Errors of the rotation [degrees] and ratios of the held-out error to that with a straight IMU."""
    import numpy as np

    angle = np.radians(5)
    axis = np.array([1, -1, 0]) / np.sqrt(2)
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    turn = np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K
    errors, ratios = [], []
    for straight in figures:
        paths = bench.logs(kind, straight["truth"], motion, options.seconds, imu_turn=turn)
        found = bench.identify(bench.folder / "prior.urdf", config_of(kind, True, True), *paths)
        values = {column["name"]: column["value"] for column in found["columns"]}
        rotation = np.array([values[f"base rotation {x}"] for x in "xyz"])
        errors.append(np.degrees(np.linalg.norm(rotation + angle * axis)))
        ratios.append(100 * joint_error(found, paths[1]) / straight["error"])
    return errors, ratios


def named_foot(bench, kind, motion, options):
    """Shares of the truths [%] in which heft check names the foot that the options lack, and in which it finds no fault without that."""
    named, clean = [], []
    for truth in range(1, options.truths + 1):
        paths = bench.logs(kind, truth, motion, options.seconds)
        if paths is None:
            continue
        config = config_of(kind, True, False)
        clean.append("wrench-missing" not in bench.findings(bench.folder / "prior.urdf", config, paths[0]))
        missing = config["wrenches"].pop(0)
        named.append(bench.findings(bench.folder / "prior.urdf", config, paths[0]).get("wrench-missing") == missing["frame"])
    return [100 * sum(one) / len(one) if one else None for one in (named, clean)]


def median(values):
    return sorted(values)[len(values) // 2] if values else None


def add_whole(report, name, figures):
    held = [one for figure in figures for one in figure["held"]]
    of = lambda key: median([one[key] for one in figures])  # noqa: E731
    report.add(f"{name}: total mass", of("mass"), "%", 1, 0.4, smaller_is_better=True)
    report.add(f"{name}: center of mass of the whole robot", of("com"), "mm", 4, 1.5, smaller_is_better=True)
    report.add(f"{name}: 95 % intervals that hold the truth", 100 * sum(held) / len(held) if held else None, "%", 90, 95)


def gaits(kind):
    """Name, motion, and must and goal of the held-out joint error [%] of every gait."""
    import simulated
    import stepping

    return {"go2": (("trot", simulated.trotting, 4, 3.3), ("walk", simulated.walking, 3.2, 2.7)),
            "g1": (("step", stepping.stepping, 4, 3.4), ("sway", simulated.swaying, 5.2, 4.7),)}[kind.name]


def rows_of_gait(kind, gait, bench, report, options):
    words, motion, must, goal = gait
    only, name = set(options.only) - ({"turned"} if words == "sway" else set()), f"{kind.name}, {words}"
    figures = standing(bench, kind, motion, options) if {"moving", "turned"} & only else []
    if "moving" in only:
        report.add(f"{name}: held-out joint error, measured wrenches", median([one["error"] for one in figures]), "%", must, goal,
                   smaller_is_better=True)
        report.add(f"{name}: ratio to the true parameters' error", median([one["ratio"] for one in figures]), "1", 1.15, 1.03,
                   smaller_is_better=True)
        add_whole(report, name, figures)
    if "turned" in only:
        errors, ratios = turned_imu(bench, kind, motion, figures, options)
        report.add(f"{name}: IMU off by 5 degrees, error of the rotation", median(errors), "degrees", 1, 0.4, smaller_is_better=True)
        report.add(f"{name}: IMU off by 5 degrees, ratio of the errors", median(ratios), "1", 1.15, 1.05, smaller_is_better=True)
    if "zeroed" in only and words == "step":
        add_whole(report, f"{name}, feet zeroed in the air", standing(bench, kind, motion, options, zeroes=True))
    if "missing" in only:
        named, clean = named_foot(bench, kind, motion, options)
        report.add(f"{name}: a missing foot is named", named, "%", 100)
        report.add(f"{name}: no missing foot is found with all feet", clean, "%", 100)


def rows_of(kind, bench, report, options):
    import simulated

    hung_must, hung_goal = {"go2": (4.5, 4.0), "g1": (3, 2.5)}[kind.name]
    for gait in gaits(kind):
        rows_of_gait(kind, gait, bench, report, options)
    if "stance" in options.only and kind.name == "go2":  # g1 sways on both feet anyway
        add_whole(report, f"{kind.name}, stance",
                  standing(bench, kind, functools.partial(simulated.trotting, stride=0, lift=0), options))
    if "hung" in options.only:
        report.add(f"{kind.name}, hung: held-out joint error", median(hanging(bench, kind, options)), "%", hung_must, hung_goal,
                   smaller_is_better=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--heft", default="build/heft")
    parser.add_argument("--robots", type=pathlib.Path)
    parser.add_argument("--kinds", type=lambda text: text.split(","), default=["go2", "g1"])
    parser.add_argument("--only", type=lambda text: text.split(","), default=["moving", "stance", "turned", "zeroed", "missing", "hung"])
    parser.add_argument("--truths", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=20)
    parser.add_argument("--kept", type=pathlib.Path, help="folder that keeps simulated logs for the next run")
    parser.add_argument("--json", type=pathlib.Path)
    options = parser.parse_args()
    heft_bench.require(("numpy", "mujoco", "pinocchio"), (options.heft,), "pip install numpy mujoco pin")
    import simulated

    robots = options.robots or simulated.robots_folder()
    heft_bench.require(files=(robots or "example-robot-data",), remedy="pip install example-robot-data, or name --robots")
    report = heft_bench.Report(options.json)
    with tempfile.TemporaryDirectory() as scratch:
        bench = Bench(options.heft, pathlib.Path(scratch), robots, options.kept)
        for kind in (simulated.GO2, simulated.G1):
            if kind.name in options.kinds:
                rows_of(kind, bench, report, options)
    sys.exit(report.finish(options.json))


if __name__ == "__main__":
    main()
