"""Which motion to record so that it tells most about a robot, within its limits."""
from __future__ import annotations

import json
import os
from functools import cached_property

import numpy as np

from . import _arrays, _heft, _html
from ._config import text_of
from ._errors import HeftError
from ._progress import listener
from .estimation import Moments
from .robot import Robot, as_robot


class Design:
    """A motion to record, or one that was judged, and what it tells. str() is what `heft excite` prints.

    status      feasible, infeasible (then infeasible_because), or budget: none was found in time
    t           (n,) times [s]
    q, qd, qdd  (n, joints) positions, velocities, accelerations [rad, m, s]
    tau         (n, joints) torques that the robot's file expects [N m] or [N]
    limits      dictionaries {name, joint, limit, worst_ratio, at_s, proved}, how near the motion comes to each
    parameters  dictionaries {name, unit, sd_before, sd_after}, standard deviations before and after the motion
    log_det     of the information about all parameters [nats]; log_det_prior: without the motion
    """

    def __init__(self, native: _heft.Design):
        self._native = native

    @cached_property
    def _document(self) -> dict:
        return json.loads(self._native.json)

    def to_dict(self) -> dict:
        """design.json as a dictionary."""
        return json.loads(self._native.json)

    status: str = property(lambda self: self._document["status"], doc="feasible, infeasible or budget")
    infeasible_because: str | None = property(lambda self: self._document["infeasible_because"], doc="in words, or None")
    log_det: float | None = property(lambda self: self._document["log_det"], doc="of the information about all parameters [nats]")
    log_det_prior: float | None = property(lambda self: self._document["log_det_prior"], doc="the same without the motion [nats]")
    limits: list[dict] = property(lambda self: self._document["limits"], doc="{name, joint, limit, worst_ratio, at_s, proved} each")
    parameters: list[dict] = property(lambda self: self._document["parameters"], doc="{name, unit, sd_before, sd_after} each")
    t: np.ndarray = property(lambda self: self._native.t, doc="(n,) times [s]")
    q: np.ndarray = property(lambda self: self._native.q, doc="(n, joints) positions [rad] or [m]")
    qd: np.ndarray = property(lambda self: self._native.qd, doc="(n, joints) velocities [rad/s] or [m/s]")
    qdd: np.ndarray = property(lambda self: self._native.qdd, doc="(n, joints) accelerations [rad/s^2] or [m/s^2]")
    tau: np.ndarray = property(lambda self: self._native.tau, doc="(n, joints) torques that the robot's file expects [N m] or [N]")

    def save(self, directory: str | os.PathLike) -> list[str]:
        """Writes design.json and report.html, and of a feasible design trajectory.csv, .ros2.yaml and .json; returns their paths."""
        return self._native.save(os.fspath(directory))

    def __str__(self) -> str:
        return self._native.summary

    def _repr_html_(self) -> str:
        return _html.design_html(self)

    def __repr__(self) -> str:
        return f"Design({self._document['robot']!r}, {self.status}, {len(self.t)} samples)"


def excite(robot, duration: float = 10, rate: float = 100, *, config=None, known: Moments | None = None, start=None,
           objective: str = "d", motion: str = "spline", intervals: int = 0, starts: int = 8, seed: int = 0,
           time_budget: float = 0, threads: int = 0, progress=None) -> Design:
    """Searches the motion that tells most about a robot, within its limits, as `heft excite` does (docs/excitation.md).

    duration     of the motion [s]; rate: samples a second of the answer [Hz]
    config       limits and beliefs: a YAML file, or a dictionary {"limits": {"velocity": {"scale": 0.5}}}
    known        moments of logs that exist: what they told is not asked again
    start        where the motion begins and ends: {joint: position} or (joints,) [rad, m]
    objective    d, i, a, e or condition; motion: spline, fourier, fourier_rest or poses
    intervals    of splines, or harmonics of Fourier series; 0: what suits the duration
    time_budget  seconds after which the best so far is the answer; 0: none
    threads      0: all
    progress     as of identify()
    """
    robot = as_robot(robot)
    with listener(progress) as hears:
        return Design(_heft.excite(robot._native, *text_of(config), _known(known, robot), _posture(start, robot), float(duration),
                                   float(rate), objective, motion, int(intervals), int(starts), int(seed), float(time_budget),
                                   int(threads), hears))


def judge(robot, motion, *, config=None, known: Moments | None = None) -> Design:
    """What a motion tells, and how near it comes to the limits: `motion` is a CSV with t, q_<joint> (qd_, qdd_), a Design, or a
    tuple of arrays t (n,), q (n, joints) and, if they are known, qd and qdd. The rest as of excite()."""
    robot = as_robot(robot)
    if isinstance(motion, (str, os.PathLike)):
        return Design(_heft.judge_file(robot._native, os.fspath(motion), *text_of(config), _known(known, robot)))
    if isinstance(motion, Design):
        motion = (motion.t, motion.q, motion.qd, motion.qdd)
    if not isinstance(motion, tuple) or len(motion) not in (2, 4):
        raise HeftError("motion", f"is a {type(motion).__name__}", "give the path of a CSV, a Design, (t, q), or (t, q, qd, qdd)")
    t, q = _arrays.read("t", motion[0], 1), _arrays.read("q", motion[1], 2)
    _arrays.same_rows("t", t, "q", q, len(robot.joints))
    if len(t) < 3 or not np.all(np.diff(t) > 0):
        raise HeftError("t", "does not rise from sample to sample", "give at least three times in their order")
    if len(motion) == 4:
        rates = [_arrays.read(name, array, 2) for name, array in zip(("qd", "qdd"), motion[2:])]
    else:
        qd = np.gradient(q, t, axis=0)
        rates = [qd, np.gradient(qd, t, axis=0)]
    for name, array in zip(("qd", "qdd"), rates):
        _arrays.same_rows("q", q, name, array, q.shape[1])
    for name, array in zip(("t", "q", "qd", "qdd"), (t, q, *rates)):
        if not np.isfinite(array).all():
            raise HeftError(name, "has numbers that are not finite", "give a motion without gaps")
    return Design(_heft.judge_arrays(robot._native, t, q, *rates, *text_of(config), _known(known, robot)))


def _known(known, robot: Robot):
    if known is not None and not isinstance(known, Moments):
        raise HeftError("known", f"is a {type(known).__name__}", "give what heft.moments() or Moments.load() returns")
    return None if known is None else known._native


def _posture(start, robot: Robot) -> dict[str, float]:
    if start is None:
        return {}
    if isinstance(start, dict):
        return {str(joint): float(position) for joint, position in start.items()}
    start = _arrays.read("start", start, 1)
    if len(start) != len(robot.joints):
        raise HeftError("start", f"has the shape {_arrays.shape_text(start.shape)}, ({len(robot.joints)},) is expected",
                        f"give one position a joint: {', '.join(robot.joints)}")
    return dict(zip(robot.joints, start.tolist()))
