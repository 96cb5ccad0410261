"""Robots from MJCF files, read through MuJoCo's compiled model; needs the package mujoco.

    from heft_robot import mjcf
    description = mjcf.read("robot.xml")          # .urdf, .config, .bodies, .joints, .priors, .notes
    mjcf.write(description, result.to_dict(), "out")   # out/identified.xml

docs/mjcf.md is the guide.
"""
from ._command import main as command
from ._compiled import is_mjcf
from ._fleet import main as fleet_command
from ._log import log_columns
from ._options import options_over, robot_of
from ._parts import Body, Joint, Mjcf
from ._read import read
from ._source import source_of
from ._write import different_arrays, write

__all__ = ["Body", "Joint", "Mjcf", "command", "different_arrays", "fleet_command", "is_mjcf",
           "log_columns", "options_over", "read", "robot_of", "source_of", "write"]
