"""The parts of a description of an MJCF model."""
from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(frozen=True)
class Body:
    """A body of the compiled model.

    name     of the MJCF body; of an unnamed one a generated name
    id       in the compiled model
    parent   name of the body above; "world" at the top
    link     link of the URDF that holds its inertia; None where a moving base leaves out a body of the world
    offset   (3,) origin of the link's frame in the body's frame [m]; both have the same axes
    mass     [kg]
    com      (3,) center of mass in the body's frame [m]
    inertia  (3, 3) about the center of mass, in the body's axes [kg m^2]
    where    file:line
    """

    name: str
    id: int
    parent: str
    link: str | None
    offset: np.ndarray
    mass: float
    com: np.ndarray
    inertia: np.ndarray
    where: str


@dataclass(frozen=True)
class Joint:
    """A joint of the URDF with its properties in MJCF.

    name         of the URDF's joint: that of the MJCF joint; of a ball joint <joint>.yaw, .pitch, .roll
    mjcf         name of the MJCF joint; empty where a body is fixed
    type         revolute, continuous, prismatic, fixed or floating
    parent, child  links
    xyz, rotation  origin in the parent link: position (3,) [m], axes (3, 3)
    axis         (3,) in the joint's frame
    lower, upper limits [rad, m], None without
    effort       largest torque of joint limit or actuators [N m, N], None without
    damping      coefficients a, b, c of the torque (a + b |v| + c v^2) v
    stiffness    coefficients a, b, c of the torque (a + b x + c x^2) x, x = q - springref
    springref    [rad, m]
    armature     of the joint [kg m^2, kg]; actuator_armature: sum of gear^2 x armature of its actuators
    frictionloss [N m, N]
    mimic        (joint, multiplier, offset) of a linear equality, None without
    dof, qpos    addresses in the compiled model; -1 where it has none
    where        file:line
    """

    name: str
    type: str
    parent: str
    child: str
    xyz: np.ndarray
    rotation: np.ndarray
    axis: np.ndarray = field(default_factory=lambda: np.array([1.0, 0, 0]))
    mjcf: str = ""
    lower: float | None = None
    upper: float | None = None
    effort: float | None = None
    damping: tuple[float, ...] = (0.0, 0.0, 0.0)
    stiffness: tuple[float, ...] = (0.0, 0.0, 0.0)
    springref: float = 0.0
    armature: float = 0.0
    actuator_armature: float = 0.0
    frictionloss: float = 0.0
    mimic: tuple[str, float, float] | None = None
    dof: int = -1
    qpos: int = -1
    where: str = ""

    @property
    def moves(self) -> bool:
        return self.type != "fixed"

    @property
    def has_coordinate(self) -> bool:
        """Whether it is one coordinate of the robot and follows no other joint."""
        return self.type in ("revolute", "continuous", "prismatic") and self.mimic is None


@dataclass(frozen=True)
class Mjcf:
    """An MJCF model as Heft uses it.

    path      of the main file
    name      of the model
    urdf      text of a URDF with the same bodies, joints, limits and couplings, numbers with 17 digits
    config    Heft options for everything that a URDF cannot express, with the sections of the YAML file
    bodies    of the compiled model, without the world, in its order
    joints    of the URDF, in the order of the compiled model
    priors    values of the model by the names of Heft's columns, {"viscous elbow": 0.1, "coulomb elbow": .., "reflected_inertia elbow": ..}
    known     torques by joint that no column represents, as expressions: springs, higher damping, gravcomp
    lifts     the torques of gravcomp among them, if it differs between bodies; at the file's masses
    notes     sentences about everything that the URDF or Heft leaves out
    model     the compiled mujoco.MjModel
    text      files and positions of elements
    """

    path: str
    name: str
    urdf: str
    config: dict
    bodies: list[Body]
    joints: list[Joint]
    priors: dict[str, float]
    known: dict[str, list[str]]
    lifts: dict[str, str]
    notes: list[str]
    model: object = field(repr=False)
    text: object = field(repr=False)

    @property
    def floating_base(self) -> bool:
        return bool(self.config.get("robot", {}).get("floating_base", False))
