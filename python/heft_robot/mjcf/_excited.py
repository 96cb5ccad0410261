"""How near a designed motion comes to torque limits with the torques that an MJCF model adds to rigid bodies in standard gravity."""
from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np

from ._beyond import Beyond

_NOT_TOLD = 0.01  # change of the ratio to a limit


def notes(beyond: Beyond, folder: Path) -> list[str]:
    """Joints whose torque along trajectory.csv in `folder` comes nearer to its limit than design.json says."""
    path = folder / "trajectory.csv"
    if not beyond or not path.is_file():
        return []
    limits = {entry["joint"]: entry for entry in json.loads((folder / "design.json").read_text(encoding="utf-8"))["limits"]
              if entry["name"] == "torque" and entry["limit"]}
    with open(path, encoding="utf-8", newline="") as file:
        header = next(csv.reader([file.readline()]))
        numbers = np.loadtxt(file, delimiter=",", ndmin=2)
    q, qd, qdd = (numbers[:, [header.index(f"{prefix}_{joint}") for joint in beyond.robot.joints]] for prefix in ("q", "qd", "qdd"))
    computed = beyond.computed(q, qd, qdd)
    more = np.abs(computed + beyond.torques(q, qd, qdd, beyond.robot.prior.reshape(-1))).max(0) - np.abs(computed).max(0)
    found = []
    for k, joint in enumerate(beyond.robot.joints):
        if joint not in limits:
            continue
        told = limits[joint]["worst_ratio"]  # with the doubts about the bodies, which stay
        ratio = told + float(more[k]) / limits[joint]["limit"]
        if ratio > told + _NOT_TOLD:
            words = (f"with the model's armature, springs, dampers, gravcomp and gravity, the torque of {joint} reaches about {100 * ratio:.0f} % "
                     f"of its limit, not {100 * told:.0f} %")
            found.append(words + (f"; design it again with limits: {{torque: {{scale: {0.95 / ratio:.2g}}}}}" if ratio > 1 else ""))
    return found
