"""Logs from arrays of a MuJoCo simulation, with the names and coordinates of Robot.from_mjcf()."""
from __future__ import annotations

import os
import warnings

import numpy as np

from .. import _arrays
from .._errors import HeftError, LogNote
from ._compiled import compiled, mujoco
from ._names import Names
from ._text import NoText
from ._torques import following_of, passive
from ._tree import Tree

_CLEAR = 1.5  # of what saturates friction: the model may differ a little from what was simulated
_SINGULAR = 0.02  # cos(pitch) below which angles of a ball joint are not used


def log_columns(model, qpos, qvel, qacc, torque, t=None, ctrl=None) -> tuple[dict[str, np.ndarray], dict]:
    """Columns of a log by name, and the recommended options for reading it."""
    model = compiled(model) if isinstance(model, (str, os.PathLike)) else model
    package = mujoco()
    if not isinstance(model, package.MjModel):
        raise HeftError("model", f"is a {type(model).__name__}", "give a mujoco.MjModel, or the path of an MJCF file")
    qpos, qvel, qacc = (_array(name, array, width) for name, array, width in
                        (("qpos", qpos, model.nq), ("qvel", qvel, model.nv), ("qacc", qacc, model.nv)))
    if torque is not None and ctrl is not None:
        raise HeftError("ctrl", "cannot be combined with torque", "give one of them")
    if torque is None:
        torque = _of_controls(package, model, qpos, qvel, _array("ctrl", ctrl, model.nu))
    torque = _array("torque", torque, model.nv)
    for name, array in (("qvel", qvel), ("qacc", qacc), ("torque", torque)):
        _arrays.same_rows("qpos", qpos, name, array)
    t = model.opt.timestep * np.arange(len(qpos)) if t is None else _times(t, len(qpos))
    tree = Tree(package, model, Names(package, model, NoText()))
    columns = _Columns(package, model, tree, qpos, qvel, qacc, torque.copy())
    return {"t": t, **columns.columns}, _options(package, model, tree)


def _array(name: str, array, width: int) -> np.ndarray:
    if array is None:
        raise HeftError(name, "is missing", "give `torque`, or None and `ctrl`")
    array = np.asarray(array, dtype=float)
    if array.ndim != 2 or array.shape[1] != width:
        remedy = "give one row per sample, as in MjData"
        if name == "torque":
            remedy += "; generalized forces qfrc_actuator, not controls"
        raise HeftError(name, f"has shape {_arrays.shape_text(array.shape)}; expected for this model (n, {width})", remedy)
    if len(array) == 0:
        raise HeftError(name, "has no rows", "give one row per sample, as in MjData")
    return array


def _times(t, count: int) -> np.ndarray:
    """Increasing times [s] of all rows."""
    t = np.asarray(t, float)
    if t.shape != (count,):
        raise HeftError("t", f"has shape {_arrays.shape_text(t.shape)}; expected {_arrays.shape_text((count,))}", "give one time per row")
    if not np.isfinite(t).all():
        raise HeftError("t", f"is not finite in row {int(np.flatnonzero(~np.isfinite(t))[0])}", "drop the row")
    still = np.flatnonzero(np.diff(t) <= 0)
    if len(still):
        raise HeftError("t", f"does not increase after row {int(still[0])}, {t[still[0]]:g} s", "give data.time of every step once, in order")
    return t


def _of_controls(package, model, qpos, qvel, ctrl) -> np.ndarray:
    """Generalized forces of actuators at controls, by their gains and gears."""
    if model.na:
        raise HeftError("ctrl", "it is also needed for actuators with a state", "record data.qfrc_actuator and give it as `torque`")
    data, torque = package.MjData(model), np.zeros((len(qpos), model.nv))
    for k in range(len(qpos)):
        data.qpos[:], data.qvel[:], data.ctrl[:] = qpos[k], qvel[k], ctrl[k]
        package.mj_forward(model, data)
        torque[k] = data.qfrc_actuator
    return torque


class _Columns:
    """`columns` by name."""

    def __init__(self, package, model, tree, qpos, qvel, qacc, torque):
        self._model, self._kinds, self._joints = model, package.mjtJoint, tree.joints
        self._arrays = qpos, qvel, qacc, torque
        self.columns: dict[str, np.ndarray] = {}
        if tree.floating:
            self._base()
        self._drop_soft_friction(package, tree)
        following = following_of(tree.joints)
        for joint in tree.joints:
            if joint.type == "floating" or joint.mjcf not in ("", joint.name) and joint.name == self._parts(joint)[0]:
                self._angles(joint)
            elif joint.has_coordinate and joint.mjcf == joint.name:
                self._put(joint.name, *(array[:, at] for array, at in zip(self._arrays, (joint.qpos, joint.dof, joint.dof, joint.dof))))
        for joint in tree.joints:  # same power: a leader feels the torque of its followers through the ratio
            leader, ratio, _ = following[joint.name]
            if joint.mimic is not None:
                self.columns[f"tau_{leader}"] = self.columns[f"tau_{leader}"] + ratio * torque[:, joint.dof]

    def _put(self, name: str, q, qd, qdd, tau) -> None:
        for prefix, values in zip(("q", "qd", "qdd", "tau"), (q, qd, qdd, tau)):
            self.columns[f"{prefix}_{name}"] = np.ascontiguousarray(values)

    def _base(self) -> None:
        """Angular velocity, specific force and wrench in the base's axes; MuJoCo's linear quantities are in world axes."""
        model, (qpos, qvel, qacc, torque) = self._model, self._arrays
        index = int(np.flatnonzero(model.jnt_type == int(self._kinds.mjJNT_FREE))[0])
        a, d = model.jnt_qposadr[index], model.jnt_dofadr[index]
        R = _rotations(qpos[:, a + 3:a + 7])
        force = np.einsum("nji,nj->ni", R, qacc[:, d:d + 3] - model.opt.gravity)
        pushed = np.einsum("nji,nj->ni", R, torque[:, d:d + 3])
        for prefix, values in (("base_w", qvel[:, d + 3:d + 6]), ("base_wd", qacc[:, d + 3:d + 6]), ("base_f", force),
                               ("tau_base_f", pushed), ("tau_base_n", torque[:, d + 3:d + 6])):
            for axis, name in enumerate("xyz"):
                self.columns[prefix + name] = np.ascontiguousarray(values[:, axis])

    def _parts(self, joint) -> list[str]:
        """Names of the three coordinates of the rotation that a joint is part of; the usual names may belong to another joint."""
        if joint.type == "floating":
            return [f"{joint.mjcf}.{part}" for part in ("yaw", "pitch", "roll")]
        return [other.name for other in self._joints if other.mjcf == joint.mjcf]

    def _angles(self, joint) -> None:
        """Yaw, pitch and roll of a ball or free joint, with the corresponding velocities and torques."""
        qpos, qvel, qacc, torque = self._arrays
        a, d = joint.qpos, joint.dof
        name = joint.mjcf
        if joint.type == "floating":
            for k, axis in enumerate("xyz"):
                self._put(f"{name}.{axis}", qpos[:, a + k], qvel[:, d + k], qacc[:, d + k], torque[:, d + k])
            a, d = a + 3, d + 3
        angles, rates, accelerations, torques = _in_angles(qpos[:, a:a + 4], *(x[:, d:d + 3] for x in (qvel, qacc, torque)))
        for k, part in enumerate(self._parts(joint)):
            self._put(part, angles[:, k], rates[:, k], accelerations[:, k], torques[:, k])

    def _drop_soft_friction(self, package, tree) -> None:
        """Samples in which MuJoCo's friction clip(D (qacc + b qvel), -F, F) is not F sign(qvel)."""
        _, qvel, qacc, torque = self._arrays
        dropped = []
        for joint in tree.joints:
            if joint.dof < 0 or joint.frictionloss == 0:
                continue
            rate, stiffness = _friction_constraint(self._model, joint.dof)
            v, pushed = qvel[:, joint.dof], qacc[:, joint.dof] + rate * qvel[:, joint.dof]
            soft = (pushed * v <= 0) | (np.abs(pushed) <= _CLEAR * joint.frictionloss / stiffness)
            torque[soft, joint.dof] = np.nan
            if soft.any():
                dropped.append(f"{joint.name} {100 * soft.mean():.1f} %")
        if dropped:
            warnings.warn("torques are left out where the soft frictionloss of MuJoCo does not oppose the motion with its full size: "
                          + ", ".join(dropped), LogNote, stacklevel=_arrays._level_of_caller())


def _friction_constraint(model, dof: int) -> tuple[float, float]:
    """b [1/s] and D [kg m^2, kg] of a frictionloss constraint."""
    dmin, dmax = (float(np.clip(d, 1e-4, 0.9999)) for d in model.dof_solimp[dof, :2])
    constant, damping = map(float, model.dof_solref[dof])
    # negative numbers are stiffness and damping, else time constant and damping ratio
    rate = -damping / dmax if constant <= 0 or damping <= 0 else 2 / (dmax * max(constant, 2 * model.opt.timestep))
    return rate, dmin / ((1 - dmin) * float(model.dof_invweight0[dof]))


def _rotations(quaternions: np.ndarray) -> np.ndarray:
    """(n, 3, 3) of (n, 4) quaternions w, x, y, z."""
    w, x, y, z = (quaternions / np.linalg.norm(quaternions, axis=1, keepdims=True)).T
    return np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y), 2 * (x * y + w * z), 1 - 2 * (x * x + z * z),
                     2 * (y * z - w * x), 2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1).reshape(-1, 3, 3)


def _in_angles(quaternions, w, wd, torque):
    """Angles (n, 3) yaw, pitch, roll without jumps, their rates and accelerations, and the torques that do the same work; nan near a
    pitch of 90 degrees. w = E(q) qd in the moving axes."""
    R = _rotations(quaternions)
    yaw, pitch, roll = np.arctan2(R[:, 1, 0], R[:, 0, 0]), np.arcsin(np.clip(-R[:, 2, 0], -1, 1)), np.arctan2(R[:, 2, 1], R[:, 2, 2])
    angles = np.unwrap(np.stack([yaw, pitch, roll], axis=1), axis=0)
    sp, cp, sr, cr = np.sin(pitch), np.cos(pitch), np.sin(roll), np.cos(roll)
    zero, one = np.zeros_like(sp), np.ones_like(sp)
    E = np.stack([-sp, zero, one, sr * cp, cr, zero, cr * cp, -sr, zero], axis=1).reshape(-1, 3, 3)
    torques = np.einsum("nji,nj->ni", E, torque)
    usable = np.abs(cp) > _SINGULAR
    E[~usable] = np.eye(3)
    rates = np.linalg.solve(E, w[:, :, None])[:, :, 0]
    _, pd, rd = rates.T
    Ed = np.stack([-cp * pd, zero, zero, cr * rd * cp - sr * sp * pd, -sr * rd, zero, -sr * rd * cp - cr * sp * pd, -cr * rd, zero], axis=1)
    accelerations = np.linalg.solve(E, (wd - np.einsum("nij,nj->ni", Ed.reshape(-1, 3, 3), rates))[:, :, None])[:, :, 0]
    torques[~usable] = np.nan
    return angles, rates, accelerations, torques


def _options(package, model, tree) -> dict:
    """Options for simulated logs, which need no filter and whose friction has no smooth onset."""
    torques = passive(package, model, tree)
    rubbing = [joint.name for joint in tree.joints if joint.has_coordinate and f"coulomb {joint.name}" in torques.priors]
    damped = [joint.name for joint in tree.joints if joint.has_coordinate and joint.mjcf == joint.name]
    columns = [{"viscous": {"joints": damped}}] if damped else []
    if rubbing:
        columns.append({"coulomb": {"joints": rubbing, "tanh_width": 0.0}})
    return {"conditioning": {"filter": "none", "velocity": "logged", "trim": 0}, "columns": columns + torques.columns}
