"""Designs the most informative motions within a robot's limits, and scores batches of motions."""
from __future__ import annotations

import json
import os
import tempfile
import webbrowser
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from . import _arrays, _heft, _html
from ._config import text_of
from ._errors import HeftError
from ._moments import Moments
from ._progress import listener
from .robot import Robot, as_robot


class Design:
    """A designed or evaluated motion and its information. str() is the output of `heft excite`.

    status      feasible, infeasible (then infeasible_because), or budget: none was found in time
    t           (n,) times [s]
    q, qd, qdd  (n, joints) positions, velocities, accelerations [rad, m, s]
    tau         (n, joints) torques that the robot's file expects [N m] or [N]
    coefficients  coefficients of its spline or series, as in score(); None if the motion was given as samples
    limits      dictionaries {name, joint, limit, worst_ratio, at_s, proved}, the distance of the motion from each
    obstacles   dictionaries {name, nearest: {link, distance, at_s}}, the distance of the robot from each and from the floor
    parameters  dictionaries {name, unit, sd_before, sd_after}, standard deviations before and after the motion
    log_det     log determinant of the information about all parameters [nats]; log_det_prior: without the motion
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
    obstacles: list[dict] = property(lambda self: self._document.get("obstacles") or [],
                                     doc="{name, nearest: {link, distance [m], at_s}} each, the floor too")
    parameters: list[dict] = property(lambda self: self._document["parameters"], doc="{name, unit, sd_before, sd_after} each")
    t: np.ndarray = property(lambda self: self._native.t, doc="(n,) times [s]")
    q: np.ndarray = property(lambda self: self._native.q, doc="(n, joints) positions [rad] or [m]")
    qd: np.ndarray = property(lambda self: self._native.qd, doc="(n, joints) velocities [rad/s] or [m/s]")
    qdd: np.ndarray = property(lambda self: self._native.qdd, doc="(n, joints) accelerations [rad/s^2] or [m/s^2]")
    tau: np.ndarray = property(lambda self: self._native.tau, doc="(n, joints) torques that the robot's file expects [N m] or [N]")

    @property
    def coefficients(self) -> np.ndarray | None:
        """(coefficients, joints) of the spline or series, as score() takes them; None if the motion was given as samples."""
        coefficients = self._native.coefficients
        return coefficients if coefficients.size else None

    def save(self, directory: str | os.PathLike) -> list[str]:
        """Writes design.json and report.html, and of a feasible design trajectory.csv, .ros2.yaml and .json; returns their paths."""
        return self._native.save(os.fspath(directory))

    def report(self, directory: str | os.PathLike | None = None, open: bool = True) -> Path:
        """Saves the design, to a new temporary folder unless one is named, and opens its page in a browser. Returns the page."""
        if directory is None:
            directory = tempfile.mkdtemp(prefix="heft_design_")
        page = next(Path(path).resolve() for path in self.save(directory) if path.endswith("report.html"))
        if open:
            webbrowser.open(page.as_uri())
        return page

    def __str__(self) -> str:
        return self._native.summary

    def _repr_html_(self) -> str:
        return _html.design_html(self)

    def __repr__(self) -> str:
        return f"Design({self._document['robot']!r}, {self.status}, {len(self.t)} samples)"


def excite(robot, duration: float = 10, rate: float = 100, *, config=None, known: Moments | None = None, start=None,
           objective: str = "d", motion: str = "spline", intervals: int = 0, starts: int = 8, seed: int = 0,
           time_budget: float = 0, speed: float = 0, until_mass: float = 0, against=None, task=None,
           from_design: Design | None = None, floor: float | None = None, obstacles=None, srdf: str | os.PathLike = "",
           package_path=(), ignore_collisions: bool = False, base: str = "none", threads: int = 0, progress=None) -> Design:
    """Designs the most informative motion within a robot's limits, as `heft excite` does (docs/excitation.md).

    duration     duration of the motion [s]; rate: samples per second of the design [Hz]
    config       limits, beliefs and columns: a YAML file, or a dictionary {"limits": {"velocity": {"scale": 0.5}}}
    known        moments of existing logs, whose information counts as known
    start        posture at the beginning and the end: {joint: position} or (joints,) [rad, m]
    objective    d, i, a, e or condition; motion: spline, fourier, fourier_rest or poses
    intervals    intervals of splines, or harmonics of Fourier series; 0: chosen by the duration
    time_budget  seconds after which the search returns the best motion so far; 0: no limit
    speed        also design a slow first run on the same path at this fraction of the speed: save() writes slow.csv
    until_mass   extend the motion until every mass is known to this relative error, such as 0.05
    against      another motion, as in judge(): to_dict()["d_efficiency_vs_judged"] compares their information
    task         the robot's task, for objective i: a CSV, or a tuple (q, qd, qdd) of (n, joints) arrays; (q,): at rest
    from_design  design whose motion the first start uses
    floor        height of a level floor [m] that nothing may touch; obstacles: a YAML file, or a list of dictionaries
                 {"name": "post", "cylinder": {"radius": 0.05, "length": 1}, "position": [0.5, 0.5, 0.5]} in base axes
    srdf         SRDF file with pairs of links that may touch; package_path: folders with packages of meshes
    base         how a floating base is held: hung or table; none: floating bases are refused
    threads      number of threads; 0: all
    progress     as in identify()
    """
    robot = as_robot(robot)
    options = _options(robot, config, base, floor, obstacles, srdf, package_path, ignore_collisions, task)
    options.set_shape(motion, float(duration), int(intervals))
    options.set_objective(objective)
    options.set_threads(int(threads))
    options.start = _posture(start, robot)
    options.rate, options.starts, options.seed = float(rate), int(starts), int(seed)
    options.time_budget, options.speed, options.until_mass = float(time_budget), float(speed), float(until_mass)
    if from_design is not None:
        if not isinstance(from_design, Design):
            raise HeftError("from_design", f"is a {type(from_design).__name__}", "give a design that heft.excite() returned")
        options.set_from(from_design._native)
    # before the search: what is wrong with it is told at once
    other = None if against is None else _judged(robot, against, options, known)
    with listener(progress) as hears:
        found = _heft.excite(robot._native, options, _known(known, robot), hears)
    if other is not None:
        found.compare(other)
    return Design(found)


def judge(robot, motion, *, config=None, known: Moments | None = None, task=None, floor: float | None = None, obstacles=None,
          srdf: str | os.PathLike = "", package_path=(), ignore_collisions: bool = False, base: str = "none") -> Design:
    """Evaluates the information of a motion and its distance from the limits. `motion` is a CSV with t, q_<joint> (qd_, qdd_), the
    trajectory.json of a design, a Design, or a tuple of arrays t (n,), q (n, joints) and, if known, qd and qdd. The other
    arguments are as in excite(). Limits of designs are also verified between samples; arrays and tables are checked at their samples."""
    robot = as_robot(robot)
    options = _options(robot, config, base, floor, obstacles, srdf, package_path, ignore_collisions, task)
    return Design(_judged(robot, motion, options, known))


@dataclass(frozen=True)
class Scores:
    """Information of motions and their distance from the limits.

    value     (n,) objective of designs [nats]: for d, minus log det of the information; inf: no information
    gradient  (n, rows, joints) by the coefficients; None unless requested; nan where the value is inf
    extremes  (n, 5, joints) largest |value| / limit at the samples, of position, velocity, acceleration, jerk and torque; 0: no limit
    """
    value: np.ndarray
    gradient: np.ndarray | None
    extremes: np.ndarray

    def __repr__(self) -> str:
        best = f", best {self.value.min():.6g}" if len(self.value) else ""
        return f"Scores({len(self.value)} motions{best}{'' if self.gradient is None else ', with gradients'})"


def score(robot, coefficients, duration: float = 10, *, config=None, known: Moments | None = None, objective: str = "d",
          motion: str = "spline", intervals: int = 0, task=None, samples: int = 0, gradient: bool = False, base: str = "none",
          threads: int = 0, progress=None):
    """Scores a batch of motions, for your own studies and optimizers.

    robot         a robot, or a list of robots, for which a list of Scores is returned
    coefficients  (n, rows, joints) for n motions, or (rows, joints) for one: positions are motion_basis(t, ..) @ coefficients;
                  for a list of robots, a list of such arrays
    samples       number of samples at which motions are evaluated; 0: twenty per second, 100 to 4000
    gradient      also compute the gradient by the coefficients
    The other arguments are as in excite(). The scores do not depend on the number of threads.
    """
    many = isinstance(robot, (list, tuple))
    robots = [as_robot(one) for one in robot] if many else [as_robot(robot)]
    arrays = list(coefficients) if many else [coefficients]
    if len(arrays) != len(robots):
        raise HeftError("coefficients", f"are of {len(arrays)} robots, not of {len(robots)}", "give one array per robot")
    ready, flat = {}, []
    for one, array in zip(robots, arrays):
        if id(one) not in ready:
            options = _options(one, config, base, None, None, "", (), True, task)
            options.set_shape(motion, float(duration), int(intervals))
            options.set_objective(objective)
            ready[id(one)] = _heft.scored_robot(one._native, options, _known(known, one), int(samples))
        flat.append(_stacked(array, ready[id(one)]))
    with listener(progress) as hears:
        batches = _heft.score([ready[id(one)] for one in robots], flat, bool(gradient), int(threads), hears)
    scores = [Scores(value, slope if gradient else None, extremes) for value, slope, extremes in batches]
    return scores if many else scores[0]


def motion_basis(t, duration: float = 10, *, motion: str = "spline", intervals: int = 0, order: int = 0) -> np.ndarray:
    """Returns (n, rows): the basis functions of the coefficients, or their derivative of an order up to 5, at n times [s]."""
    if not 0 <= int(order) <= 5:
        raise HeftError("order", f"must be from 0 to 5, not {order}", "give 0 for positions, 1 for velocities, and so on")
    return _heft.basis(_arrays.read("t", t, 1), motion, float(duration), int(intervals), int(order))


def _stacked(array, ready) -> np.ndarray:
    rows, joints = ready.num_coefficients, ready.num_joints
    shape = np.shape(array)
    if len(shape) not in (2, 3) or shape[-2:] != (rows, joints):
        raise HeftError("coefficients", f"have shape {_arrays.shape_text(shape)}; expected (n, {rows}, {joints})",
                        "give one row per function of motion_basis(), one column per joint")
    return _arrays.read("coefficients", np.reshape(array, (-1, joints)), 2)


def _options(robot: Robot, config, base, floor, obstacles, srdf, package_path, ignore_collisions, task) -> _heft.ExciteOptions:
    options = _heft.ExciteOptions()
    options.set_base(base)
    options.read_config(robot._native, *text_of(config))
    folders = [package_path] if isinstance(package_path, (str, os.PathLike)) else package_path
    options.set_scene(None if floor is None else float(floor), os.fspath(srdf), [os.fspath(folder) for folder in folders],
                      bool(ignore_collisions))
    if obstacles is not None:
        as_config = obstacles if isinstance(obstacles, (str, os.PathLike, Mapping)) else {"obstacles": list(obstacles)}
        text, name = text_of(as_config)
        options.set_obstacles(text, "obstacles" if name == "config" else name)
    if isinstance(task, (str, os.PathLike)):
        options.read_task(robot._native, os.fspath(task))
    elif task is not None:
        states = [_arrays.read(name, array, 2) for name, array in zip(("task q", "task qd", "task qdd"), task)]
        if not states:
            raise HeftError("task", "contains no positions", "give (q, qd, qdd), or the path of a CSV")
        for name, array in zip(("task qd", "task qdd"), states[1:]):
            _arrays.same_rows("task q", states[0], name, array)
        options.set_task(*states, *[np.zeros_like(states[0])] * (3 - len(states)))
    return options


def _judged(robot: Robot, motion, options, known) -> _heft.Design:
    if isinstance(motion, (str, os.PathLike)):
        return _heft.judge_file(robot._native, os.fspath(motion), options, _known(known, robot))
    if isinstance(motion, Design):
        return _heft.judge_design(robot._native, motion._native, options, _known(known, robot))
    if not isinstance(motion, tuple) or len(motion) not in (2, 4):
        raise HeftError("motion", f"is a {type(motion).__name__}", "give the path of a CSV, a Design, (t, q), or (t, q, qd, qdd)")
    t, q = _arrays.read("t", motion[0], 1), _arrays.read("q", motion[1], 2)
    _arrays.same_rows("t", t, "q", q, len(robot.joints))
    if len(t) < 3 or not np.all(np.diff(t) > 0):
        raise HeftError("t", "does not increase from sample to sample", "give at least three times in increasing order")
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
    return _heft.judge_arrays(robot._native, t, q, *rates, options, _known(known, robot))


def _known(known, robot: Robot):
    if known is not None and not isinstance(known, Moments):
        raise HeftError("known", f"is a {type(known).__name__}", "give moments that heft.moments() or Moments.load() returned")
    return None if known is None else known._native


def _posture(start, robot: Robot) -> dict[str, float]:
    if start is None:
        return {}
    if isinstance(start, dict):
        return {str(joint): float(position) for joint, position in start.items()}
    start = _arrays.read("start", start, 1)
    if len(start) != len(robot.joints):
        raise HeftError("start", f"has shape {_arrays.shape_text(start.shape)}; expected ({len(robot.joints)},)",
                        f"give one position per joint: {', '.join(robot.joints)}")
    return dict(zip(robot.joints, start.tolist()))
