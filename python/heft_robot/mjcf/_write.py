"""identified.xml: the original text with identified inertias, armature, damping and frictionloss."""
from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np

from .._errors import HeftError
from ._compiled import mujoco, warnings_in
from ._edit import Edits
from ._inertias import Inertia, identified
from ._parts import Mjcf
from ._torques import CHANGE
from ._urdf import number, numbers

NAME = "identified.xml"
#: arrays of the compiled model that follow from masses and inertias
DERIVED = re.compile(r"body_(mass|ipos|iquat|inertia|subtreemass|invweight0|sameframe|simple)|dof_(M0|invweight0|simplenum|length)|"
                     r"(geom|site)_sameframe|tendon_invweight0|flexedge_invweight0|actuator_acc0|(cam|light)_(pos|poscom)0|(bvh|oct)_\w+|"
                     r"paths|\w+_pathadr")


_EXPAND = ("save the expanded model and identify that: python3 -c \"import mujoco; spec = mujoco.MjSpec.from_file('{}'); spec.compile(); "
           "print(spec.to_xml())\" > expanded.xml")


def check_writable(read: Mjcf, out: str | os.PathLike) -> None:
    """Refuses models whose compiler options or generated bodies would undo or prevent a change of inertias; also refuses to overwrite the
    model."""
    target = Path(out) / NAME
    if target.exists() and not target.is_symlink() and target.samefile(read.path):  # a link is replaced, not what it leads to
        raise HeftError(read.path, "would be overwritten by the identified model", "write to another folder (--out)")
    if read.text.unread:
        raise HeftError(next(iter(read.text.unread.values())), "is not well-formed XML, so it cannot be edited in place",
                        "correct the line")
    package = mujoco()
    with warnings_in([]):
        compiler = package.MjSpec.from_file(read.path).compiler
    undone = {"inertiafromgeom": compiler.inertiafromgeom == package.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE,
              "settotalmass": compiler.settotalmass > 0, "boundmass": compiler.boundmass > 0, "boundinertia": compiler.boundinertia > 0}
    found = [attribute for attribute, is_set in undone.items() if is_set]
    if found:
        elements = [e for e in read.text.elements() if e.tag == "compiler" and set(found) & set(e.attributes)]
        values = [f'{key}="{e.attributes[key]}"' for e in elements for key in found if key in e.attributes] or found
        raise HeftError(read.text.where(elements[0] if elements else None),
                        f"the compiler's {' and '.join(values)} would change identified masses or inertias",
                        f"remove {' and '.join(found)} in a copy of the model and identify that")
    names = _Elements(read)
    for body in read.bodies:
        if body.link is not None and read.model.body_weldid[body.id] and names.body(body) is None:
            raise HeftError(body.where, f"body '{body.name}' has no <body> of its own in the text, so its inertia cannot be written: "
                            "replicate, attach or composite makes it", _EXPAND.format(read.path))


class _Elements:
    """Elements of bodies and joints."""

    def __init__(self, read: Mjcf):
        from ._names import Names

        self._names = Names(mujoco(), read.model, read.text)
        self._joints = {int(read.model.jnt_dofadr[index]): index for index in range(read.model.njnt)}

    def body(self, body):
        return self._names.body_element(body.id)

    def joint(self, joint):
        return self._names.joint_element(self._joints[joint.dof])


def write(read: Mjcf, document: dict, out: str | os.PathLike, keep_dynamics: bool = False) -> tuple[Path, list[str]]:
    """Writes identified.xml and the includes that change to the folder `out`; `document` is result.json. Returns the path and
    notes. The files are compiled before they get their names."""
    check_writable(read, out)
    elements, edits = _Elements(read), Edits(read.text)
    inertias, notes = identified(read, document)
    for body in read.bodies:
        if body.name in inertias:
            _set_inertial(edits, elements.body(body), inertias[body.name], body)
    if not keep_dynamics:
        notes += _set_dynamics(read, document, elements, edits)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    _save(read, edits, out, inertias)
    return out / NAME, notes


def _set_inertial(edits: Edits, element, inertia: Inertia, body) -> None:
    if element is None:
        raise HeftError(body.where, f"body '{body.name}' has no <body> of its own in the text, so its inertia cannot be written",
                        "save the expanded model with MjSpec.to_xml() and identify that")
    t = inertia.tensor
    values = {"pos": numbers(inertia.com), "mass": number(inertia.mass),
              "fullinertia": numbers((t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2]))}
    if inertia.mass == 0:
        values = {"pos": "0 0 0", "mass": "0", "diaginertia": "0 0 0"}
    inertial = _inertial_of(element)
    if inertial is None:
        edits.insert_inside(element, "<inertial " + " ".join(f'{key}="{value}"' for key, value in values.items()) + "/>")
        return
    for attribute in ("quat", "axisangle", "xyaxes", "zaxis", "euler", "diaginertia", "fullinertia"):
        if attribute not in values:
            edits.set(inertial, attribute, None)
    for key, value in values.items():
        edits.set(inertial, key, value)


def _inertial_of(element):
    for child in element.children:
        if child.tag == "inertial":
            return child
        if child.tag == "include" and (found := _inertial_of(child)) is not None:
            return found
    return None


def _set_dynamics(read: Mjcf, document: dict, elements: _Elements, edits: Edits) -> list[str]:
    """Armature, damping and frictionloss of joints that have such a column; those of followers and actuators are unchanged."""
    notes = []
    attributes = {"viscous": "damping", "coulomb": "frictionloss", "reflected_inertia": "armature"}
    joints = {joint.name: joint for joint in read.joints if joint.moves}
    balls = {joint.mjcf: joint for joint in read.joints if joint.moves and joint.mjcf != joint.name}
    for column in document["columns"]:
        kind, names = column["kind"], column["joints"]
        ball = re.fullmatch(r"(viscous|armature) of (?:ball|free) (.*)", column["name"])
        if ball and ball.group(2) in balls:
            joint, attribute = balls[ball.group(2)], {"viscous": "damping", "armature": "armature"}[ball.group(1)]
            own = read.priors[column["name"]]
        elif column["name"].startswith(CHANGE + " ") and names[0] in joints:
            joint, attribute, own = joints[names[0]], "armature", joints[names[0]].armature
        elif kind in attributes and names[0] in joints and joints[names[0]].mjcf == names[0]:
            joint, attribute = joints[names[0]], attributes[kind]
            own = {"damping": joint.damping[0] - _of_actuators(read, joint), "frictionloss": joint.frictionloss,
                   "armature": joint.armature}[attribute]
        else:
            notes.append(f"{column['name']} = {column['value']:.6g} {column['unit']} has no attribute in MJCF")
            continue
        value = column["value"] - (read.priors.get(column["name"], 0.0) - own)  # without the parts of actuators and followers
        if value < 0:
            notes.append(f"{attribute} of joint '{joint.mjcf}' would be {value:.3g}, and is written as 0")
            value = 0.0
        _set_attribute(edits, elements.joint(joint), joint, attribute, value)
    return notes


def _of_actuators(read: Mjcf, joint) -> float:
    """Linear damping that actuators add to a joint."""
    return joint.damping[0] - float(read.model.dof_damping[joint.dof])


def _set_attribute(edits: Edits, element, joint, attribute: str, value: float) -> None:
    if element is None:
        raise HeftError(joint.where, f"joint '{joint.mjcf}' has no <joint> of its own in the text", "use --keep-dynamics")
    text = number(value)
    higher = joint.damping[1:]
    if attribute == "damping" and any(higher):
        text = numbers((value, *higher))
    edits.set(element, attribute, text)


def _save(read: Mjcf, edits: Edits, out: Path, inertias: dict[str, Inertia]) -> None:
    """Compiles the files under temporary names, then renames them."""
    _set_asset_folders(read, edits, out)
    trial, final = _names_of(read, edits, out, f".trial_{os.getpid()}_"), _names_of(read, edits, out, "")
    try:
        for path, name in trial.items():
            (out / name).write_bytes(_rendered(read, edits, out, path, trial))
        _verify(read, out / trial[read.path], inertias)
        rendered = {name: _rendered(read, edits, out, path, final) for path, name in final.items()}
    finally:
        for name in trial.values():
            (out / name).unlink(missing_ok=True)
    for name, content in rendered.items():
        aside = out / f"{name}.part"
        aside.write_bytes(content)
        os.replace(aside, out / name)


def _names_of(read: Mjcf, edits: Edits, out: Path, prefix: str) -> dict[str, str]:
    """Names of the files to write: the main one, includes that change, and those that include other files."""
    changed = edits.changed()
    names = {read.path: prefix + NAME}
    for path in read.text.roots:
        nests = any(element.tag == "include" and element.file == path for element in read.text.elements())
        if path == read.path or not (path in changed or nests):
            continue
        stem, number_ = "identified_" + os.path.basename(path).removeprefix("identified_"), 2
        if (out / stem).exists() and (out / stem).samefile(path):  # what is read stays
            stem = f"identified_{os.path.basename(path)}"
        name = stem
        while prefix + name in names.values():
            name, number_ = f"{number_}_{stem}", number_ + 1
        names[path] = prefix + name
    return names


def _rendered(read: Mjcf, edits: Edits, out: Path, path: str, names: dict[str, str]) -> bytes:
    """The file with edits, its includes under their new names or by their path from `out`."""
    for included, elements in read.text.includes.items():
        for element in elements:
            edits.set(element, "file", names.get(included) or _from(out, included))
    return edits.contents(path)


def _from(out: Path, path: str) -> str:
    """A path as seen from the folder `out`, with slashes."""
    return os.path.relpath(os.path.abspath(path), os.path.abspath(out)).replace(os.sep, "/")


def _set_asset_folders(read: Mjcf, edits: Edits, out: Path) -> None:
    """Adapts the paths of meshes and textures to `out`."""
    folder = os.path.dirname(os.path.abspath(read.path))
    files = [e for e in read.text.elements() if e.tag in ("mesh", "hfield", "texture", "skin", "model", "flexcomp")
             and any(key.startswith("file") for key in e.attributes)]
    if not files or os.path.abspath(out) == folder:
        return
    for element in files:
        if element.tag == "model" and not os.path.isabs(element.attributes["file"]):
            edits.set(element, "file", _from(out, os.path.join(folder, element.attributes["file"])))
    given = set()
    for element in (e for e in read.text.elements() if e.tag == "compiler"):
        for key in ("assetdir", "meshdir", "texturedir"):
            if key in element.attributes:
                given |= {"meshdir", "texturedir"} if key == "assetdir" else {key}
                if not os.path.isabs(element.attributes[key]):
                    edits.set(element, key, _from(out, os.path.join(folder, element.attributes[key])))
    missing = [key for key in ("meshdir", "texturedir") if key not in given]
    if missing:
        edits.insert_inside(read.text.root, "<compiler " + " ".join(f'{key}="{_from(out, folder)}"' for key in missing) + "/>")


def _verify(read: Mjcf, path: Path, inertias: dict[str, Inertia]) -> None:
    """Checks that the written model has the identified masses and otherwise the arrays of the original."""
    package = mujoco()
    try:
        with warnings_in([]):
            written = package.MjModel.from_xml_path(str(path))
    except (ValueError, RuntimeError, package.FatalError) as error:
        raise HeftError(read.path, f"MuJoCo refuses the model with identified inertias: {' '.join(str(error).split())}",
                        _remedy(read, str(error))) from error
    for body in read.bodies:
        wanted = inertias[body.name].mass if body.name in inertias else body.mass
        if abs(written.body_mass[body.id] - wanted) > 1e-12 * abs(wanted):
            raise HeftError(body.where, f"body '{body.name}' gets {written.body_mass[body.id]:.17g} kg instead of {wanted:.17g} kg",
                            "look for compiler options and defaults that change its mass")
    changed = [key for key in different_arrays(read.model, written) if not DERIVED.fullmatch(key)]
    allowed = {"dof_armature", "dof_damping", "dof_frictionloss"}
    if set(changed) - allowed - _of_damping_ratio(read.model, changed):
        raise HeftError(read.path, f"the identified model would also differ in {', '.join(sorted(set(changed) - allowed))}",
                        "use identified.urdf, and report the model")


def _remedy(read: Mjcf, message: str) -> str:
    """Names the body of result.json that contains the body in MuJoCo's message, which may be fixed to another."""
    named = re.search(r"name '([^']*)'", message)
    body = next((body for body in read.bodies if named and body.name == named.group(1)), None)
    if body is None:
        return "check the bodies with almost no mass in result.json"
    by_name = {other.name: other for other in read.bodies}
    carrier = body
    while read.model.body_dofnum[carrier.id] == 0 and carrier.parent in by_name:
        carrier = by_name[carrier.parent]
    of = f"body '{carrier.name}', of which '{body.name}' is part," if carrier is not body else f"body '{body.name}'"
    return f"check {of} in result.json; give it a prior of its own (docs/your-own-robot.md)"


def _of_damping_ratio(model, changed) -> set[str]:
    """Those of the changed arrays that follow from inertia: gains of actuators with a dampratio."""
    return {"actuator_biasprm"} & set(changed)


def different_arrays(a, b) -> list[str]:
    """Names of arrays of two compiled models that are not bit-identical."""
    names = []
    for key in dir(a):
        if key.startswith("_"):
            continue
        first, second = getattr(a, key, None), getattr(b, key, None)
        if isinstance(first, np.ndarray) and (first.shape != second.shape or first.tobytes() != second.tobytes()):
            names.append(key)
    return names
