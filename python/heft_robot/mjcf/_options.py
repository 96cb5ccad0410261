"""The options of an MJCF model under those of the user."""
from __future__ import annotations

import json

from .. import _heft
from .._config import configuration
from ..robot import Robot
from ._parts import Mjcf


def robot_of(description: Mjcf) -> Robot:
    """The Robot that identify() and the other functions take; errors and results name the MJCF file."""
    robot = description.config["robot"]
    native = _heft.Robot.from_text(description.path, description.urdf.encode(), b"", robot.get("floating_base", False), robot["gravity"],
                                   "", {})
    return Robot(native, options_of_model(description))


def options_of_model(description: Mjcf) -> dict:
    """Sections of the configuration, and the priors of columns."""
    return {**description.config, PRIORS: description.priors}


PRIORS = "priors of columns"  # in the options that a Robot keeps; no section of the program's file


def options_over(options: dict, config, base: _heft.Configuration) -> _heft.Configuration:
    """`config` over the options of the model over `base`. Armature and linear damping that no column of the result covers are known
    torques; a `known_torque` of the user replaces the model's joint by joint."""
    options = dict(options)
    priors = options.pop(PRIORS, {})
    model = configuration(options, base)
    wanted = configuration(config, model)
    ours, theirs = json.loads(model.json), json.loads(wanted.json)
    known = dict(ours.get("known_torque", {}))
    for joint, terms in _uncovered(priors, theirs["columns"]).items():
        known[joint] = "+".join(filter(None, [known.get(joint), *terms]))
    if theirs.get("known_torque", {}) != ours.get("known_torque", {}):
        known.update(theirs["known_torque"])
    return configuration({"known_torque": known}, wanted) if known != theirs.get("known_torque", {}) else wanted


def _uncovered(priors: dict[str, float], columns: list) -> dict[str, list[str]]:
    """Terms of joints whose prior no column covers: their armature and linear damping."""
    terms: dict[str, list[str]] = {}
    for key, value in priors.items():
        kind, _, joint = key.partition(" ")
        feature = {"viscous": "qd", "reflected_inertia": "qdd"}.get(kind)
        if feature is None or key.startswith("viscous of ball ") or _has_column(columns, kind, joint):
            continue
        symbol = "_" + "".join(c if c.isalnum() and c.isascii() else "_" * len(c.encode()) for c in joint)
        terms.setdefault(joint, []).append(f"({value!r}*{feature}{symbol})")
    return terms


def _has_column(columns: list, kind: str, joint: str) -> bool:
    for column in columns:
        for name, options in column.items():
            if name == kind and joint in (options.get("joints") or [joint]):
                return True
    return False
