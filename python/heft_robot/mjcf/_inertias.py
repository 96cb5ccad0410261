"""Identified bodies of a result as inertias of MJCF bodies."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .._errors import HeftError
from ..inertia import PARAMETERS
from ._torques import following_of
from ._tree import about_axis

_SHARES = (1.0, 0.75, 0.5, 0.25, 0.125, 0.0)  # of the file's inertia that bodies without a joint keep
_LEAST = 1e-9  # least eigenvalue of what remains, relative to the largest


@dataclass(frozen=True)
class Inertia:
    """mass [kg], com (3,) [m] and inertia (3, 3) about it [kg m^2] in the body's frame."""

    mass: float
    com: np.ndarray
    tensor: np.ndarray


def pseudo(mass: float, com, tensor) -> np.ndarray:
    """(4, 4) pseudo-inertia [Sigma, m c; m c', m] about the frame's origin."""
    com = np.asarray(com)
    sigma = 0.5 * np.trace(tensor) * np.eye(3) - tensor + mass * np.outer(com, com)
    return np.block([[sigma, mass * com[:, None]], [mass * com[None], np.array([[mass]])]])


def inertia_of(J: np.ndarray) -> Inertia:
    """Mass, com and tensor of a pseudo-inertia."""
    mass, first = float(J[3, 3]), J[:3, 3]
    com = first / mass if mass else np.zeros(3)
    sigma = J[:3, :3] - (np.outer(first, first) / mass if mass else 0)
    return Inertia(mass, com, np.trace(sigma) * np.eye(3) - sigma)


def identified(read, document: dict) -> tuple[dict[str, Inertia], list[str]]:
    """Inertias by MJCF body that differ from the file's, and notes. Bodies without a joint keep their inertia as long as the body that
    carries them stays physically consistent."""
    by_link = {body.link: body for body in read.bodies if body.link is not None}
    found, notes = {}, []
    poses = _poses(read, document.get("provenance", {}).get("options", {}).get("joints", {}).get("locked", {}))
    for entry in document["bodies"]:
        if entry.get("rotor"):
            continue
        J = _about_origin([entry["parameters"][key] for key in PARAMETERS])
        carrier = by_link.get(entry["name"])
        if carrier is None:
            if np.abs(J).max() > 1e-12:
                raise HeftError(entry["name"], "has mass in the result, but is a frame between joints of one body, "
                                "which MJCF cannot express", "remove its entry from `priors`")
            continue
        merged = [by_link[name] for name in entry["merged_links"] if name in by_link]
        share, J = _rest(poses, J, carrier, merged)
        found[carrier.name] = inertia_of(_moved(J, np.eye(3), carrier.offset))
        for body in merged if share < 1 else []:
            whole = pseudo(body.mass, body.com, body.inertia)
            found[body.name] = inertia_of(share * whole)
            if body.mass:
                notes.append(f"body '{body.name}' keeps {100 * share:g} % of its mass, so that '{carrier.name}' stays consistent")
    return found, notes


def _about_origin(parameters) -> np.ndarray:
    """Pseudo-inertia of Heft's ten parameters."""
    m, x, y, z, ixx, ixy, iyy, ixz, iyz, izz = parameters
    tensor = np.array([[ixx, ixy, ixz], [ixy, iyy, iyz], [ixz, iyz, izz]])
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    J[:3, 3] = J[3, :3] = x, y, z
    J[3, 3] = m
    return J


def _moved(J: np.ndarray, rotation: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """J in the frame in which its own frame has this pose."""
    T = np.block([[rotation, origin[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]])
    return T @ J @ T.T


def _rest(poses, J: np.ndarray, carrier, merged) -> tuple[float, np.ndarray]:
    """The largest share of the merged bodies' inertia that leaves the carrier physically consistent, and the carrier's remainder."""
    total = np.zeros((4, 4))
    for body in merged:
        own = _moved(pseudo(body.mass, body.com, body.inertia), np.eye(3), -body.offset)  # about the link's frame
        total += _moved(own, *_relative(poses[carrier.link], poses[body.link]))
    for share in _SHARES:
        rest = J - share * total
        values = np.linalg.eigvalsh(rest)
        if values[0] >= _LEAST * max(values[-1], 0) or share == 0:
            return share, rest
    return 0.0, J


def _relative(carrier, link):
    """Pose of a link in its carrier, to which it is fixed."""
    rotation, origin = carrier
    return rotation.T @ link[0], rotation.T @ (link[1] - origin)


def _poses(read, locked: dict[str, float]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Rotation and origin of all links, joints that stand still at their positions, others at zero."""
    poses, following = {}, following_of(read.joints)
    children = {joint.child for joint in read.joints}
    for joint in read.joints:
        if joint.parent not in children:
            poses.setdefault(joint.parent, (np.eye(3), np.zeros(3)))
        rotation, origin = poses[joint.parent]
        rotation, origin = rotation @ joint.rotation, origin + rotation @ joint.xyz
        leader, ratio, offset = following[joint.name]
        if joint.moves and leader in locked:
            position = ratio * locked[leader] + offset
            origin = origin + (rotation @ joint.axis * position if joint.type == "prismatic" else 0)
            rotation = rotation if joint.type == "prismatic" else rotation @ about_axis(joint.axis, position)
        poses[joint.child] = (rotation, origin)
    for body in read.bodies:
        if body.link is not None:
            poses.setdefault(body.link, (np.eye(3), np.zeros(3)))
    return poses


__all__ = ["Inertia", "identified", "inertia_of", "pseudo"]
