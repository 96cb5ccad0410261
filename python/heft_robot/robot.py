"""Robots from URDF and MJCF files, and rows of their equations of motion."""
from __future__ import annotations

import os
import warnings
from collections.abc import Mapping

import numpy as np

from . import _arrays, _heft
from ._errors import HeftError, ModelNote


class Robot:
    """A robot as a tree of bodies, with fixed links merged into the links that carry them. Immutable.

    bodies    names, in the order of rows and results
    joints    names of the coordinates, in the order of q
    channels  names of the measured channels: the joints, preceded by six components of the wrench of a floating base
    prior     (bodies, 10) array of the file's inertias, each [m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the frame's
              origin [kg, kg m, kg m^2]
    """

    def __init__(self, native: _heft.Robot, options: dict | None = None):
        self._native, self._options = native, options

    @classmethod
    def from_urdf(cls, path: str | os.PathLike, floating_base: bool = False, *, gravity=None,
                  rotors: str | os.PathLike | None = None, locked=None) -> Robot:
        """Reads a URDF file. `gravity` [m/s^2] in the axes of the base link, (0, 0, -9.81) unless given; `rotors`: YAML file
        with motor rotors as bodies; `locked`: joints that stand still, {joint: position [rad, m]} or a list of joints at 0.
        Errors name file, line and remedy."""
        return cls(_heft.Robot.from_urdf(os.fspath(path), bool(floating_base), _gravity(gravity), _path(rotors),
                                         _locked(locked)))

    @classmethod
    def from_urdf_text(cls, text: str | bytes, name: str = "robot.urdf", floating_base: bool = False, *, gravity=None,
                       locked=None) -> Robot:
        """The same from a text in memory; `name` stands for the file in errors."""
        text = text.encode() if isinstance(text, str) else text
        return cls(_heft.Robot.from_text(name, text, b"", bool(floating_base), _gravity(gravity), "", _locked(locked)))

    @classmethod
    def from_mjcf(cls, path: str | os.PathLike, *, gravcomp: str = "refuse") -> Robot:
        """Reads an MJCF file through MuJoCo (pip install mujoco): bodies and joints keep their names; a ball joint becomes
        <joint>.yaw, .pitch, .roll. Armature, springs, gravity and everything else that a URDF cannot express become options for
        identify(). gravcomp "file": if gravcomp differs between bodies, its torques follow from the file's masses; otherwise identify()
        refuses such a model. ModelNote warnings list what is left out; errors name element, line and remedy."""
        from . import mjcf

        description = mjcf.read(path)
        for note in description.notes:
            warnings.warn(f"{path}: {note}", ModelNote, stacklevel=2)
        return mjcf.robot_of(description, gravcomp)

    name = property(lambda self: self._native.name, doc="the robot's name in its file")
    bodies: list[str] = property(lambda self: self._native.bodies, doc="names, in the order of rows and results")
    joints: list[str] = property(lambda self: self._native.joints, doc="names of the coordinates, in the order of q")
    channels: list[str] = property(lambda self: self._native.channels, doc="names of the measured channels, in the order of rows")
    floating_base: bool = property(lambda self: self._native.floating_base, doc="whether the root moves freely")
    prior: np.ndarray = property(lambda self: self._native.prior, doc="(bodies, 10) inertias of the file [kg, kg m, kg m^2]")
    source: str = property(lambda self: self._native.source, doc="path of its file")

    def regressor(self, q, qd, qdd, *, threads: int = 0) -> np.ndarray:
        """Returns the regressor Y of the ten parameters of every body: tau = Y @ parameters.

        q, qd, qdd  (n, joints) arrays [rad, rad/s, rad/s^2] or [m, ..]; of one state (joints,) vectors. Of a floating base in
                    Pinocchio's order: position, unit quaternion x y z w, joints (7 + joints); velocity and angular velocity in
                    the root link's axes, joints (6 + joints)
        threads     0: all
        Returns (n, channels, 10 bodies), bodies in the order of `bodies`; of one state without n.
        """
        return self.rows("torque", q, qd, qdd, threads=threads)

    def rows(self, kind: str, q, qd, qdd, *, threads: int = 0) -> np.ndarray:
        """Rows of another quantity: torque, kinetic, potential, power, momentum, coriolis_transpose, gravity, world_wrench,
        world_gravity or world_momentum. Those of channels are (n, channels, 10 bodies), energies and power (n, 1, 10 bodies), those
        of the world (n, 6, 10 bodies), forces first."""
        one = np.ndim(q) == 1
        base_q, base_v = (7, 6) if self.floating_base else (0, 0)
        arrays = []
        for name, array, extra in (("q", q, base_q), ("qd", qd, base_v), ("qdd", qdd, base_v)):
            array = _arrays.read(name, array, 1)[None] if one else _arrays.read(name, array, 2)
            if array.shape[1] != extra + len(self.joints):
                raise HeftError(name, f"has shape {_arrays.shape_text(array.shape)}; "
                                      f"expected for this robot {_arrays.shape_text((array.shape[0], extra + len(self.joints)))}",
                                f"give one column per joint: {', '.join(self.joints)}")
            arrays.append(array)
        for name, array in zip(("qd", "qdd"), arrays[1:]):
            _arrays.same_rows("q", arrays[0], name, array, array.shape[1])
        rows = self._native.rows(kind, *arrays, int(threads))
        return rows[0] if one else rows

    def __repr__(self) -> str:
        return f"Robot({self.name!r}, {len(self.bodies)} bodies, {len(self.joints)} joints)"

    def __reduce__(self):
        n = self._native
        return _from_parts, (self._options, n.source, n.text, n.rotors_text, n.floating_base, n.gravity, n.rotors, n.locked)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def _from_parts(options, *parts) -> Robot:
    return Robot(_heft.Robot.from_text(*parts), options)


def _locked(locked) -> dict[str, float]:
    if locked is None:
        return {}
    if isinstance(locked, str):
        locked = [locked]
    try:
        pairs = locked.items() if isinstance(locked, Mapping) else ((name, 0.0) for name in locked)
        return {str(name): float(position) for name, position in pairs}
    except (TypeError, ValueError) as error:
        raise HeftError("locked", f"is neither a mapping nor a list: {error}", "give {joint: position}, or [joint]") from error


def _gravity(gravity):
    if gravity is None:
        return None
    gravity = np.asarray(gravity, dtype=float)
    if gravity.shape != (3,):
        raise HeftError("gravity", f"has shape {_arrays.shape_text(gravity.shape)}; expected (3,)", "give x, y, z in m/s^2")
    return gravity.tolist()


def _path(path) -> str:
    return "" if path is None else os.fspath(path)


def as_robot(robot) -> Robot:
    """A Robot, or the path of its URDF or MJCF."""
    if isinstance(robot, Robot):
        return robot
    if isinstance(robot, (str, os.PathLike)):
        from .mjcf import is_mjcf

        return Robot.from_mjcf(robot) if is_mjcf(robot) else Robot.from_urdf(robot)
    raise HeftError("robot", f"is a {type(robot).__name__}", "give a heft.Robot, or the path of a URDF or MJCF file")
