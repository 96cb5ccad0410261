"""Robots from MJCF files, read through MuJoCo's compiled model; needs the package mujoco."""
from ._compiled import is_mjcf
from ._parts import Body, Joint, Mjcf
from ._options import options_over, robot_of
from ._read import read

__all__ = ["Body", "Joint", "Mjcf", "is_mjcf", "options_over", "read", "robot_of"]
