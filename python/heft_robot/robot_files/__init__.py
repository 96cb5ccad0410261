"""Robot files of other formats: `python3 -m heft_robot convert-robot IN OUT` writes a URDF as MJCF or USD, and MJCF as URDF or USD.

Mass, center of mass and inertia of every link are preserved to 17 digits. Everything that the target cannot express is returned as notes.
"""
from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from xml.sax.saxutils import quoteattr

from .._errors import HeftError

#: format by the ending of the file to write
ENDINGS = {".urdf": "urdf", ".xml": "mjcf", ".mjcf": "mjcf", ".usda": "usd", ".usdc": "usd", ".usd": "usd"}
_ROOTS = {"robot": "urdf", "mujoco": "mjcf", "mujocoinclude": "mjcf"}
_TITLES = {"urdf": "a URDF", "mjcf": "MJCF", "usd": "USD"}


def convert_robot(path: str | os.PathLike, out: str | os.PathLike, floating_base: bool = False) -> list[str]:
    """Writes a robot file in another format and returns notes on everything that the target cannot express.

    path           URDF or MJCF, by its content
    out            .urdf, .xml (MJCF), .usda, .usdc or .usd
    floating_base  the root link moves freely (URDF does not say): MJCF gets a free joint, USD no joint to the world

    HeftError: the input cannot be read, the target cannot express the robot, a package is missing.
    """
    path, out = Path(path), Path(out)
    source, target = format_of(path), _target(out)
    if source == target:
        raise HeftError(os.fspath(out), f"would be {_TITLES[target]}, but {path} is already one",
                        "name a file of another format, such as robot.urdf, robot.xml or robot.usda")
    text, name, notes, moves_freely = _urdf_of(path, source)
    floating_base = floating_base or moves_freely
    if target == "urdf":
        _write(out, text.encode())
        return notes + ["a URDF cannot express that its root link moves freely; set robot.floating_base: true"] * moves_freely
    from .tree import read_tree

    tree = read_tree(text, name, path.parent, floating_base)
    if target == "usd":
        from .usd_writer import write_usd

        return notes + write_usd(tree, out, floating_base)
    from .mjcf_writer import mjcf_of

    document, more = mjcf_of(tree, out.parent, floating_base)
    _write(out, document.encode())
    return notes + more


def format_of(path: str | os.PathLike) -> str:
    """urdf or mjcf, by the root element of the file."""
    try:
        with open(path, "rb") as file:
            for _, element in ElementTree.iterparse(file, ("start",)):
                if element.tag in _ROOTS:
                    return _ROOTS[element.tag]
                raise HeftError(os.fspath(path), f"begins with <{element.tag}>, neither a URDF (<robot>) nor MJCF (<mujoco>)",
                                "give a URDF or MJCF file; expand xacro first: xacro robot.xacro > robot.urdf")
    except OSError as error:
        raise HeftError(os.fspath(path), f"cannot be read: {error.strerror}", "name a file that exists") from error
    except ElementTree.ParseError as error:
        line = error.position[0]
        raise HeftError(f"{os.fspath(path)}:{line}", f"is not XML: {error}", "give a URDF or MJCF file") from error
    raise HeftError(os.fspath(path), "is empty", "give a URDF or MJCF file")


def _target(out: Path) -> str:
    ending = out.suffix.lower()
    if ending not in ENDINGS:
        raise HeftError(os.fspath(out), f"has the unknown ending '{ending}'", f"end it with one of {', '.join(ENDINGS)}")
    if not out.parent.is_dir():
        raise HeftError(os.fspath(out), f"lies in {out.parent}, which does not exist", f"create it first: mkdir -p {out.parent}")
    return ENDINGS[ending]


def _urdf_of(path: Path, source: str) -> tuple[str, str, list[str], bool]:
    """URDF text, the name for its errors, notes, and whether the root moves freely."""
    if source == "urdf":
        return path.read_text(encoding="utf-8"), os.fspath(path), [], False
    from .. import mjcf

    model = mjcf.read(path)
    return _with_rotors(model.urdf, model.joints), f"{path} as URDF", [*model.notes, *_notes_of_mjcf(model)], model.floating_base


def _with_rotors(urdf: str, joints) -> str:
    """The URDF with rotor inertias as Drake's elements, with a gear ratio of 1."""
    armatures = {joint.name: joint.armature + joint.actuator_armature for joint in joints if joint.moves}
    elements = "".join(
        f"  <transmission name={quoteattr(name + '_transmission')}>\n    <type>transmission_interface/SimpleTransmission</type>\n"
        f"    <joint name={quoteattr(name)}/>\n    <actuator name={quoteattr(name + '_motor')}>\n"
        f'      <drake:rotor_inertia value="{value!r}"/>\n      <drake:gear_ratio value="1"/>\n    </actuator>\n  </transmission>\n'
        for name, value in ((name, float(value)) for name, value in armatures.items()) if value > 0)
    if not elements:
        return urdf
    head, end, tail = urdf.rpartition("</robot>")
    return head.replace("<robot ", '<robot xmlns:drake="https://drake.mit.edu" ', 1) + elements + end + tail


def _notes_of_mjcf(model) -> list[str]:
    """Notes on parts of an MJCF model that neither URDF nor this USD can express."""
    notes, options = [], model.config.get("robot", {})
    if model.known:
        notes.append(f"left out: springs, gravity compensation and polynomial damping of {', '.join(model.known)}")
    if balls := [name.partition(" ")[2] for name in model.priors if " of ball " in name or " of free " in name]:
        notes.append(f"left out: damping and armature {', '.join(dict.fromkeys(balls))}")
    if turned := sorted({joint.mjcf for joint in model.joints if joint.moves and joint.mjcf not in ("", joint.name)}):
        notes.append(f"joints with several coordinates become hinges and slides: {', '.join(turned)}")
    if held := [joint.mjcf for joint in model.joints if joint.mjcf and not joint.moves]:
        notes.append(f"joints locked by an equality become fixed: {', '.join(held)}")
    if options.get("gravity", [0, 0, -9.81]) != [0, 0, -9.81]:
        notes.append(f"left out: gravity {options['gravity']} m/s^2 (robot.gravity in a configuration of Heft)")
    geoms = int(model.model.ngeom)
    if geoms:
        notes.append(f"left out: shapes ({geoms})")
    return notes


def _write(out: Path, content: bytes) -> None:
    """Writes a file completely or not at all."""
    partial = out.with_name(out.name + ".partial")
    try:
        partial.write_bytes(content)
        os.replace(partial, out)
    except OSError as error:
        partial.unlink(missing_ok=True)
        raise HeftError(os.fspath(out), f"cannot be written: {error.strerror}", "name a file in a writable folder") from error
