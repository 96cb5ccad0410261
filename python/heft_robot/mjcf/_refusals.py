"""Refuses models that a tree of rigid bodies with linear couplings cannot express, with element and line."""
from __future__ import annotations

import numpy as np

from .._errors import HeftError

_REMOVE = "remove it from a copy of the model, if its torque is negligible or not in the log"


def refuse(mujoco, model, names, text, floating: bool) -> list[str]:
    """Raises HeftError for the first construct that Heft cannot express. Returns notes about elements that have no effect on the result."""
    _plugins(model, text, names)
    _actuators(mujoco, model, names, text)
    notes = _equalities(mujoco, model, names, text)
    _tendons(model, names, text)
    _options(mujoco, model, names, text)
    _joints(mujoco, model, names, floating)
    if model.nmocap:
        index = int(np.flatnonzero(model.body_mocapid >= 0)[0])
        raise names.refuse(names.body_element(index), f"body '{names.body(index)}'", "a mocap body moves without a joint",
                           'remove mocap="true" if the body does not move, or remove the body')
    if model.nv == 0:
        raise HeftError(text.path, "no body has a joint", "give a model with at least one joint")
    return notes


def _plugins(model, text, names) -> None:
    if model.nplugin:
        raise names.refuse(text.find("plugin", number=0), "<plugin>", "plugin forces are not supported", _REMOVE)
    if model.nflex:
        name = names.given("mjOBJ_FLEX", 0)
        element = text.find("flex", name) or text.find("flexcomp", name)
        raise names.refuse(element, f"flex '{name}'", "deformable bodies are not supported", _REMOVE)


def _actuators(mujoco, model, names, text) -> None:
    elements = text.section("actuator")
    for index in range(model.nu):
        element = elements[index] if len(elements) == model.nu else None
        label = f"actuator '{names.given('mjOBJ_ACTUATOR', index) or index}'"
        gain, dynamics = int(model.actuator_gaintype[index]), int(model.actuator_dyntype[index])
        if gain == mujoco.mjtGain.mjGAIN_MUSCLE or dynamics == mujoco.mjtDyn.mjDYN_MUSCLE:
            raise names.refuse(element, label, "muscles are not supported", _REMOVE)
        transmission = int(model.actuator_trntype[index])
        if transmission == mujoco.mjtTrn.mjTRN_TENDON:
            raise names.refuse(element, label, "it drives a tendon and thus several joints",
                               "drive the joints themselves in a copy of the model, with gear as in the tendon")
        if transmission == mujoco.mjtTrn.mjTRN_SLIDERCRANK:
            raise names.refuse(element, label, "a slider-crank is a closed loop", _REMOVE)
        direct = transmission in (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
        if not direct and (_at(model, "actuator_armature", index) or _at(model, "actuator_damping", index)):
            raise names.refuse(element, label, "armature or damping that acts on no joint is not supported", _REMOVE)


def _equalities(mujoco, model, names, text) -> list[str]:
    elements, notes = text.section("equality"), []
    kinds = {getattr(mujoco.mjtEq, key): key[5:].lower() for key in dir(mujoco.mjtEq) if key.startswith("mjEQ_")}
    for index in range(model.neq):
        element = elements[index] if len(elements) == model.neq else None
        name, kind = names.given("mjOBJ_EQUALITY", index), kinds.get(mujoco.mjtEq(model.eq_type[index]), "?")
        label = f"equality '{name}' ({kind})" if name else f"equality {index} ({kind})"
        if not model.eq_active0[index]:
            notes.append(f"{label} is not active, and is left out")
        elif kind == "joint" and np.any(model.eq_data[index, 2:5]):
            raise names.refuse(element, label, "its polycoef is not linear: " + " ".join(f"{c:g}" for c in model.eq_data[index, :5]),
                               "replace it with a line that fits the used range, or remove it")
        elif kind != "joint":
            what = "it closes a loop" if kind in ("connect", "weld") else f"an equality of kind {kind} is not supported"
            raise names.refuse(element, label, what, 'remove it, or set active="false", if the log shows the robot without it')
    return notes


def _tendons(model, names, text) -> None:
    """Tendons without force only limit, or are measured."""
    elements = text.section("tendon")
    for index in range(model.ntendon):
        forces = ("tendon_stiffness", "tendon_stiffnesspoly", "tendon_damping", "tendon_dampingpoly", "tendon_frictionloss",
                  "tendon_armature")
        acting = [key[7:].replace("poly", "") for key in forces if np.any(_at(model, key, index))]
        if acting:
            name = names.given("mjOBJ_TENDON", index)
            element = elements[index] if len(elements) == model.ntendon else text.find("fixed", name) or text.find("spatial", name)
            raise names.refuse(element, f"tendon '{name or index}'", f"its {' and '.join(dict.fromkeys(acting))} couples joints", _REMOVE)


def _options(mujoco, model, names, text) -> None:
    if model.opt.density or model.opt.viscosity:
        element = next((e for e in text.elements() if e.tag == "option" and {"density", "viscosity"} & set(e.attributes)), None)
        raise names.refuse(element, "<option>", f"forces of a fluid (density {model.opt.density:g}, viscosity "
                           f"{model.opt.viscosity:g}) are not supported", "set density and viscosity to 0, if the log is of a robot in air")


def _joints(mujoco, model, names, floating: bool) -> None:
    for index in range(model.njnt):
        kind, dof = int(model.jnt_type[index]), model.jnt_dofadr[index]
        element, label = names.joint_element(index), f"joint '{names.joint(index)}'"
        if np.any(_at(model, "jnt_springyield", index)):
            raise names.refuse(element, label, "a yielding spring is not supported", "remove springyield")
        if kind in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
            continue
        word = "ball" if kind == mujoco.mjtJoint.mjJNT_BALL else "free"
        if np.any(_at(model, "jnt_stiffness", index)) or np.any(_at(model, "jnt_stiffnesspoly", index)):
            raise names.refuse(element, label, f"the spring of a {word} joint is not supported", "set its stiffness to 0")
        dofs = slice(dof, dof + (3 if word == "ball" else 6))
        if np.any(_at(model, "dof_dampingpoly", dofs)) or np.any(model.dof_frictionloss[dofs]):
            raise names.refuse(element, label, f"frictionloss and higher damping of a {word} joint are not supported", "set them to 0")
        if word == "free" and floating and (np.any(model.dof_damping[dofs]) or np.any(model.dof_armature[dofs])):
            raise names.refuse(element, label, "damping and armature of a moving base are not supported",
                               "set them to 0; a class may set them, so write a <freejoint/>")


def _at(model, key: str, index):
    """An entry of an array; 0 where this version of MuJoCo lacks it."""
    array = getattr(model, key, None)
    return 0 if array is None else array[index]
