"""read(): converts an MJCF file to a URDF and options."""
from __future__ import annotations

import os

import numpy as np

from . import _urdf
from ._compiled import compiled, mujoco
from ._names import Names
from ._parts import Mjcf
from ._refusals import refuse
from ._text import Text
from ._torques import gravity_scale, known_torques, passive
from ._tree import Tree, floating_body


def read(path: str | os.PathLike) -> Mjcf:
    """Reads an MJCF file through MuJoCo's compiled model. HeftError names element and line of anything that Heft cannot express."""
    path = os.fspath(path)
    warnings: list[str] = []
    model, package, text = compiled(path, warnings), mujoco(), Text(path)
    names = Names(package, model, text)
    notes = refuse(package, model, names, text, floating_body(package, model) is not None)
    tree = Tree(package, model, names)
    scale = gravity_scale(model, tree.floating)
    torques = passive(package, model, tree)
    name = _model_name(model, path)
    bodies = {body.link: body for body in tree.bodies if body.link is not None}
    if scale is None:
        notes = [*notes, "gravcomp differs between bodies: its torques, known at the file's masses, are refused by identification unless "
                 "gravcomp=\"file\" accepts them"]
    config = _config(package, model, tree, torques, 1.0 if scale is None else scale)
    return Mjcf(path, name, _urdf.write(name, tree.links, bodies, tree.joints), config, tree.bodies, tree.joints, torques.priors,
                dict(torques.known), torques.lifts, [*dict.fromkeys(f"MuJoCo: {words}" for words in warnings), *notes, *tree.notes], model, text)


def _model_name(model, path: str) -> str:
    """The model's name, or the file's."""
    start = bytes(model.names).split(b"\0", 1)[0].decode("utf-8", "replace")
    return start if start and start != "MuJoCo Model" else os.path.splitext(os.path.basename(path))[0]


def _default_columns(tree) -> list:
    """Heft's default columns, only for single coordinates: friction of a ball joint is not that of its angles."""
    single = [joint.name for joint in tree.joints if joint.has_coordinate and joint.mjcf == joint.name]
    if all(joint.name in single for joint in tree.joints if joint.moves and joint.mimic is None):
        return ["default"]
    return [{kind: {"joints": single}} for kind in ("viscous", "coulomb", "offset")] if single else []


def _config(package, model, tree, torques, scale: float) -> dict:
    gravity = scale * np.array(model.opt.gravity)
    if model.opt.disableflags & package.mjtDisableBit.mjDSBL_GRAVITY:
        gravity = 0 * gravity
    config = {"robot": {"gravity": [float(g) for g in gravity]}}
    if tree.floating:
        config["robot"]["floating_base"] = True
    if torques.columns or any(joint.type == "floating" or joint.mjcf != joint.name for joint in tree.joints if joint.moves):
        config["columns"] = [*_default_columns(tree), *torques.columns]
    known = known_torques(torques.known, torques.priors, config.get("columns", ["default"]))
    if known:
        config["known_torque"] = known
    return config
