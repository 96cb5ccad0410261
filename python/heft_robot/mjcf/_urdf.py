"""The URDF of bodies and joints, numbers with 17 digits."""
from __future__ import annotations

import math
from xml.sax.saxutils import quoteattr

import numpy as np

_NO_LIMIT = 1e30  # a URDF must give effort and velocity; beyond 1e12 Heft takes them as not given


def number(value: float) -> str:
    """Shortest text that reads back as the same double, at most 17 digits."""
    value = float(value)
    return repr(int(value)) if value == int(value) and abs(value) < 1e15 else repr(value)


def numbers(values) -> str:
    return " ".join(number(value) for value in values)


def roll_pitch_yaw(rotation: np.ndarray) -> tuple[float, float, float]:
    """Angles of R = Rz(yaw) Ry(pitch) Rx(roll), accurate to rounding even at a pitch of 90 degrees."""
    yaw = math.atan2(rotation[1, 0], rotation[0, 0])
    c, s = math.cos(yaw), math.sin(yaw)
    rest = np.array([[c, s, 0], [-s, c, 0], [0, 0, 1]]) @ rotation
    return math.atan2(-rest[1, 2], rest[1, 1]), math.atan2(-rest[2, 0], rest[0, 0]), yaw


def _origin(xyz, rotation=None) -> str:
    rpy = (0.0, 0.0, 0.0) if rotation is None else roll_pitch_yaw(rotation)
    return f'<origin xyz="{numbers(xyz)}" rpy="{numbers(rpy)}"/>'


def _link(name: str, body) -> str:
    if body is None or (body.mass == 0 and not np.any(body.inertia)):
        return f"  <link name={quoteattr(name)}/>\n"
    i = body.inertia
    parts = {"ixx": i[0, 0], "ixy": i[0, 1], "ixz": i[0, 2], "iyy": i[1, 1], "iyz": i[1, 2], "izz": i[2, 2]}
    tensor = " ".join(f'{key}="{number(value)}"' for key, value in parts.items())
    return (f"  <link name={quoteattr(name)}>\n    <inertial>\n      {_origin(body.com - body.offset)}\n"
            f'      <mass value="{number(body.mass)}"/>\n      <inertia {tensor}/>\n    </inertial>\n  </link>\n')


def _limit(joint) -> str:
    effort, velocity = number(_NO_LIMIT if joint.effort is None else joint.effort), number(_NO_LIMIT)
    if joint.type == "continuous":
        return f'    <limit effort="{effort}" velocity="{velocity}"/>\n'
    lower = -_NO_LIMIT if joint.lower is None else joint.lower
    upper = _NO_LIMIT if joint.upper is None else joint.upper
    return f'    <limit lower="{number(lower)}" upper="{number(upper)}" effort="{effort}" velocity="{velocity}"/>\n'


def _joint(joint) -> str:
    text = f'  <joint name={quoteattr(joint.name)} type="{joint.type}">\n    {_origin(joint.xyz, joint.rotation)}\n'
    text += f"    <parent link={quoteattr(joint.parent)}/>\n    <child link={quoteattr(joint.child)}/>\n"
    if joint.type in ("revolute", "continuous", "prismatic"):
        text += f'    <axis xyz="{numbers(joint.axis)}"/>\n{_limit(joint)}'
        if joint.damping[0] or joint.frictionloss:
            text += f'    <dynamics damping="{number(joint.damping[0])}" friction="{number(joint.frictionloss)}"/>\n'
    if joint.mimic is not None:
        leader, ratio, offset = joint.mimic
        text += f'    <mimic joint={quoteattr(leader)} multiplier="{number(ratio)}" offset="{number(offset)}"/>\n'
    return text + "  </joint>\n"


def write(name: str, links: list[str], bodies: dict, joints: list) -> str:
    """URDF text of `links` in order; `bodies`: body by link, for links that have one."""
    return (f'<?xml version="1.0"?>\n<robot name={quoteattr(name)}>\n' + "".join(_link(link, bodies.get(link)) for link in links)
            + "".join(_joint(joint) for joint in joints) + "</robot>\n")
