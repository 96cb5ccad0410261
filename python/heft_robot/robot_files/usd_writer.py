"""A URDF's links and joints as USD: UsdPhysics mass properties and joints, with the fields that Newton and Isaac read.

UsdPhysics stores mass, center of mass and principal moments as 32-bit floats, a relative error of 6e-8. `newton:inertia` and
`heft:parameters` (m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the link's origin) hold 64 bits. Angles are in degrees:
limits, velocity limits, offsets of mimic joints, and damping per degree.
"""
from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from .._errors import HeftError, optional
from .tree import Joint, Link, Pose, Shape, Tree, check_inertia, quaternion_of

_AXES = {"X": np.eye(3)[0], "Y": np.eye(3)[1], "Z": np.eye(3)[2]}


def write_usd(tree: Tree, out: Path, floating_base: bool = False) -> list[str]:
    """Writes a tree as .usda, .usdc or .usd; returns notes on everything that USD cannot express. HeftError: usd-core is missing, a link
    that
    simulators would change, a planar or floating joint."""
    partial = out.with_name(f"{out.stem}.partial{out.suffix}")
    partial.unlink(missing_ok=True)
    try:
        writer = _Writer(tree, partial, floating_base)
        writer.write()
        _compare(tree, writer, partial)
        os.replace(partial, out)
    except OSError as error:
        raise HeftError(os.fspath(out), f"cannot be written: {error.strerror}", "name a file in a writable folder") from error
    finally:
        partial.unlink(missing_ok=True)
    return writer.notes()


def _usd(name: str):
    return optional(f"pxr.{name}", "writing USD", "usd")


class _Writer:
    def __init__(self, tree: Tree, path: Path, floating_base: bool):
        self.usd, self.geom, self.physics = _usd("Usd"), _usd("UsdGeom"), _usd("UsdPhysics")
        self.gf, self.sdf, self.tf = _usd("Gf"), _usd("Sdf"), _usd("Tf")
        self.tree, self.floating_base = tree, floating_base
        self.prims: dict[str, object] = {}  # prim of every link, by name
        self.bodies: dict[str, tuple[str | None, Pose]] = {}  # rigid body that carries a link, None: the world; the link's pose in it
        self.joints: dict[str, object] = {}
        self.renamed: list[str] = []
        self.left_out: list[str] = []
        self.used: set[str] = set()
        self.stage = self.usd.Stage.CreateNew(os.fspath(path))

    def write(self) -> None:
        stage, geom = self.stage, self.geom
        geom.SetStageUpAxis(stage, geom.Tokens.z)
        geom.SetStageMetersPerUnit(stage, 1.0)
        self.physics.SetStageKilogramsPerUnit(stage, 1.0)
        self.top = self._path("", self.tree.name)
        self.used.add(f"{self.top}/joints")
        root = geom.Xform.Define(stage, self.top)
        stage.SetDefaultPrim(root.GetPrim())
        self.physics.ArticulationRootAPI.Apply(root.GetPrim())
        scene = self.physics.Scene.Define(stage, "/physicsScene")
        scene.CreateGravityDirectionAttr(self.gf.Vec3f(0, 0, -1))
        scene.CreateGravityMagnitudeAttr(9.81)
        self._link(self.tree.links[self.tree.root], None, Pose(), Pose())
        geom.Scope.Define(stage, f"{self.top}/joints")
        self._anchor()
        for joint in self.tree.joints:
            self._joint(joint)
        for joint in self.tree.joints:
            if joint.mimic and joint.name in self.joints:
                self._mimic(joint)
        stage.Save()

    def notes(self) -> list[str]:
        """Notes on parts that USD cannot express."""
        notes = ["mass, center of mass and moments are 32-bit floats in UsdPhysics; newton:inertia and heft:parameters hold 64 bits"]
        meshes = [shape for link in self.tree.links.values() for shape in link.shapes if shape.kind == "mesh"]
        if meshes:
            notes.append(f"left out: meshes ({len(meshes)}); add them by reference in the simulator")
        if self.left_out:
            notes.append(f"left out: inertia of links without mass: {', '.join(self.left_out)}")
        if self.renamed:
            notes.append("USD allows letters, digits and _ in names: " + ", ".join(self.renamed[:8]) +
                         (f" and {len(self.renamed) - 8} more" if len(self.renamed) > 8 else ""))
        if self.tree.unread:
            notes.append(f"left out: {', '.join(f'<{tag}>' for tag in self.tree.unread)}")
        return notes

    def _path(self, parent, name: str) -> str:
        """Path of a prim with a valid name that no other has."""
        valid = self.tf.MakeValidIdentifier(name)
        unique, at = f"{parent}/{valid}", 1
        while unique in self.used:
            at += 1
            unique = f"{parent}/{valid}_{at}"
        self.used.add(unique)
        if unique != f"{parent}/{name}":
            self.renamed.append(f"{name} became {unique.rpartition('/')[2]}")
        return unique

    def _link(self, link: Link, joint: Joint | None, pose: Pose, in_parent: Pose) -> None:
        """Prims of a link and of all its descendants. pose: in the robot's frame at rest; in_parent: in the parent link's."""
        is_body = link.mass != 0
        if not is_body and link.inertia.any():
            self.left_out.append(link.name)
        if joint is not None and joint.moves and not is_body:
            raise HeftError(self.tree.path, f"link '{link.name}' moves without mass; simulators would give it the mass of its shapes",
                            "give it an <inertial>, or make its joint fixed")
        if is_body or joint is None:
            prim = self.geom.Xform.Define(self.stage, self._path(self.top, link.name))
            self._place(prim, pose)
            self.bodies[link.name] = (link.name if is_body else None, Pose())
        else:  # a frame of the link that carries it
            prim = self.geom.Xform.Define(self.stage, self._path(self.prims[joint.parent].GetPath(), link.name))
            self._place(prim, in_parent)
            carrier, at = self.bodies[joint.parent]
            self.bodies[link.name] = (carrier, at @ in_parent)
        self.prims[link.name] = prim.GetPrim()
        if is_body:
            self._mass(link, prim.GetPrim())
        for at, shape in enumerate(link.shapes):
            self._shape(prim.GetPath(), shape, at)
        for child in self.tree.children(link.name):
            self._link(self.tree.links[child.child], child, pose @ child.pose, child.pose)

    def _place(self, prim, pose: Pose) -> None:
        xform = self.geom.Xformable(prim)
        xform.AddTranslateOp(self.geom.XformOp.PrecisionDouble).Set(self.gf.Vec3d(*map(float, pose.p)))
        xform.AddOrientOp(self.geom.XformOp.PrecisionDouble).Set(self.gf.Quatd(*map(float, quaternion_of(pose.R))))

    def _mass(self, link: Link, prim) -> None:
        check_inertia(link, self.tree.path, "a simulator")
        self.physics.RigidBodyAPI.Apply(prim)
        api = self.physics.MassAPI.Apply(prim)
        moments, R = _principal(link.inertia)
        api.CreateMassAttr(link.mass)
        api.CreateCenterOfMassAttr(self.gf.Vec3f(*map(float, link.com)))
        api.CreateDiagonalInertiaAttr(self.gf.Vec3f(*_rounded(moments)))
        api.CreatePrincipalAxesAttr(self.gf.Quatf(*map(float, quaternion_of(R))))
        prim.AddAppliedSchema("NewtonMassAPI")
        I = link.inertia
        doubles = self.sdf.ValueTypeNames.DoubleArray
        prim.CreateAttribute("newton:inertia", doubles).Set([float(I[0, 0]), float(I[1, 1]), float(I[2, 2]),
                                                             float(I[0, 1]), float(I[0, 2]), float(I[1, 2])])
        prim.CreateAttribute("heft:parameters", doubles).Set([float(x) for x in parameters_of(link)])

    def _shape(self, path, shape: Shape, at: int) -> None:
        kinds = {"box": self.geom.Cube, "sphere": self.geom.Sphere, "cylinder": self.geom.Cylinder, "capsule": self.geom.Capsule}
        if shape.kind not in kinds or not np.all(shape.size > 0):
            return
        prim = kinds[shape.kind].Define(self.stage, f"{path}/{'collision' if shape.collides else 'visual'}_{at}")
        self._place(prim, shape.pose)
        if shape.kind == "box":
            prim.CreateSizeAttr(1.0)
            prim.AddScaleOp().Set(self.gf.Vec3f(*map(float, shape.size)))
        else:
            prim.CreateRadiusAttr(float(shape.size[0]))
        if len(shape.size) == 2:
            prim.CreateAxisAttr("Z")
            prim.CreateHeightAttr(float(shape.size[1]))
        if shape.collides:
            self.physics.CollisionAPI.Apply(prim.GetPrim())
            prim.CreatePurposeAttr(self.geom.Tokens.guide)

    def _anchor(self) -> None:
        """Fixes bodies at the root to the world."""
        if self.floating_base:
            return
        for name, (carrier, _) in self.bodies.items():
            fixed_to_world = name == self.tree.root or any(
                joint.child == name and not joint.moves and self.bodies[joint.parent][0] is None for joint in self.tree.joints)
            if carrier == name and fixed_to_world:
                joint = self.physics.FixedJoint.Define(self.stage, self._path(f"{self.top}/joints", f"fixed_{name}"))
                pose = self._pose_of(name)
                self._frames(joint, None, pose, name, Pose())

    def _pose_of(self, name: str) -> Pose:
        """Pose of a link in the robot's frame at rest."""
        joint = next((joint for joint in self.tree.joints if joint.child == name), None)
        return Pose() if joint is None else self._pose_of(joint.parent) @ joint.pose

    def _joint(self, joint: Joint) -> None:
        carrier, at = self.bodies[joint.parent]
        if joint.kind == "floating" and joint.parent == self.tree.root and carrier is None:
            return  # a body without a joint moves freely
        if joint.kind in ("planar", "floating"):
            raise HeftError(self.tree.path, f"joint '{joint.name}' is {joint.kind}, which this writer does not support",
                            "replace it with prismatic and revolute joints with links between them")
        if not joint.moves:
            if self.bodies[joint.child][0] == joint.child and carrier is not None:
                fixed = self.physics.FixedJoint.Define(self.stage, self._joint_path(joint))
                self._frames(fixed, carrier, at @ joint.pose, joint.child, Pose())
            return
        is_angle = joint.kind != "prismatic"
        schema = self.physics.RevoluteJoint if is_angle else self.physics.PrismaticJoint
        prim = schema.Define(self.stage, self._joint_path(joint))
        token, turn = _axis(joint.axis)
        prim.CreateAxisAttr(token)
        if carrier is None and self.floating_base:
            raise HeftError(self.tree.path, f"the root link '{self.tree.root}' has no mass, so it cannot move freely",
                            "convert without --floating-base, or give the root link an <inertial>")
        place = at if carrier is not None else self._pose_of(joint.parent)
        self._frames(prim, carrier, place @ joint.pose @ Pose(turn), joint.child, Pose(turn))
        self.joints[joint.name] = prim.GetPrim()
        self._limits(joint, prim, np.degrees(1.0) if is_angle else 1.0, "angular" if is_angle else "linear")

    def _joint_path(self, joint: Joint) -> str:
        return self._path(f"{self.top}/joints", joint.name)

    def _frames(self, joint, carrier: str | None, pose: Pose, child: str, in_child: Pose) -> None:
        if carrier is not None:
            joint.CreateBody0Rel().SetTargets([self.prims[carrier].GetPath()])
        joint.CreateBody1Rel().SetTargets([self.prims[child].GetPath()])
        for number, frame in ((0, pose), (1, in_child)):
            getattr(joint, f"CreateLocalPos{number}Attr")(self.gf.Vec3f(*map(float, frame.p)))
            getattr(joint, f"CreateLocalRot{number}Attr")(self.gf.Quatf(*map(float, quaternion_of(frame.R))))

    def _limits(self, joint: Joint, prim, per_unit: float, dof: str) -> None:
        """Limits and dynamics; per_unit: degrees per radian, or 1."""
        if joint.lower is not None and joint.lower < joint.upper:
            prim.CreateLowerLimitAttr(joint.lower * per_unit)
            prim.CreateUpperLimitAttr(joint.upper * per_unit)
        if joint.effort is not None:
            drive = self.physics.DriveAPI.Apply(prim.GetPrim(), dof)
            drive.CreateTypeAttr("force")
            drive.CreateMaxForceAttr(joint.effort)
            drive.CreateStiffnessAttr(0.0)
            drive.CreateDampingAttr(0.0)
        values = {"newton:armature": joint.armature, "newton:friction": joint.friction, "newton:damping": joint.damping / per_unit,
                  "physxJoint:armature": joint.armature}
        if joint.velocity is not None:
            values["newton:velocityLimit"] = values["physxJoint:maxJointVelocity"] = joint.velocity * per_unit
        for schema in ("NewtonJointAPI", "PhysxJointAPI"):
            prim.GetPrim().AddAppliedSchema(schema)
        for name, value in values.items():
            prim.GetPrim().CreateAttribute(name, self.sdf.ValueTypeNames.Float).Set(float(value))

    def _mimic(self, joint: Joint) -> None:
        leader, multiplier, offset = joint.mimic
        prim = self.joints[joint.name]
        prim.AddAppliedSchema("NewtonMimicAPI")
        prim.CreateRelationship("newton:mimicJoint").SetTargets([self.joints[leader].GetPath()])
        scale = 1.0 if joint.kind == "prismatic" else np.degrees(1.0)
        prim.CreateAttribute("newton:mimicCoef0", self.sdf.ValueTypeNames.Float).Set(float(offset * scale))
        prim.CreateAttribute("newton:mimicCoef1", self.sdf.ValueTypeNames.Float).Set(float(multiplier))


def parameters_of(link: Link) -> np.ndarray:
    """(10,) m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the link's origin."""
    c = link.com
    I = link.inertia + link.mass * (c @ c * np.eye(3) - np.outer(c, c))
    return np.array([link.mass, *(link.mass * c), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def _principal(I: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Principal moments (3,) and axes (3, 3) as a rotation; a diagonal tensor keeps the link's axes."""
    if not np.any(I - np.diag(np.diag(I))):
        return np.diag(I).copy(), np.eye(3)
    moments, R = np.linalg.eigh(I)
    return moments, R if np.linalg.det(R) > 0 else R * [1, 1, -1]


def _rounded(moments: np.ndarray) -> list[float]:
    """32-bit moments that still obey the triangle inequality; otherwise Newton would raise all three."""
    rounded = np.maximum(moments, 0).astype(np.float32)
    order = np.argsort(rounded)
    while rounded[order[0]] + rounded[order[1]] < rounded[order[2]]:
        rounded[order[2]] = np.nextafter(rounded[order[2]], np.float32(0))
    return [float(x) for x in rounded]


def _axis(axis: np.ndarray) -> tuple[str, np.ndarray]:
    """Token of the axis in the joint's frame, and the rotation of that frame in the link's."""
    for token, unit in _AXES.items():
        if np.array_equal(axis, unit):
            return token, np.eye(3)
    side = np.cross(axis, np.eye(3)[np.argmin(np.abs(axis))])
    side /= np.linalg.norm(side)
    return "X", np.stack([axis, side, np.cross(axis, side)], 1)


def _compare(tree: Tree, writer: _Writer, path: Path) -> None:
    """Reads the file back and checks that every body equals its link."""
    stage = writer.usd.Stage.Open(os.fspath(path))
    for name, prim in writer.prims.items():
        if writer.bodies[name][0] != name:
            continue
        link, read = tree.links[name], stage.GetPrimAtPath(prim.GetPath())
        mass = read.GetAttribute("physics:mass").Get()
        ten = read.GetAttribute("heft:parameters").Get()
        if abs(mass - link.mass) > 1e-6 * abs(link.mass) or not np.array_equal(ten, parameters_of(link)):
            raise HeftError(os.fspath(path), f"link '{name}' has a different mass when read back", "report this as an error of heft_robot")
