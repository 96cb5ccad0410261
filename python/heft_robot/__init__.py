"""Identifies the inertial parameters of robots from logs of joint positions and torques: mass, center of mass and inertia of every
body, and friction. Results are physically consistent and certified.

    import heft_robot as heft
    robot = heft.Robot.from_urdf("arm.urdf")
    result = heft.identify(robot, heft.Log(t, q, tau))
    print(result)
    result.bodies["forearm"].mass

docs/python.md is the guide. Everything is in SI units.
"""
from typing import TYPE_CHECKING

from . import _heft
from ._errors import ConversionNote, HeftError, LogNote, MissingPackage, ModelNote, Stopped, UnknownName
from ._moments import Moments
from .before_data import CheckReport, Observability, Simulation, check, fix, observe, simulate
from .body import Bodies, Body
from .estimation import Batch, Problem, identify, moments, solve, solve_batch
from .excitation import Design, Scores, excite, judge, motion_basis, score
from .inertia import PARAMETERS, Converted, conventions, convert, distance
from .log import Log, log_info, read_log
from .motions import FourierMotions, SplineMotions, information
from .ranges import Range, Ranges
from .sensor import CarryingRobot, PayloadResult, PosePlan, payload, payload_plan
from .sensor_arrays import PayloadBatch, PayloadFollower, PayloadUpdate, payload_batch
from .result import Prediction, Result, predict, read_result
from .robot import Robot
from .verdict import Doubt, Doubts, Verdict
from .watcher import Watcher

if TYPE_CHECKING:
    from .sklearn import BlockedSplit, Identifier

__version__ = _heft.version

__all__ = [
    "Batch", "BlockedSplit", "Bodies", "Body", "CarryingRobot", "CheckReport", "ConversionNote", "Converted", "Design", "Doubt", "Doubts",
    "FourierMotions", "HeftError", "Identifier", "Log", "LogNote", "MissingPackage", "ModelNote", "Moments", "Observability", "PARAMETERS",
    "PayloadBatch", "PayloadFollower", "PayloadResult", "PayloadUpdate", "PosePlan", "Prediction", "Problem", "Range", "Ranges",
    "Result", "Robot", "Scores", "Simulation", "SplineMotions", "Stopped", "UnknownName", "Verdict", "Watcher", "check", "conventions", "convert",
    "distance", "excite", "fix", "identify", "information", "judge", "log_info", "moments", "motion_basis", "observe", "payload", "payload_batch",
    "payload_plan", "predict", "read_log", "read_result", "score", "simulate", "solve", "solve_batch",
]


def __getattr__(name: str):
    """Identifier and BlockedSplit need scikit-learn, which takes a second to load."""
    if name in ("Identifier", "BlockedSplit"):
        from . import sklearn

        return getattr(sklearn, name)
    raise AttributeError(f"module 'heft_robot' has no attribute {name!r}")
