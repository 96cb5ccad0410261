"""Torques of a model in addition to rigid bodies in standard gravity and friction: armature, springs, gravcomp, dampers, other gravity."""
from __future__ import annotations

import numpy as np

from ..robot import Robot
from ._options import at_positions
from ._parts import Mjcf
from ._torques import following_of, known_torques, symbol_of

_FUNCTIONS = {"__builtins__": {}, "sin": np.sin, "cos": np.cos, "abs": np.abs}


class Beyond:
    """Torques of `model` at states of `robot`, a Robot of its URDF, in addition to rigid bodies under `computed_gravity` (3,) [m/s^2] and
    the friction of every joint. `locked`: joints that stand still."""

    def __init__(self, model: Mjcf, robot: Robot, computed_gravity, locked: dict[str, float] | None = None):
        self.robot, self._model = robot, model
        self._locked = locked = locked or {}
        self._computed = computed_gravity
        lacking = np.array(model.config["robot"]["gravity"]) - computed_gravity
        self._gravity = self._robot_in(lacking, locked) if np.any(np.abs(lacking) > 1e-9) else None
        self._lifted = self._robot_in(model.model.opt.gravity, locked) if model.lifts else None
        # columns as of an identification, so that damping that is a column of its own is not known
        own = {joint: [text for text in texts if text != model.lifts.get(joint)] for joint, texts in model.known.items()}
        self.terms = at_positions(known_torques(own, model.priors, [*model.config.get("columns", ["default"])]), locked)
        for joint, text in _shared(model).items():
            self.terms[joint] = f"{self.terms[joint]}+{text}" if joint in self.terms else text
        if any(joint in locked for joint in _joints_of_balls(model)):
            self.terms = at_positions(self.terms, locked)

    def _robot_in(self, gravity, locked) -> Robot:
        return Robot.from_urdf_text(self._model.urdf, gravity=gravity, locked=locked)

    def __bool__(self) -> bool:
        return bool(self.terms) or self._gravity is not None or self._lifted is not None

    @property
    def depends_on_masses(self) -> bool:
        """Whether gravity differs from the computed one, or gravcomp differs between bodies."""
        return self._gravity is not None or self._lifted is not None

    def torques(self, q, qd, qdd, parameters) -> np.ndarray:
        """(n, joints) at (n, joints) states, for bodies of (10 bodies,) `parameters`."""
        tau = np.zeros_like(q)
        symbols = dict(_FUNCTIONS)
        for k, joint in enumerate(self.robot.joints):
            symbols.update({f"{prefix}{symbol_of(joint)}": array[:, k] for prefix, array in (("q", q), ("qd", qd), ("qdd", qdd))})
        for k, joint in enumerate(self.robot.joints):
            if joint in self.terms:
                tau[:, k] += eval(self.terms[joint], symbols)  # our own sums of products, from numbers and names of joints
        rest = np.zeros_like(q)
        if self._gravity is not None:
            tau += self._gravity.rows("gravity", q, rest, rest) @ parameters
        if self._lifted is not None:
            tau -= np.where(self._are_lifted(), self._lifted.rows("gravity", q, rest, rest) @ (self._shares() * parameters), 0)
        return tau

    def computed(self, q, qd, qdd) -> np.ndarray:
        """(n, joints) torques that a program without these effects computes from the file: rigid bodies, linear damping and
        frictionloss."""
        rows = self._robot_in(self._computed, self._locked).regressor(q, qd, qdd)
        tau = rows @ self.robot.prior.reshape(-1)
        for kind, motion in (("viscous", qd), ("coulomb", np.sign(qd))):
            tau += motion * [self._model.priors.get(f"{kind} {joint}", 0.0) for joint in self.robot.joints]
        return tau

    def _are_lifted(self) -> np.ndarray:
        """(joints,) whether gravcomp acts on a coordinate in addition to its actuator; otherwise the actuator's torque includes it."""
        compiled, following = self._model.model, following_of(self._model.joints)
        by_actuator = {following[joint.name][0] for joint in self._model.joints
                       if joint.dof >= 0 and compiled.jnt_actgravcomp[compiled.dof_jntid[joint.dof]]}
        return np.array([joint not in by_actuator for joint in self.robot.joints])

    def _shares(self) -> np.ndarray:
        """(10 bodies,) gravcomp; for merged bodies their mean, weighted by mass."""
        compiled, merged = self._model.model, _carriers(self._model, self.robot)
        shares = []
        for name in self.robot.bodies:
            bodies = [body for body in self._model.bodies if merged.get(body.link) == name]
            mass = sum(body.mass for body in bodies)
            lifted = sum(float(compiled.body_gravcomp[body.id]) * body.mass for body in bodies)
            shares += [lifted / mass if mass else 0.0] * 10
        return np.array(shares)


def _carriers(model: Mjcf, robot: Robot) -> dict[str, str]:
    """Body of the robot by link: fixed links belong to the body that carries them."""
    above = {joint.child: joint.parent for joint in model.joints}
    carriers = {}
    for joint in model.joints:
        link = joint.child
        while link not in robot.bodies and link in above:
            link = above[link]
        carriers[joint.child] = link
    return carriers


def mixed_shares(model: Mjcf, robot: Robot) -> list[str]:
    """Bodies of the robot whose merged bodies differ in gravcomp."""
    values: dict[str, set[float]] = {}
    carriers = _carriers(model, robot)
    for body in model.bodies:
        if body.mass and body.link is not None:
            values.setdefault(carriers.get(body.link, ""), set()).add(float(model.model.body_gravcomp[body.id]))
    return [name for name, found in values.items() if name in robot.bodies and len(found) > 1]


def _joints_of_balls(model: Mjcf) -> list[str]:
    return [joint.name for joint in model.joints if joint.mjcf and joint.mjcf != joint.name]


def _shared(model: Mjcf) -> dict[str, str]:
    """Damping and armature of ball joints, columns of several coordinates, at the file's values."""
    texts: dict[str, str] = {}
    for column in model.config.get("columns", []):
        options = column.get("expression") if isinstance(column, dict) else None
        if not options or options["name"] not in model.priors:
            continue
        for joint, text in options["rows"].items():
            term = f"{model.priors[options['name']]!r}*({text})"
            texts[joint] = f"{texts[joint]}+{term}" if joint in texts else term
    return texts
