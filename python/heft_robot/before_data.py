"""Functions that need no data: observability, checks of files, simulated robots."""
from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from . import _heft, _html
from ._config import moving_joints, options_of
from ._errors import HeftError
from ._progress import listener
from ._words import name_hint
from .log import Log, as_log, check_widths
from .robot import Robot, as_robot


class Observability:
    """Identifiable parameters of a robot. str() is the table that `heft observe` prints.

    num_base         base parameters
    labels           names of all inertial parameters, P of them
    base_parameters  indices of the parameters that represent the combinations
    base_matrix      (num_base, P): maps all parameters to base parameters
    null_matrix      (P, P - num_base): changes that affect no measurement
    """

    def __init__(self, native: _heft.Observability):
        self._native = native

    num_base: int = property(lambda self: self._native.num_base, doc="number of parameter combinations that torques determine")
    labels: list[str] = property(lambda self: self._native.labels, doc="names of all inertial parameters, P of them")
    base_parameters: list[int] = property(lambda self: self._native.base_parameters,
                                          doc="indices in labels of the parameters that represent the combinations")
    base_matrix: np.ndarray = property(lambda self: self._native.base_matrix, doc="(num_base, P): maps all parameters to base parameters")
    null_matrix: np.ndarray = property(lambda self: self._native.null_matrix,
                                       doc="(P, P - num_base): changes that affect no measurement")

    def to_dict(self) -> dict:
        """The document that `heft observe --json` writes."""
        return json.loads(self._native.json)

    def __str__(self) -> str:
        return self._native.text

    def __repr__(self) -> str:
        return f"Observability({self.num_base} base parameters of {len(self.labels)})"

    def _repr_html_(self) -> str:
        return _html.observability_html(self)


def observe(robot, *, gravity: bool = True, static_only: bool = False, moving_base: bool = False, channels: bool = True,
            progress=None) -> Observability:
    """Finds the identifiable inertial parameters. gravity=False: as in orbit; static_only: the robot is always at rest, in many postures;
    moving_base: the base moves and its wrench is measured; channels: also list what each channel identifies."""
    with listener(progress) as hears:
        return Observability(_heft.observe(as_robot(robot)._native, gravity, static_only, moving_base, channels, hears))


class CheckReport:
    """Findings in a file. str() is the table that `heft check` prints.

    subject   what was checked, in one line
    findings  dictionaries {name, severity: error|warning|note, subject, where, what, measure, unit, remedy}
    """

    def __init__(self, native: _heft.CheckReport):
        self._native = native

    path: str = property(lambda self: self._native.path, doc="of the file, or the name of the log")
    subject: str = property(lambda self: self._native.subject, doc="what was checked, in a line")
    findings: list[dict] = property(lambda self: self._native.findings,
                                    doc="{name, severity: error|warning|note, subject, where, what, measure, unit, remedy} each")

    @property
    def errors(self) -> list[dict]:
        """findings that make the file unusable"""
        return [finding for finding in self.findings if finding["severity"] == "error"]

    @property
    def warnings(self) -> list[dict]:
        """findings that make results wrong or uncertain"""
        return [finding for finding in self.findings if finding["severity"] == "warning"]

    def __str__(self) -> str:
        return self._native.text(110)

    def __repr__(self) -> str:
        return f"CheckReport({self.path!r}, {len(self.errors)} errors, {len(self.warnings)} warnings)"

    def _repr_html_(self) -> str:
        return _html.check_html(self)


def check(robot: str | os.PathLike | Robot, log=None, config=None, *, package_folders=(), progress=None) -> CheckReport:
    """Finds errors in a robot file, or in a log if one is given, and says how to fix them.

    robot            a path, or a Robot: its file as it was read
    log              a Log, a path, or a table of named columns
    config           options for reading the log and for the model that it is checked against, as in identify()
    package_folders  folders to search for meshes of package://..
    """
    if log is None:
        return CheckReport(_heft.check_robot(*_file_of(robot), [os.fspath(folder) for folder in package_folders]))
    robot, log = as_robot(robot), as_log(log)
    options = options_of(config, robot, [log])
    check_widths({"log": [log]}, moving_joints(robot, options))
    with listener(progress) as hears:
        return CheckReport(_heft.check_log(robot._native, log._native, options, hears))


def fix(robot: str | os.PathLike | Robot, path: str | os.PathLike, *, package_folders=()) -> list[dict]:
    """Writes the URDF with the nearest physically consistent inertias. Returns the changes: {link, where, what, distance}."""
    return _heft.fix_robot(*_file_of(robot), os.fspath(path), [os.fspath(folder) for folder in package_folders])


def _file_of(robot) -> tuple[str, bytes | None]:
    """The path of the file and, for a Robot, the text that was read."""
    if isinstance(robot, Robot):
        # lines are those of the URDF that an MJCF file becomes
        return robot.source if robot._options is None else f"{robot.source} as URDF", robot._native.text
    if isinstance(robot, (str, os.PathLike)):
        from .mjcf import is_mjcf

        return _file_of(as_robot(robot)) if is_mjcf(robot) else (os.fspath(robot), None)
    raise HeftError("robot", f"is a {type(robot).__name__}", "give a heft.Robot, or the path of a URDF or MJCF file")


@dataclass(frozen=True)
class Simulation:
    """Logs of a robot whose true parameters are known: train and held_out as Log, with their files beside truth.json in `directory`;
    truth (P,): inertias of all bodies, then viscous and Coulomb friction of every joint."""

    directory: Path
    train: Log
    held_out: Log
    truth: np.ndarray = field(repr=False)


def simulate(robot, out: str | os.PathLike, *, duration: float = 20, held_out: float = 10, progress=None, **options) -> Simulation:
    """Simulates logs of a robot close to the file's: writes train.csv, held_out.csv and truth.json to `out`.

    duration, held_out            length of the training log and of the held-out log [s]
    rate                          samples per second [Hz]
    seed, trajectory_seed         seed of the truth and the noise; seed of the motion
    perturbation                  size of the perturbation of the file's parameters; 0: none
    friction, torque_noise, speed fractions of the joints' effort limits, of their rms torque, of their velocity limits
    encoder_counts                counts per revolution; 0: exact positions
    latency_s                     rows are sampled before their stamps by up to this latency [s]
    """
    robot, out = as_robot(robot), Path(out)
    settings = [_settings(duration, options), _settings(held_out, options)]
    settings[1].trajectory_seed += 1
    complete = _torques_of_mjcf(robot, settings) if robot._options is not None else None
    truth = _heft.SimulatedTruth.of_robot(robot._native, settings[0])
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "train.csv", out / "held_out.csv"]
    for setting, path in zip(settings, paths):
        with listener(progress) as hears:
            _heft.simulate_log(truth, setting, os.fspath(path), hears)
    truth.write(os.fspath(out / "truth.json"))
    if complete is not None:
        complete(out)
    return Simulation(out, *(as_log(path) for path in paths), truth.parameters)


def _torques_of_mjcf(robot: Robot, settings):
    """Returns the function that adds armature, springs and the rest of an MJCF model to logs. Errors come before any log is written."""
    from .mjcf import _simulated
    from .mjcf._beyond import Beyond
    from .mjcf._source import description_of

    model = description_of(robot)
    motions = {name: _simulated.Motion(setting.trajectory_seed, setting.speed, setting.latency_s)
               for name, setting in zip(("train.csv", "held_out.csv"), settings)}
    beyond = Beyond(model, robot, model.config["robot"]["gravity"])
    _simulated.check(model, robot)
    return lambda folder: _simulated.complete(model, beyond, folder, motions)


def _settings(duration: float, options: dict) -> _heft.SimulateOptions:
    settings = _heft.SimulateOptions()
    settings.duration = duration
    for name, value in options.items():
        if name.startswith("_") or name == "duration" or not hasattr(settings, name):
            known = [name for name in dir(settings) if not name.startswith("_")]
            raise HeftError(name, "is not an option of a simulation", name_hint(name, known))
        setattr(settings, name, value)
    _heft.check_simulation(settings)
    return settings
