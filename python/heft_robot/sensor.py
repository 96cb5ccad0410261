"""Payloads on a force-torque sensor or on a link of an identified robot."""
from __future__ import annotations

import json
import os
import tempfile
import webbrowser
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path

import numpy as np

from . import _heft, _html
from ._config import text_of
from ._errors import HeftError
from ._progress import listener
from .body import Named
from .log import as_logs
from .result import Result
from .robot import as_robot
from .verdict import Doubts, Verdict


class Methods(Named):
    """Results of the requested methods, by name."""

    where, note = "methods", "request others with method="


class PayloadResult:
    """An identified payload, in the frame of the sensor or of the link that carries it. str() is what `heft payload` prints."""

    def __init__(self, native: _heft.PayloadResult | None, document: dict | None = None, summary: str | None = None):
        self._native, self._read, self._words = native, document, summary

    @cached_property
    def _document(self) -> dict:
        return self._read if self._native is None else json.loads(self._native.json)

    def to_dict(self) -> dict:
        """result.json as a dictionary; tools/payload.schema.json describes it."""
        return json.loads(json.dumps(self._document))

    @property
    def frame(self) -> str:
        """sensor, or the name of the link"""
        return self._document["payload"]["frame"]

    @property
    def mass(self) -> float:
        """[kg]"""
        return self._document["payload"]["mass"]

    @property
    def com(self) -> np.ndarray:
        """(3,) center of mass [m]"""
        return np.array(self._document["payload"]["com"], dtype=float)

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) about the center of mass, in the frame's axes [kg m^2]"""
        xx, xy, yy, xz, yz, zz = self._document["payload"]["inertia_com"]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)

    @property
    def parameters(self) -> np.ndarray:
        """(10,) m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the frame's origin [kg, kg m, kg m^2]"""
        return np.array(self._document["payload"]["parameters"], dtype=float)

    @property
    def bias(self) -> np.ndarray | None:
        """(6,) readings of the sensor without load, force [N] and torque [N m]; None for joint torques"""
        bias = self._document["payload"]["bias"]
        return None if bias is None else np.array(bias, dtype=float)

    @property
    def mass_interval(self) -> np.ndarray:
        """(2,) 95 % interval of the mass [kg]; infinite if the log does not determine it"""
        return _interval(self._document["payload"]["intervals"]["mass"])

    @property
    def com_intervals(self) -> np.ndarray:
        """(3, 2) 95 % intervals of the center of mass [m], one row per axis; infinite if the log does not determine it"""
        return np.array([_interval(axis) for axis in self._document["payload"]["intervals"]["com"]])

    @property
    def set_by_prior(self) -> list[str]:
        """names of parameters that the shape determines by more than half"""
        return self._document["payload"]["set_by_prior"]

    @property
    def certified(self) -> bool:
        """whether the result is certified as optimal"""
        return bool(self._document["methods"][0]["certified"])

    @property
    def verdict(self) -> Verdict:
        """{"level": green, amber or red, "words"}, also as attributes"""
        return Verdict(self._document["verdict"])

    @property
    def methods(self) -> dict[str, dict]:
        """result of every requested method, by its name: {parameters, objective, certified, held_out_force, ..}"""
        return {method["name"]: method for method in self._document["methods"]}

    @property
    def stretches(self) -> list[dict]:
        """one per body, if the log was weighed in stretches: {from_s, to_s, mass, com, intervals, added, ..}"""
        return self._document.get("stretches") or []

    @property
    def doubts(self) -> Doubts:
        """list of Doubt: dictionaries {id, severity, words, remedy, ..}, also with attributes; serious ones first"""
        return Doubts.of_document(self._document)

    @property
    def as_tool(self) -> dict | None:
        """payload.known_tool for later runs in which this body stays attached: {parameters, bias, covariance}; None if the log does not
        determine it"""
        return self._weighed().as_tool

    def summary(self) -> str:
        """The output of `heft payload`."""
        return self._words if self._native is None else self._native.summary

    def save(self, directory: str | os.PathLike) -> list[str]:
        """Writes result.json, report.html and files for controllers, and zero.yaml of a calibration; returns their paths."""
        return self._weighed().save(os.fspath(directory))

    def report(self, directory: str | os.PathLike | None = None, open: bool = True) -> Path:
        """Saves the result, to a new temporary folder unless one is named, and opens its page in a browser."""
        if directory is None:
            directory = tempfile.mkdtemp(prefix="heft_payload_")
        page = next(Path(path).resolve() for path in self.save(directory) if path.endswith("report.html"))
        if open:
            webbrowser.open(page.as_uri())
        return page

    def _weighed(self) -> _heft.PayloadResult:
        if self._native is None:
            raise HeftError("payload", "was pickled, which drops its samples and its shape", "weigh it again")
        return self._native

    def __reduce__(self):
        """Pickles all numbers and the summary, but not the samples."""
        return _without_samples, (self._document, self.summary())

    def _repr_html_(self) -> str:
        return _html.payload_html(self)

    def __str__(self) -> str:
        return self.summary()

    def __repr__(self) -> str:
        com = ", ".join(f"{1e3 * x:.1f}" for x in self.com)
        return f"PayloadResult({self.mass:.4g} kg at ({com}) mm, {self.verdict['level']})"


class CarryingRobot:
    """An identified robot and the link on it that carries payloads: read once, for any number of payload(log, model=..).

    model  a Result, or the directory of a saved one
    link   name of the link, in whose frame payloads are given
    """

    def __init__(self, model: Result | str | os.PathLike, link: str):
        if not isinstance(model, Result):
            self._native = _heft.CarryingRobot.read(os.fspath(model), link)
            return
        with tempfile.TemporaryDirectory() as folder:
            model.save(folder)
            self._native = _heft.CarryingRobot.read(folder, link)

    link: str = property(lambda self: self._native.link, doc="name of the link")

    def __repr__(self) -> str:
        return f"CarryingRobot(link={self.link!r})"


class PosePlan:
    """The next poses at rest to record. str() is the output of `heft payload --plan`."""

    def __init__(self, document: dict, words: str):
        self._document, self._words = document, words

    def to_dict(self) -> dict:
        """plan.json as a dictionary."""
        return json.loads(json.dumps(self._document))

    @property
    def gravity(self) -> np.ndarray:
        """(poses, 3) gravity in the sensor's frame [m/s^2] of every pose to take"""
        return np.array([pose["gravity"] for pose in self._document["poses"]], dtype=float).reshape(-1, 3)

    @property
    def postures(self) -> list[dict[str, float]]:
        """{joint: position} [rad, m] of every pose, if a robot carries the sensor"""
        return [pose["q"] for pose in self._document["poses"] if pose.get("q")]

    def __str__(self) -> str:
        return self._words

    def __repr__(self) -> str:
        return f"PosePlan({len(self._document['poses'])} poses)"


def payload(log, *, method="auto", shape: str | os.PathLike | None = None, pose=None, config=None, robot=None,
            sensor_link: str | None = None, model=None, link: str | None = None, known_tool=None, changes=None, zero: bool = False,
            progress=None) -> PayloadResult:
    """Identifies the payload on a force-torque sensor, or on a link of an identified robot (docs/payload.md).

    log          one log or several logs of one payload: paths, or tables with the columns of docs/payload.md
    method       one of auto, ols, wls, tls, geo, pullback, cone, metric, manifold, pmd, pmd_weighted, a list of them (the first
                 gives the result), or all
    shape        mesh of the payload [m]; pose: its x, y, z, roll, pitch, yaw in the frame of the sensor or the link [m, rad]
    config       a YAML file with a section payload, or a dictionary: {"payload": {"sign": -1}}
    robot        robot that carries the sensor on its sensor_link: a Robot, or the path of a URDF; the sensor's motion comes from
                 q_<joint> of the log, read and filtered by the sections of an identification in config
    model        for joint torques: a Result of the robot without the payload, the directory of a saved one, or a
                 CarryingRobot; link: the link that carries the payload
    known_tool   tool that is mounted besides the payload: as_tool of an earlier result, or that result
    changes      times of the log [s] at which the body on the sensor changes, or "auto"; each stretch is weighed separately
    zero         calibrate: the weighed body stays on the sensor; save() writes zero.yaml for later runs
    progress     as in identify()
    """
    logs = as_logs(log)
    if not logs:
        raise HeftError("log", "contains no log", "give at least one")
    methods = [method] if isinstance(method, str) else list(method)
    config = _with_options(config, known_tool=_tool_of(known_tool), changes=_changes_of(changes))
    carrying = _carrying(model, link)
    if carrying is not None and robot is not None:
        raise HeftError("robot", "cannot be combined with model", "give robot for a sensor on a link, or model for joint torques")
    with listener(progress) as hears:
        return PayloadResult(_heft.payload([log._native for log in logs], *text_of(config), *_carrier(robot, sensor_link), carrying,
                                           "" if shape is None else os.fspath(shape), [] if pose is None else [float(x) for x in pose],
                                           methods, bool(zero), hears))


def payload_plan(taken=None, *, poses: int = 6, config=None, robot=None, sensor_link: str | None = None) -> PosePlan:
    """Plans the next poses at rest, after those in the logs `taken`, if any; with a robot, as postures. The other
    arguments are as in payload()."""
    if not 1 <= poses <= 100:
        raise HeftError("poses", f"must be from 1 to 100, not {poses}", "request 1 to 100 poses")
    document, words = _heft.payload_plan([log._native for log in as_logs(taken)], *text_of(config), *_carrier(robot, sensor_link),
                                         int(poses))
    return PosePlan(json.loads(document), words)


def _without_samples(document: dict, summary: str) -> PayloadResult:
    return PayloadResult(None, document, summary)


def _interval(sides) -> np.ndarray:
    low, high = sides
    return np.array([-np.inf if low is None else low, np.inf if high is None else high])


def _carrier(robot, sensor_link: str | None):
    """The robot that carries the sensor, and its link."""
    if (robot is None) != (sensor_link is None):
        raise HeftError("sensor_link" if sensor_link is None else "robot", "is missing",
                        "give both: robot is the robot whose joints are logged, sensor_link the link that carries the sensor")
    return (None, "") if robot is None else (as_robot(robot)._native, sensor_link)


def _carrying(model, link: str | None):
    if isinstance(model, CarryingRobot):
        if link not in (None, model.link):
            raise HeftError("link", f"is {link!r}, but the CarryingRobot has {model.link!r}",
                            "omit it, or create another CarryingRobot")
        return model._native
    if (model is None) != (link is None):
        raise HeftError("link" if link is None else "model", "is missing",
                        "give both: model is an identified robot, link the link that carries the payload")
    return None if model is None else CarryingRobot(model, link)._native


def _tool_of(tool):
    if isinstance(tool, PayloadResult):
        tool = tool.as_tool
        if tool is None:
            raise HeftError("known_tool", "its log does not determine mass, center of mass or offset",
                            "use poses with at least three directions of gravity, or a motion")
    if tool is not None and not isinstance(tool, Mapping):
        raise HeftError("known_tool", f"is a {type(tool).__name__}", "give a PayloadResult, or its as_tool")
    return tool


def _changes_of(changes):
    if changes is None or isinstance(changes, str):
        return changes if changes is None else [changes]
    return [float(time) for time in np.atleast_1d(changes)]


def _with_options(config, **options):
    """`config` with options of its section payload."""
    options = {name: value for name, value in options.items() if value is not None}
    if not options:
        return config
    if config is not None and not isinstance(config, Mapping):
        name = next(iter(options))
        raise HeftError(name, "cannot be combined with a file as config", f"write payload.{name} into the file, or give config as a dictionary")
    section = dict((config or {}).get("payload") or {})
    for name, value in options.items():
        if name in section:
            raise HeftError(name, f"is given twice: also as payload.{name} of config", "keep one of them")
    return {**(config or {}), "payload": {**section, **options}}
