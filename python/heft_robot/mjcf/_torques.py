"""Passive torques of the model as Heft's columns and known torques."""
from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field

import numpy as np

from .._errors import HeftError
from ._gravity import compensation
from ._urdf import number


CHANGE = "armature change"  # name of the columns


def term(kind: str, joint: str, value: float) -> str:
    """Torque of a joint's armature (reflected_inertia) or linear damping (viscous)."""
    return f"({number(value)}*{'qdd' if kind == 'reflected_inertia' else 'qd'}{symbol_of(joint)})"


def symbol_of(joint: str) -> str:
    """The suffix of q, qd and qdd in expressions: heft writes _ for all but letters and digits."""
    return "_" + "".join(c if c.isalnum() and c.isascii() else "_" * len(c.encode()) for c in joint)


@dataclass
class Passive:
    """`priors` of columns by name, `columns` that the model needs in addition to the default ones, `known` torque expressions by joint,
    with those of armature kept separate: identification estimates the change of armature, which is 0 if the log cannot distinguish it from
    inertia. `lifts`: the known
    torques of gravcomp."""

    priors: dict[str, float] = field(default_factory=dict)
    columns: list = field(default_factory=list)
    known: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    lifts: dict[str, str] = field(default_factory=dict)


def passive(mujoco, model, tree) -> Passive:
    """Dampers, springs, armature and friction of the coordinates, followers added to the joints that they follow."""
    result = Passive()
    symbols = _symbols(tree.joints)
    following = following_of(tree.joints)
    inertia = defaultdict(float)
    for joint in tree.joints:
        if joint.type in ("fixed", "floating") or joint.mjcf == "":
            continue
        leader, ratio, offset = following[joint.name]
        inertia[leader] += ratio ** 2 * (joint.armature + joint.actuator_armature)
        _add(result.priors, f"viscous {leader}", ratio ** 2 * joint.damping[0])
        _add(result.priors, f"coulomb {leader}", abs(ratio) * joint.frictionloss)
        result.known[leader] += _damper(symbols[leader], ratio, joint.damping) + _spring(symbols[leader], ratio, offset, joint)
    for leader, value in inertia.items():
        _add(result.priors, f"reflected_inertia {leader}", value)
    turning = [leader for leader, value in inertia.items() if value > 0]
    if turning:
        result.columns.append({"expression": {"name": CHANGE, "unit": "kg m^2", "each_joint": "qdd", "joints": turning}})
    _balls(mujoco, model, tree.joints, result)
    weightless = model.opt.disableflags & mujoco.mjtDisableBit.mjDSBL_GRAVITY
    if gravity_scale(model, tree.floating) is None and not weightless:
        result.lifts = compensation(model, tree, following, symbol_of)
        for joint, text in result.lifts.items():
            result.known[joint].append(text)
    result.known = {joint: terms for joint, terms in result.known.items() if terms}
    return result


def _add(values: dict, key: str, value: float) -> None:
    if value:
        values[key] = values.get(key, 0.0) + value


def _symbols(joints) -> dict[str, str]:
    """Suffixes of q, qd and qdd in expressions by joint."""
    written = {joint.name: symbol_of(joint.name) for joint in joints if joint.has_coordinate}
    for name, text in written.items():
        other = next((n for n, t in written.items() if t == text and n != name), None)
        if other is not None:
            raise HeftError(next(joint.where for joint in joints if joint.name == name),
                            f"joints '{name}' and '{other}' have the same name in expressions: q{text}", "rename one of them")
    return written


def following_of(joints) -> dict[str, tuple[str, float, float]]:
    """q = ratio q_leader + offset of every joint, along chains of joints that follow each other."""
    by_name = {joint.name: joint for joint in joints}
    result = {}
    for joint in joints:
        ratio, offset, at, seen = 1.0, 0.0, joint, set()
        while at.mimic is not None:
            if at.name in seen:
                raise HeftError(joint.where, f"joint '{joint.name}' follows itself", "remove one of the equalities")
            seen.add(at.name)
            leader, slope, constant = at.mimic
            ratio, offset, at = ratio * slope, ratio * constant + offset, by_name[leader]
        result[joint.name] = (at.name, ratio, offset)
    return result


def _damper(symbol: str, ratio: float, damping) -> list[str]:
    """(b |v| + c v^2) v of a follower's velocity v, as the leader feels it; the linear part is a column."""
    v, terms = f"qd{symbol}", []
    if damping[1]:
        terms.append(f"{number(damping[1] * abs(ratio) ** 3)}*abs({v})*{v}")
    if damping[2]:
        terms.append(f"{number(damping[2] * ratio ** 4)}*{v}*{v}*{v}")
    return terms


def _spring(symbol: str, ratio: float, offset: float, joint) -> list[str]:
    """(a + b x + c x^2) x with x = ratio q + offset - springref, times ratio."""
    x = f"({number(ratio)}*q{symbol}+{number(offset - joint.springref)})".replace("+-", "-")
    terms = [f"*{x}", f"*{x}*{x}", f"*{x}*{x}*{x}"]
    return [number(ratio * k) + term for k, term in zip(joint.stiffness, terms) if k]


def _balls(mujoco, model, joints, result: Passive) -> None:
    """Armature and damping of ball and free joints, one value for all their axes: kinetic energy I |w|^2 / 2 in yaw, pitch and roll,
    torque d w."""
    kinds, bit = mujoco.mjtJoint, mujoco.mjtDisableBit
    undamped = model.opt.disableflags & int(getattr(bit, "mjDSBL_DAMPER", getattr(bit, "mjDSBL_PASSIVE", 0)))
    for joint in joints:
        is_free, is_ball = joint.type == "floating", joint.name == f"{joint.mjcf}.yaw" and joint.dof >= 0
        if not is_free and not (is_ball and int(model.jnt_type[model.dof_jntid[joint.dof]]) == kinds.mjJNT_BALL):
            continue
        word, name = "free" if is_free else "ball", joint.mjcf
        y, p, r = (symbol_of(f"{name}.{part}") for part in ("yaw", "pitch", "roll"))
        damper = {"yaw": f"qd{y}-sin(q{p})*qd{r}", "pitch": f"qd{p}", "roll": f"qd{r}-sin(q{p})*qd{y}"}
        inertia = {"yaw": f"qdd{y}-sin(q{p})*qdd{r}-cos(q{p})*qd{p}*qd{r}", "pitch": f"qdd{p}+cos(q{p})*qd{y}*qd{r}",
                   "roll": f"qdd{r}-sin(q{p})*qdd{y}-cos(q{p})*qd{p}*qd{y}"}
        for axis in "xyz" if is_free else "":
            damper[axis], inertia[axis] = f"qd{symbol_of(f'{name}.{axis}')}", f"qdd{symbol_of(f'{name}.{axis}')}"
        _shared_column(result, f"viscous of {word} {name}", "N m s/rad", name, damper, 0.0 if undamped else model.dof_damping[joint.dof])
        _shared_column(result, f"armature of {word} {name}", "kg m^2", name, inertia, model.dof_armature[joint.dof])


def _shared_column(result: Passive, name: str, unit: str, joint: str, rows: dict, value: float) -> None:
    """A column if the model has such a term."""
    if value:
        rows = {f"{joint}.{part}": text for part, text in rows.items()}
        result.columns.append({"expression": {"name": name, "unit": unit, "rows": rows, "nonnegative": True}})
        result.priors[name] = float(value)


def gravity_scale(model, floating: bool) -> float | None:
    """1 - gravcomp if all moving bodies share it; None if they differ or the base moves."""
    moving = (model.body_weldid > 0) & (model.body_mass > 0)
    values = model.body_gravcomp[moving]
    actuated = model.jnt_actgravcomp if hasattr(model, "jnt_actgravcomp") else np.zeros(model.njnt)
    if not np.any(values) or np.all(actuated):
        return 1.0
    if floating or np.any(actuated) or np.ptp(values) > 0:
        return None
    return 1.0 - float(values[0])


def known_torques(known: dict[str, list[str]], priors: dict[str, float], columns: list) -> dict[str, str]:
    """Known torques by joint: `known`, armature and linear damping; the last two are omitted if a column of the result includes them
    completely."""
    terms = {joint: [f"({text})" for text in texts] for joint, texts in known.items()}
    for key, value in priors.items():
        kind, _, joint = key.partition(" ")
        is_shared = joint.startswith(("of ball ", "of free "))
        if kind in ("viscous", "reflected_inertia") and not is_shared and not _has_column(columns, kind, joint):
            terms.setdefault(joint, []).append(term(kind, joint, value))
    return {joint: "+".join(texts) for joint, texts in terms.items() if texts}


def _has_column(columns: list, kind: str, joint: str) -> bool:
    """Whether a joint has such a column; `columns` as in the YAML file."""
    for column in columns:
        for name, options in (column if isinstance(column, dict) else {column: {}}).items():
            if (name == kind or (name == "default" and kind == "viscous")) and joint in ((options or {}).get("joints") or [joint]):
                return True
    return False
