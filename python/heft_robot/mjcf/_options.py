"""The options of an MJCF model, overridden by those of the user."""
from __future__ import annotations

import json
import re

from .. import _heft
from .._config import configuration
from .._errors import HeftError
from .._words import check_word
from ..robot import Robot
from ._parts import Mjcf
from ._torques import known_torques, symbol_of
from ._urdf import number

_MODEL = ("priors of columns", "known terms", "gravcomp at the file's masses")  # in the options that a Robot keeps; no sections of the program's file


def robot_of(description: Mjcf, gravcomp: str = "refuse") -> Robot:
    """The Robot that identify() and the other functions take; errors and results name the MJCF file. gravcomp: of options_of_model()."""
    robot = description.config["robot"]
    native = _heft.Robot.from_text(description.path, description.urdf.encode(), b"", robot.get("floating_base", False), robot["gravity"],
                                   "", {})
    return Robot(native, options_of_model(description, gravcomp))


def options_of_model(description: Mjcf, gravcomp: str = "refuse") -> dict:
    """Sections of the configuration, and the terms of its known torques. gravcomp "file": gravcomp of single bodies is known from the
    file's masses."""
    check_word("gravcomp", gravcomp, ("refuse", "file"))
    lifted = next((body.where for body in description.bodies if description.model.body_gravcomp[body.id]), description.path)
    refused = {"where": lifted, "joints": list(description.lifts)} if description.lifts and gravcomp == "refuse" else {}
    return {**description.config, **dict(zip(_MODEL, (description.priors, description.known, refused)))}


def options_over(options: dict, config, base: _heft.Configuration, of_log=None, over=None) -> _heft.Configuration:
    """Combines options; precedence from high to low: `over`, `config`, options of a log, those of the model, `base`.

    Linear damping without a viscous column is a known torque; armature is not if the user requests `reflected_inertia`. A
    `known_torque` of the user replaces the model's joint by joint."""
    priors, known, refused = (options.get(key, {}) for key in _MODEL)
    model = configuration(of_log, configuration({key: value for key, value in options.items() if key not in _MODEL}, base))
    wanted = configuration(over, configuration(config, model))
    ours, theirs = json.loads(model.json), json.loads(wanted.json)
    _check_gravcomp(refused, ours.get("known_torque", {}), theirs.get("known_torque", {}), wanted.locked)
    columns = theirs["columns"] if theirs["columns"] != ours["columns"] else _of_moving(ours["columns"], wanted.locked)
    torques = at_positions(known_torques(known, priors, columns), wanted.locked)
    if theirs.get("known_torque", {}) != ours.get("known_torque", {}):
        torques.update(theirs["known_torque"])
    change = {"columns": columns} if columns != theirs["columns"] else {}
    if torques != theirs.get("known_torque", {}):
        change["known_torque"] = torques
    return configuration(change, wanted) if change else wanted


def _check_gravcomp(refused: dict, ours: dict, theirs: dict, locked: dict) -> None:
    """Refuses gravcomp torques computed from the file's masses, which identification changes, unless the user accepts them."""
    if any(joint not in locked and theirs.get(joint) == ours.get(joint) for joint in refused.get("joints", [])):
        raise HeftError(refused["where"], "gravcomp differs between bodies, so its torques depend on masses that are to be identified",
                        "set gravcomp to 0 in a copy of the model and add MuJoCo's data.qfrc_gravcomp to the log's torques; if the torques "
                        "are those of the file's masses, use gravcomp=\"file\" of Robot.from_mjcf(), on the command line --gravcomp file")


def _of_moving(columns: list, locked: dict[str, float]) -> list:
    """The model's columns, without those of joints that stand still."""
    kept = []
    for column in columns:
        (kind, options), = column.items()
        for key in ("joints", "rows"):
            if key in options and locked:
                inside = options[key]
                left = [joint for joint in inside if joint not in locked]
                options = {**options, key: left if key == "joints" else {joint: inside[joint] for joint in left}}
        if options.get("joints", True) and options.get("rows", True):
            kept.append({kind: options})
    return kept


def at_positions(torques: dict[str, str], locked: dict[str, float]) -> dict[str, str]:
    """The model's torques, with joints that stand still at their positions."""
    result = {joint: text for joint, text in torques.items() if joint not in locked}
    for name, position in locked.items():
        symbol = re.escape(symbol_of(name))
        for joint, text in result.items():
            text = re.sub(rf"\bq{symbol}\b", f"({number(position)})", text)
            result[joint] = re.sub(rf"\bqd+{symbol}\b", "0", text)
    return result
