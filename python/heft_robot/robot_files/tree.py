"""A URDF as numeric links and joints, for the writers of other formats."""
from __future__ import annotations

import os
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

import numpy as np

from .._errors import HeftError
from ..robot import Robot

_UNLIMITED = 1e12  #: larger limits are placeholders of a format that demands one


@dataclass
class Pose:
    """R (3, 3), p (3,) [m]: x in the frame becomes R x + p in its parent."""

    R: np.ndarray = field(default_factory=lambda: np.eye(3))
    p: np.ndarray = field(default_factory=lambda: np.zeros(3))

    def __matmul__(self, other: Pose) -> Pose:
        return Pose(self.R @ other.R, self.R @ other.p + self.p)


@dataclass
class Shape:
    """kind: box, sphere, cylinder or mesh; size: edges, (radius,) or (radius, length) [m], or scale of the mesh; file: path of the mesh,
    None if it was not found; reference: the file's own words for it."""

    kind: str
    pose: Pose
    size: np.ndarray
    collides: bool
    file: Path | None = None
    reference: str = ""


@dataclass
class Link:
    """mass [kg], com (3,) [m] and inertia (3, 3) about it [kg m^2], both in the link's axes."""

    name: str
    mass: float = 0.0
    com: np.ndarray = field(default_factory=lambda: np.zeros(3))
    inertia: np.ndarray = field(default_factory=lambda: np.zeros((3, 3)))
    shapes: list[Shape] = field(default_factory=list)
    has_inertial: bool = False


@dataclass
class Joint:
    """kind: revolute, continuous, prismatic, fixed, floating or planar; lower, upper, effort, velocity: None if not limited; armature:
    rotor inertia times the square of the gear ratio [kg m^2]; mimic: (joint, multiplier, offset) or None."""

    name: str
    kind: str
    parent: str
    child: str
    pose: Pose
    axis: np.ndarray
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    velocity: float | None = None
    damping: float = 0.0
    friction: float = 0.0
    armature: float = 0.0
    mimic: tuple[str, float, float] | None = None

    @property
    def moves(self) -> bool:
        return self.kind != "fixed"


@dataclass
class Tree:
    """links by name, joints in the order of the file, root: name of the root link, unread: elements that no writer keeps."""

    name: str
    path: str
    links: dict[str, Link]
    joints: list[Joint]
    root: str
    unread: list[str]

    def children(self, link: str) -> list[Joint]:
        """joints whose parent is the link, in the order of the file"""
        return [joint for joint in self.joints if joint.parent == link]


def read_tree(text: str, path: str, folder: Path, floating_base: bool = False) -> Tree:
    """Reads a URDF text; `path` is its name in errors and `folder` its location: meshes are there or in packages above. Errors are those
    of Robot.from_urdf."""
    Robot.from_urdf_text(text, path, floating_base)  # refuses xacro, broken numbers and graphs with file, line and remedy
    root = _parsed(text)
    links = {element.get("name"): _link(element, folder) for element in root.findall("link")}
    armatures = _armatures(root)
    joints = [_joint(element, armatures) for element in root.findall("joint")]
    children = {joint.child for joint in joints}
    unread = sorted({element.tag for element in root} - {"link", "joint", "material"})
    name = next(name for name in links if name not in children)
    return Tree(root.get("name") or "robot", path, links, joints, name, unread)


def _parsed(text: str):
    """Root element; prefixes without a declaration, as drake:rotor_inertia, stay part of the name."""
    builder, parser = ElementTree.TreeBuilder(), expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = builder.start, builder.end
    parser.CharacterDataHandler = builder.data
    parser.Parse(text.encode(), True)
    return builder.close()


def rotation_of(rpy) -> np.ndarray:
    """(3, 3) of URDF's roll, pitch, yaw [rad] about fixed axes."""
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


def quaternion_of(R: np.ndarray) -> np.ndarray:
    """(4,) unit quaternion w, x, y, z of a rotation matrix, by its largest entry."""
    squares = np.array([np.trace(R), R[0, 0], R[1, 1], R[2, 2]])
    at = int(np.argmax(squares))
    if at == 0:
        q = np.array([1 + squares[0], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    else:
        i, j, k = (at - 1) % 3, at % 3, (at + 1) % 3
        q = np.zeros(4)
        q[0] = R[k, j] - R[j, k]
        q[1 + i] = 1 + 2 * R[i, i] - squares[0]
        q[1 + j], q[1 + k] = R[j, i] + R[i, j], R[k, i] + R[i, k]
    q /= np.linalg.norm(q)
    return q if q[0] >= 0 else -q


def check_inertia(link: Link, path: str, target: str) -> None:
    """Refuses a body that the target would change: negative mass, moments that violate the triangle inequality."""
    moments = np.linalg.eigvalsh(link.inertia)
    if link.mass < 0 or moments[0] < -1e-12 * abs(moments[2]):
        raise HeftError(path, f"link '{link.name}' has negative mass or a negative moment of inertia; {target} cannot express it",
                        f"heft check {path} --fix fixed.urdf writes the nearest physically consistent file")
    if moments[0] + moments[1] < moments[2] * (1 - 1e-12):
        raise HeftError(path, f"link '{link.name}' has moments of inertia {moments[0]:.4g}, {moments[1]:.4g} and {moments[2]:.4g} kg m^2, "
                              f"of which the largest exceeds the sum of the others; {target} would change them",
                        f"heft check {path} --fix fixed.urdf writes the nearest physically consistent file")


def _numbers(text: str | None, default: tuple[float, ...]) -> np.ndarray:
    return np.array([float(word) for word in text.split()] if text and text.strip() else default, dtype=float)


def _pose(element) -> Pose:
    origin = element.find("origin") if element is not None else None
    if origin is None:
        return Pose()
    return Pose(rotation_of(_numbers(origin.get("rpy"), (0, 0, 0))), _numbers(origin.get("xyz"), (0, 0, 0)))


def _link(element, folder: Path) -> Link:
    link = Link(element.get("name"))
    inertial = element.find("inertial")
    if inertial is not None:
        pose, inertia = _pose(inertial), inertial.find("inertia")
        values = {key: float(inertia.get(key, 0)) for key in ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")} if inertia is not None else {}
        I = _tensor(**values) if values else np.zeros((3, 3))
        mass = inertial.find("mass")
        link.mass = float(mass.get("value", 0)) if mass is not None else 0.0
        link.com, link.has_inertial = pose.p, True
        link.inertia = I if np.array_equal(pose.R, np.eye(3)) else _symmetric(pose.R @ I @ pose.R.T)
    for tag in ("visual", "collision"):
        for shape in element.findall(tag):
            read = _shape(shape, tag == "collision", folder)
            if read is not None:
                link.shapes.append(read)
    return link


def _tensor(ixx, ixy, ixz, iyy, iyz, izz) -> np.ndarray:
    return np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])


def _symmetric(A: np.ndarray) -> np.ndarray:
    return 0.5 * (A + A.T)


def _shape(element, collides: bool, folder: Path) -> Shape | None:
    geometry = element.find("geometry")
    one = next(iter(geometry), None) if geometry is not None else None
    if one is None:
        return None
    pose = _pose(element)
    if one.tag == "box":
        return Shape("box", pose, _numbers(one.get("size"), (0, 0, 0)), collides)
    if one.tag == "sphere":
        return Shape("sphere", pose, np.array([float(one.get("radius", 0))]), collides)
    if one.tag in ("cylinder", "capsule"):
        return Shape(one.tag, pose, np.array([float(one.get("radius", 0)), float(one.get("length", 0))]), collides)
    if one.tag == "mesh":
        reference = one.get("filename", "")
        return Shape("mesh", pose, _numbers(one.get("scale"), (1, 1, 1)), collides, _mesh_file(reference, folder), reference)
    return None


def _mesh_file(reference: str, folder: Path) -> Path | None:
    """Path of a mesh: package://NAME/.. is in a folder NAME above the file, other paths are relative to the file."""
    package, _, rest = reference.removeprefix("package://").partition("/")
    if reference.startswith("package://"):
        above = [folder.resolve(), *folder.resolve().parents]
        candidates = [parent / rest for parent in above if parent.name == package] + [parent / package / rest for parent in above]
    else:
        candidates = [folder / reference.removeprefix("file://")]
    return next((path for path in candidates if path.is_file()), None)


def _joint(element, armatures: dict[str, float]) -> Joint:
    limit, dynamics, mimic = element.find("limit"), element.find("dynamics"), element.find("mimic")
    axis = element.find("axis")
    joint = Joint(element.get("name"), element.get("type"), element.find("parent").get("link"), element.find("child").get("link"),
                  _pose(element), _numbers(axis.get("xyz") if axis is not None else None, (1, 0, 0)),
                  armature=armatures.get(element.get("name"), 0.0))
    norm = np.linalg.norm(joint.axis)
    joint.axis = joint.axis / norm if norm > 0 else joint.axis
    if limit is not None:
        joint.effort, joint.velocity = _positive(limit.get("effort")), _positive(limit.get("velocity"))
        if joint.kind in ("revolute", "prismatic"):
            lower, upper = float(limit.get("lower", 0)), float(limit.get("upper", 0))
            if lower > -_UNLIMITED or upper < _UNLIMITED:
                joint.lower, joint.upper = lower, upper
    if dynamics is not None:
        joint.damping, joint.friction = float(dynamics.get("damping", 0)), float(dynamics.get("friction", 0))
    if mimic is not None:
        joint.mimic = (mimic.get("joint"), float(mimic.get("multiplier", 1)), float(mimic.get("offset", 0)))
    return joint


def _positive(text: str | None) -> float | None:
    value = float(text) if text else 0.0
    return value if 0 < value < _UNLIMITED else None


def _armatures(root) -> dict[str, float]:
    """Rotor inertia times the square of the gear ratio by joint, of Drake's elements in <transmission>."""
    armatures: dict[str, float] = {}
    for transmission in root.findall("transmission"):
        joint, actuator = transmission.find("joint"), transmission.find("actuator")
        values = {child.tag.rpartition(":")[2]: child.get("value") for child in actuator} if actuator is not None else {}
        if joint is not None and "rotor_inertia" in values:
            armatures[joint.get("name")] = float(values["rotor_inertia"]) * float(values.get("gear_ratio") or 1) ** 2
    return armatures


def path_from(folder: Path, path: Path) -> str:
    """Path as seen from a folder."""
    return os.path.relpath(path.resolve(), folder.resolve())
