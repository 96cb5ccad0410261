"""Torques of gravcomp as expressions in the coordinates.

Gravity compensation lifts a share c of a body's weight at its center of mass p. Its torque is -dV/dq with V = sum c m g.p(q). V is a
sum of products of sines, cosines and strokes; polynomials are dictionaries {factors: coefficient}, vectors lists of three.
"""
from __future__ import annotations

from collections import defaultdict

import numpy as np

from .._errors import HeftError
from ._urdf import number

_LONGEST = 4096  # characters of an expression that heft reads
_NEGLIGIBLE = 1e-15  # of the largest coefficient


def compensation(model, tree, following, symbol_of) -> dict[str, str]:
    """Known torque by joint: the gravity torque that measured torques lack because of gravity compensation."""
    if tree.floating:
        raise _error(model, tree, "gravcomp on a moving base is not supported")
    actuated = {joint.name: bool(model.jnt_actgravcomp[model.dof_jntid[joint.dof]]) for joint in tree.joints if joint.dof >= 0}
    potential = _potential(model, tree, following)
    result = {}
    for leader in dict.fromkeys(name for name, _, _ in _coordinates(tree, following)):
        followers = [name for name, (at, _, _) in following.items() if at == leader and name in actuated]
        if len({actuated[name] for name in followers}) > 1:
            raise _error(model, tree, f"joints that follow '{leader}' differ in actuatorgravcomp")
        if followers and actuated[followers[0]]:
            continue  # the actuators carry it: it is in the torque
        text = _text(_derivative(potential, leader), symbol_of)
        if len(text) > _LONGEST:
            raise _error(model, tree, f"its torque on joint '{leader}' is an expression of more than {_LONGEST} characters")
        if text:
            result[leader] = text
    return result


def _error(model, tree, what: str) -> HeftError:
    body = next(body for body in tree.bodies if model.body_gravcomp[body.id])
    return HeftError(body.where, f"gravcomp of body '{body.name}': {what}",
                     "give all moving bodies the same gravcomp, or none and subtract its torque from the log")


def _coordinates(tree, following):
    """(leader, ratio, offset) of all single coordinates, including those of free joints."""
    for joint in tree.joints:
        if joint.type == "floating":
            yield from ((f"{joint.name}.{part}", 1.0, 0.0) for part in ("x", "y", "z", "yaw", "pitch", "roll"))
        elif joint.moves:
            yield following[joint.name]


def _potential(model, tree, following) -> dict:
    """V of all bodies, summed from the tips to the root."""
    moments = defaultdict(lambda: [defaultdict(float) for _ in range(3)])  # by link: sum of c m p in its frame
    masses = defaultdict(float)
    for body in tree.bodies:
        lifted = float(model.body_gravcomp[body.id]) * body.mass
        masses[body.link] += lifted
        for k in range(3):
            moments[body.link][k][()] += lifted * float((body.com - body.offset)[k])
    for joint in reversed(tree.joints):
        if masses[joint.child] == 0:
            continue
        vector, mass = moments[joint.child], masses[joint.child]
        for kind, axis, coordinate in reversed(_steps(joint, following)):
            vector = _turned(vector, axis, coordinate) if kind == "turn" else _shifted(vector, mass, axis, coordinate)
        vector = _rotated(joint.rotation, vector)
        masses[joint.parent] += mass
        for k in range(3):
            vector[k][()] += mass * float(joint.xyz[k])
            _add(moments[joint.parent][k], vector[k], 1.0)
    root, potential = moments["world"], defaultdict(float)
    for k in range(3):
        _add(potential, root[k], float(model.opt.gravity[k]))
    return potential


def _steps(joint, following):
    """(turn or slide, axis, coordinate) from the parent to the child."""
    if joint.type == "floating":
        names = [f"{joint.name}.{part}" for part in ("x", "y", "z", "yaw", "pitch", "roll")]
        axes = np.vstack([np.eye(3), np.eye(3)[::-1]])
        return [("slide" if k < 3 else "turn", axes[k], (name, 1.0, 0.0)) for k, name in enumerate(names)]
    if not joint.moves:
        return []
    return [("slide" if joint.type == "prismatic" else "turn", joint.axis, following[joint.name])]


def _add(target: dict, source: dict, factor: float, extra=()) -> None:
    if factor:
        for factors, value in source.items():
            target[tuple(sorted((*factors, *extra)))] += factor * value


def _rotated(R: np.ndarray, vector: list) -> list:
    result = [defaultdict(float) for _ in range(3)]
    for row in range(3):
        for column in range(3):
            _add(result[row], vector[column], float(R[row, column]))
    return result


def _turned(vector: list, axis, coordinate) -> list:
    """R(q) v = u (u.v) + cos q (v - u (u.v)) + sin q (u x v)."""
    x, y, z = axis
    along, cross = np.outer(axis, axis), np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    result = _rotated(along, vector)
    for matrix, factor in ((np.eye(3) - along, ("cos", *coordinate)), (cross, ("sin", *coordinate))):
        for k, part in enumerate(_rotated(matrix, vector)):
            _add(result[k], part, 1.0, (factor,))
    return result


def _shifted(vector: list, mass: float, axis, coordinate) -> list:
    result = [defaultdict(float, part) for part in vector]
    for k in range(3):
        _add(result[k], {(("", *coordinate),): mass}, float(axis[k]))
    return result


def _derivative(potential: dict, leader: str) -> dict:
    """Derivative of V with respect to the coordinate of a leader."""
    result = defaultdict(float)
    for factors, value in potential.items():
        for k, (function, name, ratio, offset) in enumerate(factors):
            if name != leader:
                continue
            rest = factors[:k] + factors[k + 1:]
            sign, new = {"sin": (1, (("cos", name, ratio, offset),)), "cos": (-1, (("sin", name, ratio, offset),)), "": (1, ())}[function]
            result[tuple(sorted((*rest, *new)))] += sign * ratio * value
    return result


def _text(polynomial: dict, symbol_of) -> str:
    largest = max(map(abs, polynomial.values()), default=0.0)
    terms = ["*".join([f"({number(value)})", *(_factor(*factor, symbol_of) for factor in factors)])
             for factors, value in polynomial.items() if abs(value) > _NEGLIGIBLE * largest]
    return "+".join(terms)


def _factor(function: str, name: str, ratio: float, offset: float, symbol_of) -> str:
    inside = f"q{symbol_of(name)}"
    if ratio != 1:
        inside = f"{number(ratio)}*{inside}"
    if offset:
        inside = f"{inside}+({number(offset)})"
    return f"{function}({inside})"
