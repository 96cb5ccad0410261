"""What an identification says, as numbers, files, plots and a page."""
from __future__ import annotations

import json
import os
import tempfile
import webbrowser
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from . import _heft, _html
from ._errors import HeftError
from ._progress import listener
from .inertia import PARAMETERS, com_of, tensor_about_com, tensor_about_origin
from .log import as_log, check_widths


@dataclass(frozen=True)
class Body:
    """An identified body, in the axes of its link's frame.

    mass            [kg]
    com             (3,) centre of mass [m]
    inertia         (3, 3) about the centre of mass [kg m^2], as in a URDF
    inertia_origin  (3, 3) about the frame's origin [kg m^2]
    parameters      (10,) m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the frame's origin
    prior           the same of the robot's file
    """

    name: str
    joint: str | None
    parameters: np.ndarray = field(repr=False)
    prior: np.ndarray = field(repr=False)

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.parameters[0])

    @property
    def com(self) -> np.ndarray:
        """(3,) centre of mass in the link's frame [m]"""
        return com_of(self.parameters)

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) about the centre of mass, in the link's axes [kg m^2]"""
        return tensor_about_com(self.parameters)

    @property
    def inertia_origin(self) -> np.ndarray:
        """(3, 3) about the frame's origin [kg m^2]"""
        return tensor_about_origin(self.parameters)


class Result:
    """The answer of identify() or solve(), or one read back by read_result().

    parameters  (10 bodies + columns,) view of the answer, in the order of the moments [SI]
    bodies      Body by name
    columns     value by name, of friction, offsets and what else was asked for
    certified   whether the answer is proven to be the best possible one
    doubts      dictionaries {id, severity, words, remedy, ..}, serious ones first
    """

    def __init__(self, native: _heft.Identification | None, document: dict | None = None, summary: str | None = None):
        self._native, self._read, self._words = native, document, summary

    @cached_property
    def _document(self) -> dict:
        return self._read if self._native is None else json.loads(self._native.json)

    def to_dict(self) -> dict:
        """result.json as a dictionary."""
        return json.loads(json.dumps(self._document))

    @property
    def robot(self) -> str:
        """name of the robot in its file"""
        return self._document["robot"]

    @cached_property
    def bodies(self) -> dict[str, Body]:
        """Body by name"""
        def numbers(parameters):
            return np.array([parameters[key] for key in PARAMETERS], dtype=float)

        return {body["name"]: Body(body["name"], body.get("joint"), numbers(body["parameters"]), numbers(body["prior"]))
                for body in self._document["bodies"]}

    @cached_property
    def columns(self) -> dict[str, float]:
        """value by name of friction, offsets and what else was asked for, in the units of to_dict()"""
        return {column["name"]: column["value"] for column in self._document["columns"]}

    @property
    def parameters(self) -> np.ndarray:
        """(10 bodies + columns,) view of the answer, in the order of the moments [SI]"""
        if self._native is not None:
            return self._native.parameters
        return np.concatenate([*(body.parameters for body in self.bodies.values()), np.array(list(self.columns.values()))])

    @property
    def certified(self) -> bool:
        """whether the answer is proven to be the best possible one"""
        return bool((self._document.get("certificate") or {}).get("certified"))

    @property
    def doubts(self) -> list[dict]:
        """dictionaries {id, severity, words, remedy, ..}, serious ones first"""
        order = {"serious": 0, "minor": 1}
        return sorted(self._document.get("doubts") or [], key=lambda doubt: order.get(doubt.get("severity"), 2))

    @property
    def error(self) -> float:
        """Share of the torque that is not explained: on held-out logs if there are any, else on the training logs."""
        return (self._document.get("validation") or self._document["training"])["overall_relative"]

    @cached_property
    def moments(self):
        """What is kept of the training logs: Moments, to add, save and solve again."""
        from .estimation import Moments

        return Moments(self._identification().moments)

    def summary(self) -> str:
        """What `heft identify` prints."""
        return self._summary() or self._identification().summary

    def _summary(self) -> str | None:
        return self._words if self._native is None else self._native.summary

    def predict(self, log, *, progress=None):
        """Torques that the answer predicts for a log, conditioned as the training logs were: Prediction. Rows that conditioning
        drops are not in it; a measured torque that is missing or not used is nan."""
        log = self._log(log)
        with listener(progress) as hears:
            return Prediction(*self._identification().predict(log._native, hears),
                              [fit["channel"] for fit in self._document["training"]["per_channel"]])

    def save(self, directory: str | os.PathLike) -> dict[str, str]:
        """Writes result.json, report.html and identified.urdf (and rotors.yaml, chosen.yaml where there are such) into a
        directory, the same files as the program's. Returns their paths."""
        return self._identification().save(os.fspath(directory))

    def report(self, directory: str | os.PathLike | None = None, open: bool = True) -> Path:
        """Saves the result, into a folder of its own for this process unless one is named, and opens its page in a browser."""
        if directory is None:
            directory = tempfile.mkdtemp(prefix="heft_report_")
        page = Path(self.save(directory)["page"]).resolve()
        if open:
            webbrowser.open(page.as_uri())
        return page

    def plot(self, axes=None):
        """Masses beside the file's and the error of every channel, by matplotlib. Returns its figure."""
        from ._plot import plot_result

        return plot_result(self, axes)

    def _log(self, log):
        log = as_log(log)
        check_widths({"log": [log]}, self._identification().joints)
        return log

    def _identification(self) -> _heft.Identification:
        if self._native is None:
            raise HeftError("result", "was read from a file, which holds neither moments nor the robot's shapes",
                            "identify again, or solve the moments that were saved")
        return self._native

    def __reduce__(self):
        """All numbers and the words of the summary; not what lies behind them, whose moments are pickled by themselves."""
        return _without_data, (self._document, self._summary())

    def _repr_html_(self) -> str:
        return _html.result_html(self)

    def __repr__(self) -> str:
        state = "certified" if self.certified else "not certified"
        open_doubts = sum(doubt.get("severity") == "serious" and not doubt.get("accepted") for doubt in self.doubts)
        doubts = f", {open_doubts} serious doubts" if open_doubts else ""
        return f"Result({self.robot!r}, {len(self.bodies)} bodies, error {100 * self.error:.3g} %, {state}{doubts})"


@dataclass(frozen=True)
class Prediction:
    """t (n,) [s]; measured, predicted (n, channels) [N m] or [N]; channels: names. If they were asked for: external (n, channels),
    torques from outside, positive where they help the motor, and alarm (n,), whether one of them is beyond its threshold."""

    t: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray
    channels: list[str]
    external: np.ndarray | None = None
    alarm: np.ndarray | None = None

    @property
    def error(self) -> float:
        """|measured - predicted| / |measured| over all that was measured."""
        used = np.isfinite(self.measured)
        residual = np.where(used, self.measured - self.predicted, 0)
        return float(np.linalg.norm(residual) / np.linalg.norm(np.where(used, self.measured, 0)))


def _without_data(document: dict, summary: str | None) -> Result:
    return Result(None, document, summary)


def read_result(path: str | os.PathLike) -> Result:
    """A result.json, or the one in a directory that save() or the program wrote: all numbers, without the data behind them."""
    return Result(None, json.loads(_heft.read_result_json(os.fspath(path))))


def predict(model: Result | str | os.PathLike, log, out: str | os.PathLike | None = None, *, external_torque: str | None = None,
            observer_hz: float = 15, threshold: float = 8, progress=None) -> Prediction:
    """Torques that an identified model predicts for a log.

    model            a Result, or the directory of a saved one
    log              a Log, a path, or a table of named columns
    out              a CSV to write as `heft predict` does
    external_torque  causal or zero_phase: also torques from outside, by a momentum observer
    observer_hz      bandwidth of the causal observer [Hz]
    threshold        of the alarm, in rms residuals that the identification left over
    """
    if isinstance(model, Result) and out is None and external_torque is None:
        return model.predict(log, progress=progress)
    log = model._log(log) if isinstance(model, Result) else as_log(log)
    with tempfile.TemporaryDirectory() as folder, listener(progress) as hears:
        if isinstance(model, Result):
            model.save(folder)
            model = folder
        path = os.fspath(out) if out is not None else os.path.join(folder, "predicted.csv")
        _heft.predict_file(os.fspath(model), log._native, path, external_torque or "", float(observer_hz), float(threshold), hears)
        table = _heft.Log.of_file(path)
        columns = _heft.Configuration()
        there = table.columns(columns)
        channels = [name.removeprefix("measured_") for name in there if name.startswith("measured_")]
        numbers = table.read(columns, [name for name in there if not name.startswith("used_")], None)

    def of_channels(what: str) -> np.ndarray:
        missing = np.full(len(numbers["t"]), np.nan)  # of forces on a base nothing comes from outside
        return np.column_stack([numbers.get(f"{what}_{channel}", missing) for channel in channels])

    prediction = Prediction(numbers["t"], of_channels("measured"), of_channels("predicted"), channels)
    if external_torque is None:
        return prediction
    return replace(prediction, external=of_channels("external"), alarm=numbers["alarm"] != 0)
