"""Results of an identification as numbers, files, plots and a page."""
from __future__ import annotations

import json
import os
import tempfile
import webbrowser
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from . import _heft, _html
from ._errors import HeftError
from ._moments import Moments
from ._progress import listener
from .body import Bodies, Columns
from .log import as_log, check_widths
from .verdict import Doubts, Verdict

if TYPE_CHECKING:
    from .ranges import Ranges


class Result:
    """The result of identify() or solve(), or one read by read_result(). print() shows error, verdict, doubts and bodies.

    parameters  (10 bodies + columns,) view of the estimate, in the order of the moments [SI]
    bodies      Body by name: mass with interval, center of mass, inertia
    columns     value by name of friction, offsets and the other extra columns
    certified   whether the estimate is certified as optimal
    verdict     {"level": green, amber or red, "words"}, also as attributes
    doubts      dictionaries {id, severity, words, remedy, ..}, serious ones first; .serious, .minor
    urdf        text of identified.urdf

    Results are pickled and deep-copied with their moments; without_moments() removes those.
    """

    def __init__(self, native: _heft.Identification | None, document: dict | None = None, summary: str | None = None,
                 saved: dict[str, bytes] | None = None, kept_moments: Moments | None = None,
                 mjcf=None):
        self._native, self._read, self._words, self._mjcf = native, document, summary, mjcf
        self._saved, self._kept_moments = saved, kept_moments
        self._keeps_moments = native is not None or kept_moments is not None

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
    def bodies(self) -> Bodies:
        """Body by name; a wrong name raises UnknownName, which lists them"""
        return Bodies.of_document(self._document)

    @cached_property
    def columns(self) -> Columns:
        """value by name of friction, offsets and the other extra columns, in the units of to_dict()"""
        return Columns((column["name"], column["value"]) for column in self._document["columns"])

    @property
    def parameters(self) -> np.ndarray:
        """(10 bodies + columns,) view of the estimate, in the order of the moments [SI]"""
        if self._native is not None:
            return self._native.parameters
        return np.concatenate([*(body.parameters for body in self.bodies.values()), np.array(list(self.columns.values()))])

    @property
    def certified(self) -> bool:
        """whether the result is certified as optimal"""
        return bool((self._document.get("certificate") or {}).get("certified"))

    @property
    def verdict(self) -> Verdict:
        """{"level": green, amber or red, "words"}, also as attributes"""
        return Verdict(self._document["verdict"])

    @property
    def doubts(self) -> Doubts:
        """list of Doubt: dictionaries {id, severity, words, remedy, ..}, also with attributes; serious ones first"""
        return Doubts.of_document(self._document)

    @cached_property
    def urdf(self) -> str:
        """Text of identified.urdf. HeftError if a body is not physically consistent, which least squares allows."""
        try:
            return self._files["identified.urdf"].decode()
        except KeyError:
            raise HeftError("result", "has a body that is not physically consistent, which a URDF cannot express",
                            "choose an estimation.solver other than ols and wls") from None

    def to_frame(self, of: str = "base"):
        """A pandas table, indexed by name.

        of  "base": quantities that the logs identify, base parameters and columns, with value, standard_error, low and high;
            "all": every inertial parameter and column, with value, prior, unit, low, high, prior_share and set_by_prior;
            "channels": rms error and rms torque of every measured torque, held out where there are held-out logs.

        Intervals have the confidence of to_dict()["uncertainty"] (95 % by default); nan: not determined. HeftError: `of` is another word,
        or there are no intervals (least squares, compact moments).
        """
        from ._frame import frame_of

        return frame_of(self._document, of)

    def ranges(self, level: float = 0.95, prior_deviation: float = 0.3) -> Ranges:
        """Randomization ranges of every body and joint: mass, center of mass, inertia, damping, frictionloss, armature, in the forms that
        MuJoCo, Isaac Lab and mjlab use. Every draw is physically consistent. Values that the prior determines are marked.

        level            probability that each range contains the truth
        prior_deviation  relative deviation of a body from the result if the logs do not determine it

        HeftError: no intervals (least squares, short logs), motor rotors as bodies.
        """
        from .ranges import ranges_of

        return ranges_of(self, level, prior_deviation)

    @property
    def error(self) -> float:
        """rms error divided by the rms torque, on held-out logs if there are any, otherwise on the training logs."""
        return (self._document.get("validation") or self._document["training"])["overall_relative"]

    @cached_property
    def moments(self):
        """Sums over the training logs: Moments, to add, save and solve again."""
        if self._native is not None:
            return Moments(self._native.moments)
        if self._kept_moments is not None:
            return self._kept_moments
        raise HeftError("result", "has no moments", "pickle the result itself, not result.without_moments(), or save them with "
                                                    "result.moments.save(path)")

    def without_moments(self) -> Result:
        """A copy that can predict, save and plot but has no moments: its pickles are smaller."""
        return Result(None, self.to_dict(), self._summary(), self._files, mjcf=self._mjcf)

    def summary(self) -> str:
        """The output of `heft identify`."""
        words = self._summary()
        if words is None:
            raise HeftError("result", "was read from result.json, which has no summary", "print the result itself, or open "
                                                                                          "report.html next to that file")
        return words

    def _summary(self) -> str | None:
        return self._words if self._native is None else self._native.summary

    def predict(self, log, *, progress=None):
        """Predicts the torques of a log, conditioned like the training logs. Returns a Prediction without the rows that conditioning
        drops; measured torques that are missing or not used are nan."""
        if self._native is None:
            return predict(self, log, progress=progress)
        log = self._log(log)
        with listener(progress) as hears:
            return Prediction(*self._native.predict(log._native, hears),
                              [fit["channel"] for fit in self._document["training"]["per_channel"]])

    def save(self, directory: str | os.PathLike) -> dict[str, str]:
        """Writes result.json, report.html and identified.urdf (rotors.yaml and chosen.yaml where they apply) into a directory,
        the same files as the program. Returns their paths by kind: result, page, robot, chosen.

        For a robot from an MJCF file also identified.xml, model; if the file forbids it, a ModelNote says why. Results that
        read_result() returns, and those of solve() without its robot, do not know that file."""
        paths = self._save(directory)
        model = None if self._mjcf is None else self._mjcf.write(self._document, Path(directory))
        return paths if model is None else {**paths, "model": model}

    def _save(self, directory: str | os.PathLike) -> dict[str, str]:
        """The files that predict() needs."""
        if self._native is not None:
            return self._native.save(os.fspath(directory))
        return write_files(self._files, Path(directory))

    @property
    def _files(self) -> dict[str, bytes]:
        """The files that save() writes, content by name."""
        if self._native is not None:
            return _files_of(self._native)
        if self._saved is None:
            raise HeftError("result", "was read from a single result.json", "read the folder that save() or the program wrote: "
                                                                           "read_result(folder)")
        return self._saved

    def report(self, directory: str | os.PathLike | None = None, open: bool = True) -> Path:
        """Saves the result, to a new temporary folder unless one is named, and opens its page in a browser. Returns the page."""
        if directory is None:
            directory = tempfile.mkdtemp(prefix="heft_report_")
        page = Path(self.save(directory)["page"]).resolve()
        if open:
            webbrowser.open(page.as_uri())
        return page

    def plot(self, axes=None):
        """Masses with their intervals next to those of the file, and the error of every channel, by matplotlib. Masses that the prior determines
        are gray. Returns the figure."""
        from ._plot import plot_result

        return plot_result(self, axes)

    def _log(self, log):
        log = as_log(log)
        check_widths({"log": [log]}, self._joints)
        return log

    @property
    def _joints(self) -> list[str]:
        return self._native.joints if self._native is not None else self._document["joints"]

    def __reduce__(self):
        kept = self.moments if self._keeps_moments else None
        return Result, (None, self._document, self._summary(), self._saved if self._native is None else self._files, kept, self._mjcf)

    def _repr_html_(self) -> str:
        return _html.result_html(self)

    def __str__(self) -> str:
        lines = [f"{self.robot}: {self._error_text()} of the torque", str(self.verdict), *map(str, self.doubts), repr(self.bodies)]
        return "\n".join(lines)

    def __repr__(self) -> str:
        state = "certified" if self.certified else "not certified"
        count = len(self.doubts.serious)
        doubts = f", {count} serious doubt{'s' if count > 1 else ''}" if count else ""
        return f"Result({self.robot!r}, {len(self.bodies)} bodies, {self._error_text()}, {state}{doubts})"

    def _error_text(self) -> str:
        return f"{'held-out' if self._document.get('validation') else 'training'} error {100 * self.error:.3g} %"


@dataclass(frozen=True)
class Prediction:
    """t (n,) [s]; measured, predicted (n, channels) [N m] or [N]; channels: names. If requested: external (n, channels),
    external torques, positive if they assist the motor, and alarm (n,), whether one of them exceeds its threshold."""

    t: np.ndarray
    measured: np.ndarray
    predicted: np.ndarray
    channels: list[str]
    external: np.ndarray | None = None
    alarm: np.ndarray | None = None

    @property
    def error(self) -> float:
        """|measured - predicted| / |measured| over all measured torques; nan without any."""
        used = np.isfinite(self.measured)
        if not used.any():
            return float("nan")
        residual = np.where(used, self.measured - self.predicted, 0)
        return float(np.linalg.norm(residual) / np.linalg.norm(np.where(used, self.measured, 0)))

    def __repr__(self) -> str:
        extra = ", external torques" if self.external is not None else ""
        measured = f", error {100 * self.error:.3g} %" if np.isfinite(self.measured).any() else ""
        return f"Prediction({len(self.t)} rows, {len(self.channels)} channels{measured}{extra})"


#: files of a result, and what save() calls them
_FILES = {"result.json": "result", "report.html": "page", "identified.urdf": "robot", "rotors.yaml": None, "chosen.yaml": "chosen"}


def _files_in(folder: Path) -> dict[str, bytes]:
    return {name: (folder / name).read_bytes() for name in _FILES if (folder / name).exists()}


def _files_of(native: _heft.Identification) -> dict[str, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        native.save(folder)
        return _files_in(Path(folder))


def write_files(files: dict[str, bytes], directory: Path) -> dict[str, str]:
    """Writes the files of a result, each to a temporary name and renamed, and removes those of an earlier result that this one lacks."""
    directory.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        with tempfile.NamedTemporaryFile(dir=directory, delete=False) as aside:
            aside.write(content)
        os.chmod(aside.name, 0o666 & ~_umask())
        os.replace(aside.name, directory / name)
    for name in _FILES.keys() - files.keys():
        (directory / name).unlink(missing_ok=True)
    return {key: os.fspath(directory / name) for name, key in _FILES.items() if key and name in files}


def _umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def read_result(path: str | os.PathLike) -> Result:
    """Returns the result in a folder that save() or the program wrote, without its moments; or of a single result.json, which contains all numbers
    but cannot predict or save."""
    path = Path(path)
    return Result(None, json.loads(_heft.read_result_json(os.fspath(path))), saved=_files_in(path) if path.is_dir() else None)


def predict(model: Result | str | os.PathLike, log, out: str | os.PathLike | None = None, *, external_torque: str | None = None,
            observer_hz: float = 15, threshold: float = 8, progress=None) -> Prediction:
    """Predicts the torques of a log with an identified model.

    model            a Result, or the directory of a saved one
    log              a Log, a path, or a table of named columns
    out              a CSV to write as `heft predict` does
    external_torque  causal or zero_phase: also compute external torques with a momentum observer
    observer_hz      bandwidth of the causal observer [Hz]
    threshold        threshold of the alarm, in multiples of the rms residual of the identification
    """
    if isinstance(model, Result) and model._native is not None and out is None and external_torque is None:
        return model.predict(log, progress=progress)
    log = model._log(log) if isinstance(model, Result) else as_log(log)
    with tempfile.TemporaryDirectory() as folder, listener(progress) as hears:
        if isinstance(model, Result):
            model._save(folder)
            model = folder
        path = os.fspath(out) if out is not None else os.path.join(folder, "predicted.csv")
        _heft.predict_file(os.fspath(model), log._native, path, external_torque or "", float(observer_hz), float(threshold), hears)
        table = _heft.Log.of_file(path)
        defaults = _heft.Configuration()
        there = table.columns(defaults)
        channels = [name.removeprefix("measured_") for name in there if name.startswith("measured_")]
        numbers = table.read(defaults, [name for name in there if not name.startswith("used_")], None)

    def of_channels(what: str) -> np.ndarray:
        missing = np.full(len(numbers["t"]), np.nan)  # of forces on a base nothing comes from outside
        return np.column_stack([numbers.get(f"{what}_{channel}", missing) for channel in channels])

    prediction = Prediction(numbers["t"], of_channels("measured"), of_channels("predicted"), channels)
    if external_torque is None:
        return prediction
    return replace(prediction, external=of_channels("external"), alarm=numbers["alarm"] != 0)
