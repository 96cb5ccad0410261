"""The options of an MJCF model under those of the user."""
from __future__ import annotations

import json

from .. import _heft
from .._config import configuration
from ..robot import Robot
from ._parts import Mjcf
from ._torques import known_torques

_MODEL = ("priors of columns", "known terms")  # in the options that a Robot keeps; no sections of the program's file


def robot_of(description: Mjcf) -> Robot:
    """The Robot that identify() and the other functions take; errors and results name the MJCF file."""
    robot = description.config["robot"]
    native = _heft.Robot.from_text(description.path, description.urdf.encode(), b"", robot.get("floating_base", False), robot["gravity"],
                                   "", {})
    return Robot(native, options_of_model(description))


def options_of_model(description: Mjcf) -> dict:
    """Sections of the configuration, and what its known torques are made of."""
    return {**description.config, **dict(zip(_MODEL, (description.priors, description.known)))}


def options_over(options: dict, config, base: _heft.Configuration) -> _heft.Configuration:
    """`config` over the options of the model over `base`. Linear damping without a viscous column is a known torque; where the user
    asks for `reflected_inertia`, armature is not. A `known_torque` of the user replaces the model's joint by joint."""
    priors, known = (options.get(key, {}) for key in _MODEL)
    model = configuration({key: value for key, value in options.items() if key not in _MODEL}, base)
    wanted = configuration(config, model)
    ours, theirs = json.loads(model.json), json.loads(wanted.json)
    torques = known_torques(known, priors, theirs["columns"])
    if theirs.get("known_torque", {}) != ours.get("known_torque", {}):
        torques.update(theirs["known_torque"])
    return configuration({"known_torque": torques}, wanted) if torques != theirs.get("known_torque", {}) else wanted
