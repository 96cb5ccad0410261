"""Converts the compiled model to links and joints of a URDF."""
from __future__ import annotations

from dataclasses import replace

import numpy as np

from .._errors import HeftError
from ._parts import Body, Joint

ROOT = "world"


def rotation_of(quaternion: np.ndarray) -> np.ndarray:
    """(3, 3) of a unit quaternion w, x, y, z."""
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(quaternion)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def about_axis(axis: np.ndarray, angle: float) -> np.ndarray:
    """(3, 3) rotation about a unit vector."""
    x, y, z = axis
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + 2 * np.sin(angle / 2) ** 2 * cross @ cross


def floating_body(mujoco, model) -> int | None:
    """The body that floats, if it carries everything that moves."""
    free = np.flatnonzero(model.jnt_type == int(mujoco.mjtJoint.mjJNT_FREE))
    if len(free) != 1:
        return None
    base = model.jnt_bodyid[free[0]]
    return int(base) if np.all(model.body_rootid[model.body_weldid > 0] == base) else None


class Tree:
    """`links` in order, `bodies`, `joints`, `floating` (the base moves freely), `notes`."""

    def __init__(self, mujoco, model, names):
        self._mujoco, self._model, self._names = mujoco, model, names
        self._base = floating_body(mujoco, model)
        self.floating = self._base is not None
        self.links: list[str] = [] if self.floating else [ROOT]
        self.bodies: list[Body] = []
        self.joints: list[Joint] = []
        self.notes: list[str] = []
        self._taken_joints = {names.joint(index) for index in range(model.njnt)}
        self._taken_links = {names.body(index) for index in range(model.nbody)}
        self._frames = {0: (ROOT, np.zeros(3))}  # by body: link, origin of the link's frame in the body's
        for index in range(1, model.nbody):
            self._add(index)
        self.joints = _with_couplings(mujoco, model, names, self.joints)

    def _add(self, index: int) -> None:
        model = self._model
        if self.floating and model.body_weldid[index] == 0:
            self._append_body(index, None, np.zeros(3))
            if model.body_mass[index] > 0:
                self.notes.append(f"body '{self._names.body(index)}' is fixed to the world and is left out")
            return
        first, count = model.body_jntadr[index], model.body_jntnum[index]
        parent, parent_offset = self._frames[model.body_parentid[index]]
        origin, rotation = model.body_pos[index] - parent_offset, rotation_of(model.body_quat[index])
        if self.floating and index == self._base:
            self.links.append(self._names.body(index))
            self._frames[index] = (self._names.body(index), np.zeros(3))
            self._append_body(index, self._names.body(index), np.zeros(3))
            return
        if count == 0:
            name = self._free(f"{self._names.body(index)}_fixed", self._taken_joints)
            self._append(Joint(name, "fixed", parent, self._names.body(index), origin, rotation, where=self._names.where_body(index)))
        at = (parent, origin, rotation, np.zeros(3))
        for k in range(count):
            at = self._add_joint(first + k, at, self._names.body(index) if k == count - 1 else None)
        self._frames[index] = (self._names.body(index), at[3] if count else np.zeros(3))
        self._append_body(index, *self._frames[index])

    def _add_joint(self, index: int, at, link: str | None):
        """Attaches joint `index` to `at`: link, pose of the body's frame in it before this joint, and position of its origin in that
        frame."""
        parent, origin, rotation, _ = at
        model, kinds, name = self._model, self._mujoco.mjtJoint, self._names.joint(index)
        kind, where = int(model.jnt_type[index]), self._names.where_joint(index)
        dof, qpos = int(model.jnt_dofadr[index]), int(model.jnt_qposadr[index])
        link = link or self._free(f"{self._names.body(model.jnt_bodyid[index])}.{name}", self._taken_links)
        if kind == kinds.mjJNT_FREE:
            self._append(Joint(name, "floating", parent, link, np.zeros(3), np.eye(3), mjcf=name, dof=dof, qpos=qpos, where=where))
            return link, np.zeros(3), np.eye(3), np.zeros(3)
        anchor = model.jnt_pos[index].copy()
        origin = origin + rotation @ anchor
        if kind == kinds.mjJNT_BALL:
            self._append_ball(index, parent, link, origin, rotation)
        else:
            axis, ref = model.jnt_axis[index].copy(), float(model.qpos0[qpos])
            slides = kind == kinds.mjJNT_SLIDE
            if slides:
                origin = origin - ref * (rotation @ axis)
            else:
                rotation = rotation @ about_axis(axis, -ref)
            self._append(self._one_axis(index, Joint(name, "prismatic" if slides else "continuous", parent, link, origin, rotation, axis,
                                                     mjcf=name, dof=dof, qpos=qpos, where=where)))
        # the next joint's body frame lies in this link as the body's frame does
        return link, -anchor, np.eye(3), anchor

    def _append_ball(self, index: int, parent: str, link: str, origin, rotation) -> None:
        """Three hinges, yaw, pitch and roll, about the axes of the moving frame."""
        name, dof = self._names.joint(index), int(self._model.jnt_dofadr[index])
        for part, axis in (("yaw", (0, 0, 1)), ("pitch", (0, 1, 0)), ("roll", (1, 0, 0))):
            child = link if part == "roll" else self._free(f"{link}.{name}.{part}", self._taken_links)
            self._append(Joint(self._free(f"{name}.{part}", self._taken_joints), "continuous", parent, child, origin, rotation,
                               np.array(axis, float), mjcf=name, dof=dof, qpos=int(self._model.jnt_qposadr[index]),
                               where=self._names.where_joint(index)))
            parent, origin, rotation = child, np.zeros(3), np.eye(3)

    def _one_axis(self, index: int, joint: Joint) -> Joint:
        """`joint` with limits and passive torques."""
        model, dof = self._model, joint.dof
        limits = {}
        if model.jnt_limited[index]:
            limits = {"lower": float(model.jnt_range[index, 0]), "upper": float(model.jnt_range[index, 1])}
        armature, damping = _of_actuators(self._mujoco, model, index)
        own = np.r_[model.dof_damping[dof], _poly(model, "dof_dampingpoly", dof)]
        stiffness = np.r_[model.jnt_stiffness[index], _poly(model, "jnt_stiffnesspoly", index)]
        flags = model.opt.disableflags
        if flags & _flag(self._mujoco, "mjDSBL_DAMPER"):
            own, damping = 0 * own, 0 * damping
        if flags & _flag(self._mujoco, "mjDSBL_SPRING"):
            stiffness = 0 * stiffness
        return replace(joint, **limits, type="revolute" if limits and joint.type == "continuous" else joint.type,
                       effort=_effort(self._mujoco, model, index), damping=tuple(map(float, own + damping)),
                       stiffness=tuple(map(float, stiffness)), springref=float(model.qpos_spring[joint.qpos]),
                       armature=float(model.dof_armature[dof]), actuator_armature=float(armature),
                       frictionloss=float(model.dof_frictionloss[dof]))

    def _append(self, joint: Joint) -> None:
        self.joints.append(joint)
        self.links.append(joint.child)

    def _append_body(self, index: int, link: str | None, offset) -> None:
        model = self._model
        axes = rotation_of(model.body_iquat[index])
        self.bodies.append(Body(self._names.body(index), index, self._names.body(model.body_parentid[index]), link, np.array(offset),
                                float(model.body_mass[index]), model.body_ipos[index].copy(),
                                _symmetric(axes @ np.diag(model.body_inertia[index]) @ axes.T), self._names.where_body(index)))

    def _free(self, name: str, taken: set[str]) -> str:
        while name in taken:
            name += "_"
        taken.add(name)
        return name


def _symmetric(tensor: np.ndarray) -> np.ndarray:
    return 0.5 * (tensor + tensor.T)


def _flag(mujoco, name: str) -> int:
    """A bit of the disable flags; springs and dampers share one before MuJoCo 3.3."""
    kinds = mujoco.mjtDisableBit
    return int(getattr(kinds, name, getattr(kinds, "mjDSBL_PASSIVE", 0)))


def _poly(model, key: str, index: int) -> np.ndarray:
    """Two higher coefficients, 0 before MuJoCo 4."""
    array = getattr(model, key, None)
    return np.zeros(2) if array is None else np.array(array[index], float)


def _drives(mujoco, model, joint: int):
    """(actuator, gear) of actuators at a joint."""
    direct = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    for index in range(model.nu):
        if int(model.actuator_trntype[index]) in direct and model.actuator_trnid[index, 0] == joint:
            yield index, float(model.actuator_gear[index, 0])


def _of_actuators(mujoco, model, joint: int) -> tuple[float, np.ndarray]:
    """Armature and damping coefficients that actuators add to a joint."""
    armature, damping = 0.0, np.zeros(3)
    for index, gear in _drives(mujoco, model, joint):
        armature += gear ** 2 * float(getattr(model, "actuator_armature", np.zeros(model.nu))[index])
        if hasattr(model, "actuator_damping"):
            own = np.r_[model.actuator_damping[index], _poly(model, "actuator_dampingpoly", index)]
            damping += gear ** 2 * own
    return armature, damping


def _effort(mujoco, model, joint: int) -> float | None:
    """Largest torque: the joint's limit, or those of its actuators together; None if either is unlimited."""
    limits = []
    if model.jnt_actfrclimited[joint]:
        limits.append(float(np.abs(model.jnt_actfrcrange[joint]).max()))
    forces = [(abs(gear), _largest_force(mujoco, model, index)) for index, gear in _drives(mujoco, model, joint)]
    if forces and all(force is not None for _, force in forces):
        limits.append(sum(gear * force for gear, force in forces))
    return min(limits, default=None)


def _largest_force(mujoco, model, actuator: int) -> float | None:
    """Largest torque of an actuator: from its force range or, for a motor, its control range times its gain; None without either."""
    found = []
    if model.actuator_forcelimited[actuator]:
        found.append(float(np.abs(model.actuator_forcerange[actuator]).max()))
    is_motor = (int(model.actuator_gaintype[actuator]) == mujoco.mjtGain.mjGAIN_FIXED
                and int(model.actuator_biastype[actuator]) == mujoco.mjtBias.mjBIAS_NONE
                and int(model.actuator_dyntype[actuator]) == mujoco.mjtDyn.mjDYN_NONE)
    if is_motor and model.actuator_ctrllimited[actuator]:
        found.append(abs(float(model.actuator_gainprm[actuator, 0])) * float(np.abs(model.actuator_ctrlrange[actuator]).max()))
    return min(found, default=None)


def _with_couplings(mujoco, model, names, joints: list[Joint]) -> list[Joint]:
    """Linear equalities as mimic joints; a joint that an equality locks becomes fixed."""
    by_dof = {joint.dof: k for k, joint in enumerate(joints) if joint.dof >= 0}
    for index in range(model.neq):
        if int(model.eq_type[index]) != mujoco.mjtEq.mjEQ_JOINT or not model.eq_active0[index]:
            continue
        first, second = int(model.eq_obj1id[index]), int(model.eq_obj2id[index])
        at = by_dof[int(model.jnt_dofadr[first])]
        if joints[at].mimic is not None or not joints[at].moves:
            raise HeftError(joints[at].where, f"joint '{joints[at].name}' follows two equalities", "remove one of them")
        reference, (constant, slope) = float(model.qpos0[model.jnt_qposadr[first]]), model.eq_data[index, :2]
        if second < 0 or slope == 0:
            joints[at] = _held(joints[at], reference + float(constant))
            continue
        leader = joints[by_dof[int(model.jnt_dofadr[second])]]
        offset = reference + float(constant) - float(slope) * float(model.qpos0[model.jnt_qposadr[second]])
        joints[at] = replace(joints[at], mimic=(leader.name, float(slope), offset))
    return _without_held_leaders(joints)


def _without_held_leaders(joints: list[Joint]) -> list[Joint]:
    """Refuses joints that follow a locked joint."""
    held = {joint.name: joint for joint in joints if not joint.moves}
    for k, joint in enumerate(joints):
        if joint.mimic is not None and joint.mimic[0] in held:
            raise HeftError(joint.where, f"joint '{joint.name}' follows '{joint.mimic[0]}', which an equality holds",
                            "hold both by equalities without joint2")
    return joints


def _held(joint: Joint, position: float) -> Joint:
    """Locks a joint at a position."""
    if joint.type == "prismatic":
        xyz, rotation = joint.xyz + position * (joint.rotation @ joint.axis), joint.rotation
    else:
        xyz, rotation = joint.xyz, joint.rotation @ about_axis(joint.axis, position)
    return replace(joint, type="fixed", xyz=xyz, rotation=rotation, dof=-1)
