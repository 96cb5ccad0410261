"""Robots without a fault, of several kinds, whose inertias are those of uniform bodies in their own shapes.

healthy_robots(folder) writes them and returns {name: path}; Urdf reads one again to be broken on purpose.
"""

import math
import pathlib
import re
import shutil
import struct
import xml.etree.ElementTree as ET

from heft_program import ARM


def box(x, y, z):
    """Volume, variances about the center along x, y, z, and the URDF element."""
    return x * y * z, [x * x / 12, y * y / 12, z * z / 12], f'<box size="{x} {y} {z}"/>'


def cylinder(radius, length):
    across = radius * radius / 4
    return (math.pi * radius**2 * length, [across, across, length * length / 12],
            f'<cylinder radius="{radius}" length="{length}"/>')


def sphere(radius):
    return 4 / 3 * math.pi * radius**3, [radius * radius / 5] * 3, f'<sphere radius="{radius}"/>'


def mesh(x, y, z, uri, scale=None):
    """A box as a mesh; write_stl_box makes the file."""
    volume, variances, _ = box(x, y, z)
    return volume, variances, f'<mesh filename="{uri}"' + (f' scale="{scale} {scale} {scale}"/>' if scale else "/>")


def write_stl_box(path, x, y, z, text=False):
    corners = [(sx * x / 2, sy * y / 2, sz * z / 2) for sx in (-1, 1) for sy in (-1, 1) for sz in (-1, 1)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    triangles = [(a, b, c) for a, b, c, _ in faces] + [(a, c, d) for a, _, c, d in faces]
    path.parent.mkdir(parents=True, exist_ok=True)
    if text:
        facets = "".join("facet normal 0 0 0\n outer loop\n" + "".join("  vertex %g %g %g\n" % corners[k] for k in t)
                         + " endloop\nendfacet\n" for t in triangles)
        path.write_text(f"solid box\n{facets}endsolid box\n")
        return
    data = b"solid by name only".ljust(80) + struct.pack("<I", len(triangles))
    for triangle in triangles:
        data += struct.pack("<3f", 0, 0, 0) + b"".join(struct.pack("<3f", *corners[k]) for k in triangle) + b"\0\0"
    path.write_bytes(data)


def link(name, shape, xyz=(0, 0, 0), rpy=(0, 0, 0), density=1000.0):
    """A link of one shape: visual, collision, and the inertial of a uniform body of that shape."""
    volume, (a, b, c), element = shape
    mass = density * volume
    origin = f'<origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}" rpy="{rpy[0]} {rpy[1]} {rpy[2]}"/>'
    body = f"{origin}<geometry>{element}</geometry>"
    inertia = (f'<inertia ixx="{mass * (b + c):.9g}" ixy="0" ixz="0" iyy="{mass * (a + c):.9g}" iyz="0" '
               f'izz="{mass * (a + b):.9g}"/>')
    return (f'<link name="{name}"><inertial>{origin}<mass value="{mass:.9g}"/>{inertia}</inertial>'
            f"<visual>{body}</visual><collision>{body}</collision></link>")


def joint(name, parent, child, xyz=(0, 0, 0), axis="0 0 1", kind="revolute", lower=-2, upper=2):
    limit = f'<limit lower="{lower}" upper="{upper}" effort="60" velocity="3"/>' if kind in ("revolute", "prismatic") else ""
    moves = f'<axis xyz="{axis}"/>{limit}<dynamics damping="0.1" friction="0.05"/>' if kind != "fixed" else ""
    return (f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>'
            f'<origin xyz="{xyz[0]} {xyz[1]} {xyz[2]}" rpy="0 0 0"/>{moves}</joint>')


def biped():
    """Two mirrored legs; the thighs' principal axes are tilted, so that products of inertia differ in sign."""
    parts = [link("pelvis", box(0.2, 0.3, 0.15), (0, 0, 0.05), density=700)]
    for side, y in (("left", 1), ("right", -1)):
        parts += [
            link(f"{side}_thigh", box(0.12, 0.09, 0.34), (0.01, 0.03 * y, -0.17), (0.2 * y, 0.1, 0), 800),
            link(f"{side}_shank", cylinder(0.045, 0.36), (0.004, 0.006 * y, -0.18), density=900),
            link(f"{side}_foot", box(0.22, 0.09, 0.05), (0.04, 0, -0.03)),
            joint(f"{side}_hip", "pelvis", f"{side}_thigh", (0, 0.11 * y, 0), "0 1 0"),
            joint(f"{side}_knee", f"{side}_thigh", f"{side}_shank", (0.02, 0.01 * y, -0.36), "0 1 0"),
            joint(f"{side}_ankle", f"{side}_shank", f"{side}_foot", (0, 0, -0.38), "0 1 0")]
    return parts


def gantry():
    """Prismatic axes and a tool on a fixed joint; the tool's own frame is rotated."""
    return [link("frame", box(2.4, 1.6, 0.2), density=500),
            link("bridge", box(0.2, 1.6, 0.3), (0, 0, 0.3), density=900),
            link("carriage", box(0.3, 0.25, 0.2), (0.05, 0, 0), density=1500),
            link("quill", box(0.12, 0.1, 0.9), (0, 0.02, -0.2), density=1800),
            link("spindle", cylinder(0.05, 0.3), (0.03, 0, -0.1), (0, 1.5707963267948966, 0), 6000),
            joint("x", "frame", "bridge", (0, 0, 0.2), "1 0 0", "prismatic", -0.9, 0.9),
            joint("y", "bridge", "carriage", (0.2, 0, 0.3), "0 1 0", "prismatic", -0.6, 0.6),
            joint("z", "carriage", "quill", (0.15, 0, 0), "0 0 1", "prismatic", -0.3, 0.3),
            joint("mount", "quill", "spindle", (0, 0, -0.7), kind="fixed")]


def hand(folder):
    """Small and light, with meshes in meters and millimeters, binary and text, found in three ways."""
    write_stl_box(folder / "hand_description" / "meshes" / "palm.stl", 0.09, 0.08, 0.03)
    write_stl_box(folder / "hand_description" / "meshes" / "proximal.STL", 18, 16, 45, text=True)
    write_stl_box(folder / "distal.stl", 0.015, 0.014, 0.03)
    parts = [link("palm", mesh(0.09, 0.08, 0.03, "package://hand_description/meshes/palm.stl"))]
    for finger, y in enumerate((-0.03, 0.0, 0.03)):
        parts += [link(f"proximal_{finger}", mesh(0.018, 0.016, 0.045, "package:///hand_description/meshes/proximal.STL",
                                                  0.001), (0, 0, 0.022)),
                  link(f"distal_{finger}", mesh(0.015, 0.014, 0.03, f"file://{folder}/distal.stl"), (0, 0, 0.015)),
                  joint(f"knuckle_{finger}", "palm", f"proximal_{finger}", (0.03, y, 0.02), "0 1 0"),
                  joint(f"tip_{finger}", f"proximal_{finger}", f"distal_{finger}", (0, 0, 0.047), "0 1 0")]
    return parts


def crane():
    """Tonnes and tens of meters; massless frames where URDFs have them: at the world and at a tool."""
    return ['<link name="world"/>', link("tower", box(2, 2, 12), (0, 0, 6), density=200),
            link("jib", box(14, 1.2, 1.2), (6, 0, 0), density=150), link("trolley", box(1, 1.4, 0.6), density=600),
            link("hook", sphere(0.4), (0, 0, -0.5), density=3000), '<link name="hook_tip"/>',
            joint("base", "world", "tower", kind="fixed"), joint("slew", "tower", "jib", (0, 0, 12.6), kind="continuous"),
            joint("travel", "jib", "trolley", (3, 0, -1), "1 0 0", "prismatic", 0, 9),
            joint("hoist", "trolley", "hook", (0, 0, -2), "0 0 -1", "prismatic", 0, 8),
            joint("tip", "hook", "hook_tip", (0, 0, -1), kind="fixed")]


def healthy_robots(folder):
    paths = {}
    for name, parts in (("biped", biped()), ("gantry", gantry()), ("hand", hand(folder)), ("crane", crane())):
        root = ET.fromstring(f'<robot name="{name}">' + "".join(parts) + "</robot>")
        ET.indent(root)
        paths[name] = folder / f"{name}.urdf"
        paths[name].write_bytes(ET.tostring(root))
    paths["arm"] = folder / "arm.urdf"
    # one robot without shapes: its numbers must speak for themselves
    paths["arm"].write_text(re.sub(r"(?s) *<collision>.*?</collision>\n", "", pathlib.Path(ARM).read_text()))
    paths["arm_with_shapes"] = folder / "arm_with_shapes.urdf"
    shutil.copy(ARM, paths["arm_with_shapes"])
    return paths


class Urdf:
    """A robot file to be broken: elements by the name of their link or joint, attributes as numbers."""

    def __init__(self, path):
        self.root = ET.parse(path).getroot()

    def find(self, subject, element=None):
        node = next(n for n in self.root if n.get("name") == subject)
        return node if element is None else node.find(element)

    def numbers(self, subject, element, attribute):
        return [float(word) for word in self.find(subject, element).get(attribute).split()]

    def put(self, subject, element, **attributes):
        for name, value in attributes.items():
            self.find(subject, element).set(name, " ".join(f"{v:.10g}" if isinstance(v, float) else str(v)
                                                           for v in (value if isinstance(value, list) else [value])))

    def scale(self, subject, element, factor, *attributes):
        for attribute in attributes:
            self.put(subject, element, **{attribute: [factor * v for v in self.numbers(subject, element, attribute)]})

    def mass(self, subject):
        return self.numbers(subject, "inertial/mass", "value")[0]

    def tensor(self, subject):
        """ixx, ixy, ixz, iyy, iyz, izz."""
        return [self.numbers(subject, "inertial/inertia", name)[0] for name in TENSOR]

    def put_tensor(self, subject, values):
        self.put(subject, "inertial/inertia", **dict(zip(TENSOR, map(float, values))))

    def shift_tensor(self, subject, sign):
        """Adds sign * m (c'c 1 - c c'), for inertials without rotation."""
        m, (x, y, z) = self.mass(subject), self.numbers(subject, "inertial/origin", "xyz")
        shift = [y * y + z * z, -x * y, -x * z, x * x + z * z, -y * z, x * x + y * y]
        self.put_tensor(subject, [a + sign * m * b for a, b in zip(self.tensor(subject), shift)])

    def remove(self, subject, path):
        *above, element = path.split("/")
        parent = self.find(subject, "/".join(above) or None)
        parent.remove(parent.find(element))

    def write(self, path):
        ET.indent(self.root)
        pathlib.Path(path).write_bytes(ET.tostring(self.root))


TENSOR = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
