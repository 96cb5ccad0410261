"""Payloads by joint torques whose scales are off: whether intervals hold the mass, before and after a calibration by one known load.

A hundred simulated 7-DoF arms, each with torque scales of its own, 5 % off (1 sd, independent). The arm is identified from a log with
these scales, weighs a box of 1 to 3 kg, and calibrates the scales by another box of known mass, 2 kg. Identified again with the lines
that heft payload prints, it weighs the first box a second time. The same arms with exact scales show how much wider the intervals
become. Motion, noise and torques are those of by_torques.py.
"""
import json
import pathlib

import numpy as np

import arm as arms
import simulator
from by_torques import DEMO, run

CONFIG = """conditioning: {lowpass_hz: 12, trim: 50}
columns: [viscous, {coulomb: {tanh_width: 0.05}}, offset]
"""
ARMS, SD, KNOWN = 100, 0.05, 2.0
RATE, MUST_HOLD, MUST_ERR = 250, 93, 2  # [Hz], of a hundred, [%]


def box(rng, mass):
    return simulator.box_moments(mass, rng.uniform(0.05, 0.2, 3), rng.uniform(-0.06, 0.06, 3) + [0, 0, 0.08])


class ScaledArm:
    """The demo arm with other inertias each time; `scales`: logged over true torque of each joint."""

    def __init__(self, heft, folder, seed, scales):
        self.heft, self.folder, self.seed, self.scales = heft, pathlib.Path(folder), seed, scales
        self.arm = arms.Arm(DEMO / "arm.urdf")
        run(heft, "simulate", "--robot", DEMO / "arm.urdf", "--duration", 20, "--rate", RATE, "--held-out", 1, "--seed", seed, "--trajectory-seed",
            seed, "--out", folder)
        self.bodies, self.friction = arms.read_truth(json.loads((self.folder / "truth.json").read_text()), self.arm)
        path = self.folder / "train.csv"
        header, rows = path.open().readline().strip(), np.loadtxt(path, delimiter=",", skiprows=1)
        rows[:, [name.startswith("tau_") for name in header.split(",")]] *= scales
        np.savetxt(path, rows, delimiter=",", header=header, comments="", fmt="%.10g")

    def identify(self, out, yaml=""):
        config = self.folder / f"{out}.yaml"
        config.write_text(CONFIG + yaml)
        run(self.heft, "identify", "--quiet", "--robot", DEMO / "arm.urdf", "--config", config, "--log", self.folder / "train.csv", "--out",
            self.folder / out, "--estimation.seek_faults", "false", "--estimation.bootstrap", 0, codes=(0, 4))

    def load(self, name, mass):
        rng = np.random.default_rng([self.seed, int(1000 * mass), 41])
        t, q, qd, qdd = self.arm.motion(10, RATE, rng)
        torque = self.arm.torques(self.arm.carried(self.bodies, "gripper", box(rng, mass)), self.friction, q, qd, qdd)
        arms.write_log(self.folder / f"{name}.csv", self.arm, t, q, torque, rng)
        header, rows = ((self.folder / f"{name}.csv").open().readline().strip(),
                        np.loadtxt(self.folder / f"{name}.csv", delimiter=",", skiprows=1))
        rows[:, [word.startswith("tau_") for word in header.split(",")]] *= self.scales
        np.savetxt(self.folder / f"{name}.csv", rows, delimiter=",", header=header, comments="", fmt="%.10g")

    def weigh(self, model, log, yaml=""):
        config = self.folder / "payload.yaml"
        config.write_text(yaml or "{}\n")
        run(self.heft, "payload", "--quiet", "--model", self.folder / model, "--link", "gripper", "--log", self.folder / f"{log}.csv", "--config",
            config, "--out", self.folder / "weighed", codes=(0, 4))
        return json.loads((self.folder / "weighed" / "result.json").read_text())


def outcome(result, mass):
    low, high = result["payload"]["intervals"]["mass"]
    return {"holds": low <= mass <= high, "error": 100 * abs(result["payload"]["mass"] / mass - 1), "half": 50 * (high - low) / mass}


def one_arm(heft, folder, seed):
    """{what: outcome} of one arm, and (whether the interval of each scale contains the truth, largest error of an identifiable scale
    [%])."""
    rng = np.random.default_rng([seed, 42])
    mass = rng.uniform(1, 3)
    exact = ScaledArm(heft, folder, seed, np.ones(7))
    exact.identify("exact")
    exact.load("box", mass)
    found = {"exact scales": outcome(exact.weigh("exact", "box"), mass)}
    off = ScaledArm(heft, folder, seed, 1 + SD * rng.standard_normal(7))
    off.identify("off")
    off.load("box", mass)
    off.load("known", KNOWN)
    found["scales off"] = outcome(off.weigh("off", "box"), mass)
    found["scales off, torque_scale_sd: 0.05"] = outcome(off.weigh("off", "box", f"estimation: {{torque_scale_sd: {SD}}}\n"), mass)
    calibrated = off.weigh("off", "known", f"payload: {{known_mass: {KNOWN}}}\n")
    gains = calibrated["gains"]
    held = [None in gain["interval"] or gain["interval"][0] <= truth <= gain["interval"][1] for gain, truth in zip(gains, off.scales)]
    wrong = max((100 * abs(gain["value"] / truth - 1) for gain, truth in zip(gains, off.scales) if gain["identifiable"]), default=0)
    off.identify("calibrated", calibrated["calibration"]["yaml"])
    found["calibrated by one known load"] = outcome(off.weigh("calibrated", "box"), mass)
    return found, (held, wrong)


def measure(heft, pool, scratch, report, lines, arms_count=ARMS):
    folders = []
    for seed in range(arms_count):
        folders.append(scratch / f"gains{seed}")
        folders[-1].mkdir()
    of_arms = [task.result() for task in [pool.submit(one_arm, heft, folder, seed) for seed, folder in enumerate(folders)]]
    lines += ["", f"{arms_count} arms, a box of 1 to 3 kg each; scales are 5 % off (1 sd, every joint by itself):", "",
              "| torque scales | intervals of the mass that contain the truth | error of mass, mean (largest) | half width, median |", "|---|---|---|---|"]
    for what in of_arms[0][0]:
        some = [found[what] for found, _ in of_arms]
        held, errors = 100 * np.mean([one["holds"] for one in some]), np.array([one["error"] for one in some])
        half = np.median([one["half"] for one in some])
        is_calibrated = what.startswith("calibrated")
        report.add(f"by torques, {what}: intervals of the mass hold", held, "%", must=MUST_HOLD)
        report.add(f"by torques, {what}: largest error of mass", errors.max(), "%", must=MUST_ERR if is_calibrated else None, smaller_is_better=True)
        report.add(f"by torques, {what}: half width of the mass, median", half, "%", smaller_is_better=True)
        lines.append(f"| {what} | {held:.1f} % | {errors.mean():.2g} ({errors.max():.2g}) % | {half:.2g} % |")
    held = 100 * np.mean([h for _, (of, _) in of_arms for h in of])
    wrong = max(w for _, (_, w) in of_arms)
    report.add("by torques, calibrated scales: intervals hold", held, "%", must=MUST_HOLD)
    lines += ["", f"Of {7 * arms_count} calibrated scales {held:.1f} % lie in their intervals; the largest error of an identifiable one is {wrong:.2g} %."]
