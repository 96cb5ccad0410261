"""Draws of Result.ranges() as compiled MuJoCo models."""
from __future__ import annotations

import copy
import os

import numpy as np

from .._errors import HeftError
from ..inertia import PARAMETERS
from ..robot_files.tree import quaternion_of
from ._compiled import is_mjcf, mujoco
from ._inertias import Inertia, identified
from ._read import read

_REMEDY = "give identified.xml of this result: result.save() writes it"
_SAME = 1e-6  # relative difference of masses that are equal
_FIELDS = {"damping": "dof_damping", "frictionloss": "dof_frictionloss", "armature": "dof_armature"}


def randomized(path: str | os.PathLike, robots: dict, merged: dict[str, list[str]], nominal: dict[tuple[str, str], float],
               bodies: dict[str, np.ndarray]) -> list:
    """MjModel of every draw: the model at `path` with the draw's bodies, and with damping, frictionloss and armature changed by the
    draw's distance from `nominal`. merged: links that each body carries, by name; bodies: pseudo-inertias of the result."""
    if not isinstance(path, (str, os.PathLike)):
        raise HeftError("path", f"is a {type(path).__name__}", "give the path of identified.xml")
    if not is_mjcf(path) and os.path.exists(path):
        raise HeftError(os.fspath(path), "is not an MJCF file", _REMEDY)
    package, description = mujoco(), read(path)
    _check(description, merged, nominal, bodies)
    first = _generic(package, description)
    return [_one(package, description, first, robots, at, merged, nominal) for at in range(len(robots["mass"]))]


def _check(description, merged, nominal, bodies) -> None:
    """Refuses a model whose bodies or joints differ from the result's."""
    path = description.path
    links = {body.link: body for body in description.bodies}
    joints = {joint.name for joint in description.joints}
    for name in bodies:
        if name not in links:
            raise HeftError(path, f"has no body '{name}' of the result", _REMEDY)
    for name, _ in nominal:
        if name not in joints:
            raise HeftError(path, f"has no joint '{name}' of the result", _REMEDY)
    for name, J in bodies.items():
        mass = sum(links[link].mass for link in (name, *merged[name]) if link in links)
        if abs(mass - J[3, 3]) > _SAME * J[3, 3]:
            raise HeftError(links[name].where, f"body '{name}' has {mass:.7g} kg including bodies fixed to it, but {J[3, 3]:.7g} kg in the result",
                            _REMEDY)


def _generic(package, description):
    """The model compiled with inertias that are not diagonal, so that the compiler's shortcuts for simple bodies do not apply."""
    spec = package.MjSpec.from_file(description.path)
    spec.compile()
    masses = {body.id: body for body in description.bodies if body.mass > 0}
    for body in spec.bodies:
        if body.id in masses and description.model.body_dofnum[body.id]:
            size = float(np.linalg.eigvalsh(masses[body.id].inertia)[0])
            tensor = masses[body.id].inertia + 0.01 * size * (np.ones((3, 3)) - np.eye(3))
            body.ipos, body.explicitinertial = masses[body.id].com + 1e-3, True
            body.inertia, body.iquat = np.zeros(3), np.array([1.0, 0, 0, 0])  # of a diaginertia, which excludes fullinertia
            body.fullinertia = [tensor[0, 0], tensor[1, 1], tensor[2, 2], tensor[0, 1], tensor[0, 2], tensor[1, 2]]
    return spec.compile()


def _one(package, description, first, robots: dict, at: int, merged, nominal):
    model = copy.copy(first)
    for body in description.bodies:
        _set_body(model, body.id, Inertia(body.mass, body.com, body.inertia))
    entries = [{"name": name, "merged_links": merged[name], "parameters": dict(zip(PARAMETERS, ten))}
               for name, ten in zip(robots["bodies"], _parameters(robots, at))]
    ids = {body.name: body.id for body in description.bodies}
    for name, inertia in identified(description, {"bodies": entries})[0].items():
        _set_body(model, ids[name], inertia)
    for joint in description.joints:
        for quantity, field in _FIELDS.items():
            values = robots["joints"].get(quantity, {}).get(joint.name)
            if values is not None and joint.dof >= 0:
                array = getattr(model, field)
                array[joint.dof] = max(0.0, array[joint.dof] + values[at] - nominal[joint.name, quantity])
    package.mj_setConst(model, package.MjData(model))
    return model


def _set_body(model, body: int, inertia: Inertia) -> None:
    moments, axes = np.linalg.eigh(inertia.tensor)
    axes = axes if np.linalg.det(axes) > 0 else axes * [1, 1, -1]
    model.body_mass[body], model.body_ipos[body] = inertia.mass, inertia.com
    model.body_inertia[body], model.body_iquat[body] = moments, quaternion_of(axes)
    model.body_sameframe[body] = 0  # the axes of inertia are not those of the body


def _parameters(robots: dict, at: int) -> np.ndarray:
    """(bodies, 10) of a draw, about the origins."""
    m, c, I = robots["mass"][at], robots["com"][at], robots["inertia"][at]
    I = I + m[:, None, None] * ((c**2).sum(-1)[:, None, None] * np.eye(3) - c[:, :, None] * c[:, None, :])
    return np.hstack([m[:, None], m[:, None] * c, I[:, [0, 0, 1, 0, 1, 2], [0, 1, 1, 2, 2, 2]]])
