"""Logs: arrays in memory, tables of named columns, files."""
from __future__ import annotations

import json
import os
import subprocess
import tempfile
import warnings
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from . import _arrays, _heft
from ._config import configuration
from ._errors import HeftError, LogNote
from ._progress import listener


class Log:
    """A robot's log, from arrays with one row per sample.

    t         (n,) times [s] that never decrease; datetime64, timedelta64 and a DatetimeIndex count from their first value
    q         (n, joints) positions [rad] or [m], joints in the robot's order
    tau       (n, joints) measured torques [N m] or forces [N]
    qd, qdd   (n, joints) velocities and accelerations, if logged; otherwise they are computed from q
    name      name of the log in errors and in result.json

    float64 arrays are read in place, also while identification runs: do not write to them meanwhile. They are kept alive.
    nan is a missing value: a segment ends there, or the row of that joint is dropped.
    """

    def __init__(self, t, q, tau=None, qd=None, qdd=None, *, name: str = "arrays"):
        t = _arrays.read("t", _arrays.seconds("t", t), 1)
        arrays = {"q": _arrays.read("q", q, 2)}
        _arrays.same_rows("t", t, "q", arrays["q"])
        for key, array in (("tau", tau), ("qd", qd), ("qdd", qdd)):
            arrays[key] = None if array is None else _arrays.read(key, array, 2)
            if array is not None:
                _arrays.same_rows("q", arrays["q"], key, arrays[key])
        self._arrays = {"t": t, **arrays}
        self._config = None
        self._native = _heft.Log.of_joints(name, t, arrays["q"], arrays["tau"], arrays["qd"], arrays["qdd"], self._arrays)

    @classmethod
    def from_table(cls, table, *, name: str = "table") -> Log:
        """Columns by their names, as in a file: t, q_<joint> or q1, q2, .., tau_<joint> .., or as `config` says (log.position,
        ..). `table`: a pandas or polars frame, an Arrow table, or a dictionary of arrays. Columns of datetime64 become seconds
        from their first; a DatetimeIndex is the column t if there is no other. Text columns are ignored."""
        columns = dict(_columns(table))
        index = getattr(table, "index", None)
        if getattr(getattr(index, "dtype", None), "kind", None) == "M":
            columns = {"t": index, **({index.name: index} if isinstance(index.name, str) else {}), **columns}
        columns = {key: _arrays.seconds(f"{name}[{key!r}]", array) for key, array in columns.items()}
        if not columns:
            raise HeftError(name, f"has no numeric columns; its type is {type(table).__name__}",
                            "give a data frame, an Arrow table or a dictionary of arrays; for arrays t, q, tau: heft.Log(t, q, tau)")
        length = None
        for key, array in columns.items():
            columns[key] = array = _arrays.read(f"{name}[{key!r}]", array, 1,
                                                "give one column per joint, q_joint_1 and so on, or arrays: heft.Log(t, q, tau)")
            length = array.shape if length is None else length
            if array.shape != length:
                raise HeftError(f"{name}[{key!r}]", f"has shape {_arrays.shape_text(array.shape)}, but the columns before "
                                                    f"it have shape {_arrays.shape_text(length)}", "give columns of equal length")
        log = cls._of(_heft.Log.of_table(name, list(columns), list(columns.values()), columns))
        log._table = columns
        return log

    @classmethod
    def from_mujoco(cls, model, qpos, qvel, qacc, torque=None, *, t=None, ctrl=None, name: str = "mujoco") -> Log:
        """States of a MuJoCo simulation, one row per sample, named and converted as Robot.from_mjcf() names its joints.

        model       mujoco.MjModel, or the path of its MJCF file
        qpos, qvel, qacc  (n, nq), (n, nv), (n, nv) as in MjData
        torque      (n, nv) generalized force that moves the robot, without passive forces: data.qfrc_actuator, with
                    data.qfrc_applied if it is used, and data.qfrc_constraint if there is contact
        t           (n,) times [s]; by default, rows are one timestep of the model apart
        ctrl        (n, nu) controls in place of torque: actuator gains and gears are applied

        Torques are nan where MuJoCo's soft frictionloss does not saturate; a LogNote says how many. identify() starts from the log's
        options: no filter, logged velocity, columns of friction and armature; those of `config` override them.
        """
        from .mjcf import log_columns

        columns, config = log_columns(model, qpos, qvel, qacc, torque, t, ctrl)
        log = cls.from_table(columns, name=name)
        log._defaults = config
        return log

    @classmethod
    def _of(cls, native: _heft.Log, config=None) -> Log:
        log = cls.__new__(cls)
        log._native, log._arrays, log._config = native, None, config
        return log

    @classmethod
    def _of_path(cls, path: str, config=None) -> Log:
        """The Log of a file or folder; formats that the program does not read are unpacked into a temporary file."""
        from . import tables

        if not tables.is_unpacked(path):
            return cls._of(_heft.Log.of_file(path), config)
        unpacked = tables.unpack(path)
        log = cls._of(_heft.Log.of_file(unpacked.path, path, unpacked.sha256, unpacked.file), config)
        log._notes = tuple(unpacked.notes)
        for note in unpacked.notes:
            warnings.warn(note, LogNote, stacklevel=_arrays._level_of_caller())
        return log

    _table, _notes = None, ()
    _defaults = None  # options of a log that hold unless the user's replace them

    def __reduce__(self):
        """Pickles arrays, but only the path of a file, not its content."""
        if self._arrays is not None:
            return _log_of_arrays, (self.name, self._arrays)
        if self._table is not None:
            return _log_of_table, (self.name, self._table, self._defaults)
        return _log_of_file, (self.name, self._config)

    @property
    def name(self) -> str:
        """name in errors and in result.json; the path of a file"""
        return self._native.name

    @property
    def columns(self) -> list[str]:
        """Names of all columns, including the time."""
        return self._native.columns(configuration(self._config, _heft.Configuration()))

    def read(self, columns=None, *, progress=None) -> dict[str, np.ndarray]:
        """Raw numbers by column name: all columns, or those in `columns`. If several topics have a column `t`, it is that of the first
        topic with another of these columns."""
        with listener(progress) as hears:
            names = list(dict.fromkeys(self.columns if columns is None else columns))
            return self._native.read(configuration(self._config, _heft.Configuration()), names, hears)

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on how a file was read: columns that were left out, times that were not measured, units."""
        return self._notes

    def __repr__(self) -> str:
        return f"Log({self.name!r})"


def read_log(path: str | os.PathLike, config=None) -> Log:
    """A log file or folder: CSV, NPY, HDF5, MCAP, ROS 2 and ROS 1 bags, Parquet, Arrow, LeRobot, NPZ, MAT, netCDF, compressed files.
    `config`: options for reading (section `log`), a YAML file or a dictionary, which identification also uses unless it gets others.
    The header is read at once, so errors in it are raised here. Formats that the program cannot read are unpacked to a temporary file."""
    log = Log._of_path(os.fspath(path), config)
    log._native.columns(configuration(config, _heft.Configuration()))
    return log


def log_info(path: str | os.PathLike) -> dict:
    """The content of a log: topics[] {name, type, messages, rate_hz, gaps, steps_back, resolution_s, fields, role}, losses, yaml, as
    `heft info LOG --json` writes it, and notes."""
    from . import tables

    path = os.fspath(path)
    unpacked = tables.unpack(path) if tables.is_unpacked(path) else None
    inner = unpacked.path if unpacked else path
    with tempfile.TemporaryDirectory(prefix="heft-") as folder:
        out = os.path.join(folder, "info.json")
        done = subprocess.run([Path(__file__).with_name("heft"), "info", inner, "--json", out], capture_output=True, text=True,
                              pass_fds=[unpacked.file.fileno()] if unpacked else [])
        if done.returncode != 0:
            raise _error_of_program(path, done.stderr.replace(inner, path))
        with open(out, encoding="utf-8") as file:
            info = json.loads(file.read().replace(json.dumps(inner)[1:-1], json.dumps(path)[1:-1]))
    return {**info, "notes": unpacked.notes if unpacked else []}


def _error_of_program(path: str, text: str) -> HeftError:
    text = text.strip().removeprefix("heft: ")
    what, _, remedy = text.partition("\n  remedy: ")
    return HeftError(path, what.removeprefix(path).removeprefix(": "), remedy)


def _log_of_arrays(name: str, arrays: dict) -> Log:
    return Log(**arrays, name=name)


def _log_of_table(name: str, columns: dict, defaults=None) -> Log:
    log = Log.from_table(columns, name=name)
    log._defaults = defaults
    return log


def _log_of_file(path: str, config) -> Log:
    return Log._of_path(path, config)


def as_log(log) -> Log:
    """Returns the Log for a Log, a path or a table."""
    if isinstance(log, Log):
        return log
    if isinstance(log, (str, os.PathLike)):
        return Log._of_path(os.fspath(log))
    return Log.from_table(log)


def as_logs(logs) -> list[Log]:
    """Returns a list for one log or several."""
    if logs is None:
        return []
    return [as_log(log) for log in logs] if isinstance(logs, (list, tuple)) else [as_log(logs)]


def check_torques(logs_of: dict[str, list[Log]]) -> None:
    """Refuses arrays without torques; keys are names of arguments."""
    for argument, logs in logs_of.items():
        for log in logs:
            if log._arrays is not None and log._arrays["tau"] is None:
                raise HeftError(f"{argument}: {log.name}", "has no torques", "give them: heft.Log(t, q, tau)")


def check_widths(logs_of: dict[str, list[Log]], joints: list[str]) -> None:
    """Refuses arrays whose number of columns is not the number of joints; keys are names of arguments."""
    for argument, logs in logs_of.items():
        for log in logs:
            if log._arrays is not None and log._native.num_joints != len(joints):
                shape = log._arrays["q"].shape
                raise HeftError(f"{argument}: {log.name}: q", f"has shape {_arrays.shape_text(shape)}; "
                                f"expected for this robot {_arrays.shape_text((shape[0], len(joints)))}",
                                f"give one column per joint: {', '.join(joints)}")


def _columns(table):
    """Pairs of a name and an array, for the numeric columns."""
    if isinstance(table, Mapping):
        yield from ((str(key), np.asarray(value)) for key, value in table.items())
    elif hasattr(table, "column_names"):  # Arrow
        for key in table.column_names:
            numbers = _of_arrow(table.column(key))
            if numbers.dtype.kind in "fiubMm":
                yield str(key), numbers
    elif hasattr(table, "columns") and hasattr(table, "__getitem__"):  # pandas, polars
        for key in table.columns:
            numbers = _of_frame(table[key])
            if numbers.dtype.kind in "fiubMm":
                yield str(key), numbers
    elif getattr(getattr(table, "dtype", None), "names", None):  # an array of records
        yield from ((key, table[key]) for key in table.dtype.names)


def _of_frame(column) -> np.ndarray:
    """A column of a frame; missing values of pandas' nullable types (Float64, Int64, those of Arrow) become nan.
    Times with a zone stay a series, which _arrays.seconds() reads."""
    if getattr(column.dtype, "tz", None) is not None:
        return column
    is_extension = not isinstance(column.dtype, np.dtype) and getattr(column.dtype, "kind", "O") in "fiu"
    return column.to_numpy(dtype=np.float64, na_value=np.nan) if is_extension else np.asarray(column)


def _of_arrow(column) -> np.ndarray:
    """An Arrow column; without a copy if it is one chunk without missing values."""
    if not hasattr(column, "num_chunks"):
        return column.to_numpy(zero_copy_only=False)
    return column.chunk(0).to_numpy(zero_copy_only=False) if column.num_chunks == 1 else column.to_numpy()
