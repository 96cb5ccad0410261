"""A URDF's links and joints as MJCF: every link is a body of the same mass, center of mass, inertia and frame.

Inertias are `fullinertia` with 17 digits, joints state whether they are limited, and the compiler options that would change bodies are off.
"""
from __future__ import annotations

from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from .._errors import HeftError
from .tree import Joint, Link, Pose, Shape, Tree, check_inertia, path_from, quaternion_of

#: mesh files that MuJoCo reads
MESHES = (".stl", ".obj", ".msh")
_MOVES = {"revolute": "hinge", "continuous": "hinge", "prismatic": "slide"}
_LEAST = 1e-14  # MuJoCo refuses moving bodies with less mass or inertia


def mjcf_of(tree: Tree, folder: Path, floating_base: bool = False) -> tuple[str, list[str]]:
    """MJCF text of a tree, and notes on everything that it omits. `folder`: destination of the text; paths of meshes are relative to it.

    HeftError: a link that MuJoCo would change or refuse, a joint that MJCF lacks.
    """
    return _Writer(tree, folder, floating_base).write()


class _Writer:
    def __init__(self, tree: Tree, folder: Path, floating_base: bool):
        self.tree, self.folder, self.floating_base = tree, folder, floating_base
        self.lines: list[str] = []
        self.meshes: dict[tuple[str, tuple[float, ...]], str] = {}
        self.left_out: list[str] = []
        self.loose: list[Joint] = []
        self.merged: list[str] = []
        self.unlimited = [joint.name for joint in tree.joints if joint.lower is not None and not joint.lower < joint.upper]

    def write(self) -> tuple[str, list[str]]:
        root = self.tree.links[self.tree.root]
        for joint in self.tree.joints:
            self._check_joint(joint)
        if root.name == "world":
            self._check_world(root)
            self._content(root, 4)
        else:
            self._body(root, Pose(), None, 4)
        for joint in self.loose:  # free bodies lie in the world
            self._body(self.tree.links[joint.child], joint.pose, joint, 4)
        assets = [f'    <mesh name="{name}" file={quoteattr(file)}{_attribute("scale", scale, (1, 1, 1))} inertia="shell"/>'
                  for (file, scale), name in self.meshes.items()]
        text = [f"<mujoco model={quoteattr(self.tree.name)}>",
                '  <compiler angle="radian" autolimits="false" inertiafromgeom="false" balanceinertia="false" boundmass="0" '
                'boundinertia="0" settotalmass="-1" fusestatic="false" discardvisual="false" strippath="false"/>',
                '  <option gravity="0 0 -9.81"/>',
                *(["  <asset>", *assets, "  </asset>"] if assets else []),
                "  <worldbody>", *self.lines, "  </worldbody>", *self._equalities(), "</mujoco>", ""]
        return "\n".join(text), self._notes()

    def _check_joint(self, joint: Joint) -> None:
        if joint.kind == "planar" or joint.kind == "floating" and joint.parent != self.tree.root:
            where = "" if joint.kind == "planar" else f" below link '{joint.parent}'"
            raise HeftError(self.tree.path, f"joint '{joint.name}' is {joint.kind}{where}, for which MJCF has no joint",
                            "replace it with prismatic and revolute joints" + (" with links between them" if where == "" else
                                                                              ", or attach its child to the root link"))
        for value in (joint.damping, joint.friction, joint.armature):
            if value < 0:
                raise HeftError(self.tree.path, f"joint '{joint.name}' has negative damping, friction or rotor inertia ({value:g})",
                                "make it positive or 0")

    def _check_world(self, root: Link) -> None:
        if self.floating_base:
            raise HeftError(self.tree.path, "the root link is named 'world', which cannot move freely", "rename the root link, or "
                                                                                                    "convert without --floating-base")
        if root.mass:
            self.left_out.append("mass of link 'world', which does not move")

    def _body(self, link: Link, pose: Pose, joint: Joint | None, indent: int, carried: tuple = ()) -> None:
        """A body of the link. `carried`: joints of links without mass before it, each with its pose in the body at rest."""
        if joint is not None and joint.moves and joint.kind != "floating" and not self._has_mass(link.name):
            self._carry_on(link, pose, joint, indent, carried)
            return
        if link.name == "world":
            raise HeftError(self.tree.path, "link 'world' is not the root link, but MuJoCo keeps that name for the root", "rename the link")
        free = joint is not None and joint.kind == "floating" or joint is None and self.floating_base
        self._line(indent, f"<body name={quoteattr(link.name)}{_attribute('pos', pose.p, (0, 0, 0))}"
                           f"{_attribute('quat', quaternion_of(pose.R), (1, 0, 0, 0))}>")
        self._inertial(link, indent + 2)
        if free:
            self._line(indent + 2, f"<freejoint{' name=' + quoteattr(joint.name) if joint is not None else ''}/>")
        for before, at in carried:
            self._line(indent + 2, _joint_element(before, at))
        if joint is not None and joint.moves and not free:
            self._line(indent + 2, _joint_element(joint))
        self._content(link, indent + 2)
        self._line(indent, "</body>")

    def _carry_on(self, link: Link, pose: Pose, joint: Joint, indent: int, carried: tuple) -> None:
        """MuJoCo refuses bodies that move without mass; those on the way to one other body become joints of that body."""
        children = self.tree.children(link.name)
        if len(children) != 1 or children[0].kind == "floating" or not self._weighs(link.name):
            raise HeftError(self.tree.path, f"link '{link.name}' moves without mass or inertia, which MuJoCo refuses",
                            "give it an <inertial>, or make its joint fixed")
        self.merged.append(link.name)
        self.left_out += [f"{shape.kind} of link '{link.name}'" for shape in link.shapes]
        below = children[0].pose
        back = Pose(below.R.T, -below.R.T @ below.p)  # the link's frame as its child sees it at rest
        self._body(self.tree.links[children[0].child], pose @ below, children[0], indent,
                   tuple((one, back @ at) for one, at in (*carried, (joint, Pose()))))

    def _content(self, link: Link, indent: int) -> None:
        for shape in link.shapes:
            self._geom(link, shape, indent)
        for joint in self.tree.children(link.name):
            if joint.kind == "floating":
                self.loose.append(joint)
            else:
                self._body(self.tree.links[joint.child], joint.pose, joint, indent)

    def _inertial(self, link: Link, indent: int) -> None:
        if link.mass == 0 and not link.inertia.any():
            return
        check_inertia(link, self.tree.path, "MuJoCo")
        I = link.inertia
        diagonal = not np.any(I - np.diag(np.diag(I)))
        inertia = f'diaginertia="{_words(np.diag(I))}"' if diagonal else \
            f'fullinertia="{_words([I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2]])}"'
        self._line(indent, f'<inertial pos="{_words(link.com)}" mass="{_word(link.mass)}" {inertia}/>')

    def _geom(self, link: Link, shape: Shape, indent: int) -> None:
        form = self._form(link, shape)
        if form is None:
            return
        role = 'group="3"' if shape.collides else 'group="2" contype="0" conaffinity="0"'
        self._line(indent, f"<geom {form}{_attribute('pos', shape.pose.p, (0, 0, 0))}"
                           f"{_attribute('quat', quaternion_of(shape.pose.R), (1, 0, 0, 0))} {role}/>")

    def _form(self, link: Link, shape: Shape) -> str | None:
        """type and size of a geom, in MuJoCo's half lengths; None: left out."""
        if shape.kind == "mesh":
            return self._mesh(link, shape)
        size = {"box": shape.size / 2, "sphere": shape.size}.get(shape.kind, shape.size * [1, 0.5] if len(shape.size) == 2 else shape.size)
        if not np.all(size > 0):
            self.left_out.append(f"{shape.kind} without size of link '{link.name}'")
            return None
        return f'type="{shape.kind}" size="{_words(size)}"'

    def _mesh(self, link: Link, shape: Shape) -> str | None:
        if shape.file is None:
            self.left_out.append(f"mesh {shape.reference} of link '{link.name}', which was not found")
            return None
        if shape.file.suffix.lower() not in MESHES:
            self.left_out.append(f"mesh {shape.reference} of link '{link.name}': MuJoCo reads {', '.join(MESHES)}")
            return None
        if shape.file.suffix.lower() == ".stl" and not _is_binary_stl(shape.file):
            self.left_out.append(f"mesh {shape.reference} of link '{link.name}': MuJoCo reads binary STL of at most 200000 faces")
            return None
        key = (path_from(self.folder, shape.file), tuple(float(x) for x in shape.size))
        name = self.meshes.setdefault(key, f"{shape.file.stem}_{len(self.meshes)}")
        return f"type=\"mesh\" mesh={quoteattr(name)}"

    def _equalities(self) -> list[str]:
        couplings = [joint for joint in self.tree.joints if joint.mimic and joint.moves]
        lines = [f'    <joint joint1={quoteattr(joint.name)} joint2={quoteattr(joint.mimic[0])} '
                 f'polycoef="{_words([joint.mimic[2], joint.mimic[1], 0, 0, 0])}"/>' for joint in couplings]
        return ["  <equality>", *lines, "  </equality>"] if lines else []

    def _notes(self) -> list[str]:
        """Notes on parts that MJCF cannot express, one line per kind."""
        notes = []
        moving = [joint for joint in self.tree.joints if joint.moves and joint.kind != "floating"]
        velocities = [joint.name for joint in moving if joint.velocity is not None]
        if velocities:
            notes.append(f"MJCF has no velocity limits: those of {_list(velocities)} are left out")
        if self.tree.unread:
            notes.append(f"left out, as MJCF has no such elements: {_list([f'<{tag}>' for tag in self.tree.unread])}")
        if self.left_out:
            notes.append(f"left out: {_list(list(dict.fromkeys(self.left_out)), '; ', 4)}")
        if self.merged:
            notes.append(f"MuJoCo refuses links that move without mass: {_list(self.merged)} became joints of the next body")
        if self.unlimited:
            notes.append(f"MuJoCo refuses limits whose lower end is not below the upper: {_list(self.unlimited)} became unlimited")
        return notes

    def _weighs(self, name: str) -> bool:
        """Whether a link or any of its descendants has mass."""
        return self.tree.links[name].mass > _LEAST or any(self._weighs(joint.child) for joint in self.tree.children(name))

    def _has_mass(self, name: str) -> bool:
        link = self.tree.links[name]
        if link.mass > _LEAST and np.linalg.eigvalsh(link.inertia)[0] > _LEAST:
            return True
        return any(self._has_mass(joint.child) for joint in self.tree.children(name) if not joint.moves)

    def _line(self, indent: int, text: str) -> None:
        self.lines.append(" " * indent + text)


def _joint_element(joint: Joint, at: Pose | None = None) -> str:
    """The joint in its body's frame, or at another pose in it."""
    at = at or Pose()
    parts = [f'<joint name={quoteattr(joint.name)} type="{_MOVES[joint.kind]}"{_attribute("pos", at.p, (0, 0, 0))} '
             f'axis="{_words(at.R @ joint.axis)}"']
    if joint.lower is None or not joint.lower < joint.upper:
        parts.append('limited="false"')
    else:
        parts.append(f'limited="true" range="{_words([joint.lower, joint.upper])}"')
    if joint.effort is not None:
        parts.append(f'actuatorfrclimited="true" actuatorfrcrange="{_words([-joint.effort, joint.effort])}"')
    for name, value in (("damping", joint.damping), ("frictionloss", joint.friction), ("armature", joint.armature)):
        if value:
            parts.append(f'{name}="{_word(value)}"')
    return " ".join(parts) + "/>"


def _is_binary_stl(path: Path) -> bool:
    with open(path, "rb") as file:
        head = file.read(84)
    faces = int.from_bytes(head[80:84], "little")
    return 1 <= faces <= 200000 and path.stat().st_size == 84 + 50 * faces


def _word(x: float) -> str:
    """Shortest text that reads back to the same double."""
    return repr(float(x) + 0.0)


def _words(values) -> str:
    return " ".join(_word(x) for x in values)


def _attribute(name: str, values, default) -> str:
    return "" if np.array_equal(np.asarray(values, dtype=float), np.asarray(default, dtype=float)) else f' {name}="{_words(values)}"'


def _list(words: list[str], separator: str = ", ", most: int = 12) -> str:
    shown = separator.join(words[:most])
    return shown if len(words) <= most else f"{shown} and {len(words) - most} more"
