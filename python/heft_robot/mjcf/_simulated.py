"""Logs of `heft simulate` and heft.simulate() with the torques of an MJCF model that the program does not compute."""
from __future__ import annotations

import csv
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .. import _heft
from .._errors import HeftError
from ..inertia import PARAMETERS
from ..log import as_log
from ..robot import Robot
from ._beyond import Beyond, mixed_shares
from ._parts import Mjcf

_HARMONICS, _PERIOD = 5, 10.0  # of simulated motions [s]
_ROWS = 1 << 16  # that are changed at a time
_TANH_WIDTH = 0.05  # of the simulated Coulomb friction [rad/s, m/s]


@dataclass(frozen=True)
class Motion:
    """How a simulated log moves: seed, part of the velocity limits, latency [s], or the path of a motion."""

    seed: int = 1
    speed: float = 0.5
    latency: float = 0.0
    path: str | None = None


def check(model: Mjcf, robot: Robot) -> None:
    """Refuses models whose torques cannot be simulated, before a log is written."""
    mixed = mixed_shares(model, robot) if model.lifts else []
    if mixed:
        raise HeftError(model.path, f"the bodies that are fixed to '{mixed[0]}' differ in gravcomp, so the torque of their true masses is "
                        "not known", "give them the same gravcomp")


def complete(model: Mjcf, beyond: Beyond, folder: Path, motions: dict[str, Motion]) -> None:
    """Adds the torques to the logs in `folder`, `motions` by file name; truth.json gets the file's values of armature."""
    robot = beyond.robot
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    values = {name: entry["value"] for name, entry in truth["parameters"].items()}
    names = [f"{body}.{key}" for body in robot.bodies for key in PARAMETERS]
    parameters = np.array([values.get(name, np.nan) for name in names])  # links of sensors are bodies of their own
    foreign = _friction_of_others(model, robot, values)
    if beyond or foreign:
        for name, motion in motions.items():
            _rewrite(folder / name, beyond, parameters, foreign, _states_of(robot, motion))
    for name in foreign:
        for kind in ("viscous", "coulomb"):
            truth["parameters"].pop(f"{kind} {name}", None)
    for column in model.config.get("columns", []):
        truth["parameters"].update(_truth_of(model, robot, column))
    _write(folder / "truth.json", json.dumps(truth, indent=2) + "\n")


def _friction_of_others(model: Mjcf, robot: Robot, values) -> dict[str, tuple[float, float]]:
    """(viscous, coulomb) friction that was simulated for the angles of ball and free joints, whose friction in MJCF is not per angle."""
    single = {joint.name for joint in model.joints if joint.mjcf == joint.name and joint.type != "floating"}
    return {joint: (values.get(f"viscous {joint}", 0.0), values.get(f"coulomb {joint}", 0.0))
            for joint in robot.joints if joint not in single}


def _truth_of(model: Mjcf, robot: Robot, column) -> dict:
    options = column.get("expression") if isinstance(column, dict) else None
    if not options:
        return {}
    if "each_joint" in options:
        return {f"{options['name']} {joint}": {"value": 0.0, "unit": options["unit"]} for joint in options["joints"]
                if joint in robot.joints}
    return {options["name"]: {"value": model.priors.get(options["name"], 0.0), "unit": options["unit"]}}


def _rewrite(path: Path, beyond: Beyond, parameters, foreign, states) -> None:
    robot, aside = beyond.robot, path.with_name(path.name + ".part")
    with open(path, encoding="utf-8", newline="") as source, open(aside, "w", encoding="utf-8", newline="") as target:
        header = next(csv.reader([source.readline()]))
        csv.writer(target, lineterminator="\n").writerow(header)
        at_q = [header.index(f"q_{joint}") for joint in robot.joints]
        at_tau = [header.index(f"tau_{joint}") for joint in robot.joints]
        first = 0
        while lines := source.readlines(_ROWS * 16):
            rows = [line.rstrip("\n").split(",") for line in lines]
            numbers = np.array(rows, dtype=float)
            q, qd, qdd = states(first, numbers[:, 0], numbers[:, at_q])
            tau = numbers[:, at_tau] + beyond.torques(q, qd, qdd, parameters)
            for joint, (viscous, coulomb) in foreign.items():
                k = robot.joints.index(joint)
                tau[:, k] -= viscous * qd[:, k] + coulomb * np.tanh(qd[:, k] / _TANH_WIDTH)
            for row, values in zip(rows, tau):
                for at, value in zip(at_tau, values):
                    row[at] = f"{value:.7g}"
            target.writelines(",".join(row) + "\n" for row in rows)
            first += len(rows)
    os.replace(aside, path)


def _write(path: Path, text: str) -> None:
    aside = path.with_name(path.name + ".part")
    aside.write_text(text, encoding="utf-8")
    os.replace(aside, path)


def _states_of(robot: Robot, motion: Motion):
    """Function of (first row, times, logged positions): exact q, qd and qdd of those rows."""
    if motion.path is not None:
        table = _motion_of(motion.path, robot)
        return lambda first, t, q: tuple(array[first:first + len(t)] for array in table)
    series = _series(robot, motion)

    def at(_, t, q_logged):
        q, qd, qdd = series(t)
        if motion.latency > 0:  # rows belong to earlier times, which their positions tell
            late = np.zeros(len(t))
            for _ in range(8):
                late = np.clip(late - ((q_logged - q) * qd).sum(1) / np.maximum((qd * qd).sum(1), 1e-12), 0, motion.latency)
                q, qd, qdd = series(t - late)
        return q, qd, qdd

    return at


def _series(robot: Robot, motion: Motion):
    """The simulated Fourier series, from one period of exact positions."""
    settings = _heft.SimulateOptions()
    settings.duration, settings.rate, settings.speed, settings.trajectory_seed = _PERIOD, 20.0, motion.speed, motion.seed
    settings.encoder_counts, settings.torque_noise = 0.0, 0.0
    with tempfile.TemporaryDirectory(prefix="heft-") as folder:
        path = os.path.join(folder, "motion.csv")
        _heft.simulate_log(_heft.SimulatedTruth.of_robot(robot._native, settings), settings, path, None)
        numbers = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)[:, :1 + len(robot.joints)]
    w = 2 * np.pi / _PERIOD * np.arange(1, _HARMONICS + 1)

    def basis(t):
        s, c = np.sin(np.outer(t, w)), np.cos(np.outer(t, w))
        zero, one = np.zeros((len(t), 1)), np.ones((len(t), 1))
        return np.hstack([one, s, c]), np.hstack([zero, w * c, -w * s]), np.hstack([zero, -w * w * s, -w * w * c])

    coefficients, *_ = np.linalg.lstsq(basis(numbers[:, 0])[0], numbers[:, 1:], rcond=None)
    if np.abs(basis(numbers[:, 0])[0] @ coefficients - numbers[:, 1:]).max() > 1e-6:
        raise HeftError(robot.source, "the simulated motion is not the expected Fourier series", "report this as an error of Heft")
    return lambda t: tuple(part @ coefficients for part in basis(t))


def _motion_of(path: str, robot: Robot):
    """q, qd and qdd of a table; missing rates are differences."""
    table = as_log(path).read()
    found = []
    for prefix in ("q", "qd", "qdd"):
        names = [f"{prefix}_{joint}" for joint in robot.joints]
        found.append(np.column_stack([table[name] for name in names]) if all(name in table for name in names)
                     else np.gradient(found[-1], table["t"], axis=0))
    return found
