"""Payloads from arrays: thousands at once, or one during its motion.

Everything is in the sensor's frame: w, wd [rad/s, rad/s^2] its angular velocity and acceleration, u = a - g [m/s^2] the classical
acceleration of its origin less gravity (what an accelerometer shows), and the wrench that the sensor exerts on the payload, force [N]
and torque [N m] about its origin. Of the options in `config`, only sign and known_tool apply; frames and mountings are for logs.
"""
from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from . import _arrays, _heft
from ._config import text_of
from ._errors import HeftError
from ._progress import listener
from ._words import BACKENDS, check_word
from .inertia import com_of, tensor_about_com

_WIDTHS = {"w": 3, "wd": 3, "u": 3, "wrench": 6}


@dataclass(frozen=True)
class PayloadBatch:
    """Results of many payloads, in their order; nan where there is no result.

    parameters  (n, 10) m, mcx, mcy, mcz, Ixx, Ixy, Iyy, Ixz, Iyz, Izz about the sensor's origin [kg, kg m, kg m^2]
    certified   (n,) whether the result is certified as optimal; gap (n,): certified bound on its distance from the optimum
    objective   (n,)
    failure     (n,) why there is no result, or None
    solves      numbers of convex problems by purpose and solver, dicts {purpose, by, problems}; empty on the CPU
    """

    parameters: np.ndarray
    certified: np.ndarray
    gap: np.ndarray
    objective: np.ndarray
    failure: list[str | None]
    solves: list[dict]

    @property
    def mass(self) -> np.ndarray:
        """(n,) [kg]"""
        return self.parameters[:, 0]

    @property
    def com(self) -> np.ndarray:
        """(n, 3) centers of mass [m]"""
        return self.parameters[:, 1:4] / self.parameters[:, :1]

    def __repr__(self) -> str:
        return f"PayloadBatch({len(self.parameters)} payloads, {int(np.sum(self.certified))} certified)"


@dataclass(frozen=True)
class PayloadUpdate:
    """The result of a follower so far: t [s] of the newest of num_samples samples; parameters (10,) as of PayloadBatch; certified;
    mass_interval (2,) [kg] and com_intervals (3, 2) [m], 95 %, infinite if the samples do not determine them."""

    t: float
    num_samples: int
    parameters: np.ndarray
    certified: bool
    mass_interval: np.ndarray
    com_intervals: np.ndarray

    def __repr__(self) -> str:
        low, high = self.mass_interval
        return f"PayloadUpdate(t={self.t:.6g} s, {self.mass:.4g} kg (95 %: {low:.4g} to {high:.4g}), {self.num_samples} samples)"

    @property
    def mass(self) -> float:
        """[kg]"""
        return float(self.parameters[0])

    @property
    def com(self) -> np.ndarray:
        """(3,) center of mass [m]"""
        return com_of(self.parameters)

    @property
    def inertia(self) -> np.ndarray:
        """(3, 3) about the center of mass [kg m^2]"""
        return tensor_about_com(self.parameters)


class PayloadFollower:
    """Weighs a payload during its motion: add() takes samples as they arrive, update() returns the result so far. Neither memory nor the
    time
    of an update grows with the log.

    rate    rate of the samples [Hz]
    shape, pose, config  as in payload()
    """

    def __init__(self, rate: float, *, shape: str | os.PathLike | None = None, pose=None, config=None):
        self._native = _heft.PayloadFollower.make(*text_of(config), _path(shape), _numbers(pose), float(rate))

    def add(self, t, w, wd, u, wrench) -> None:
        """One sample, t a number, w, wd, u (3,) and wrench (6,); or n of them, t (n,), (n, 3), (n, 6). After a gap of more than ten
        periods the low-pass starts again."""
        t = _arrays.read("t", np.atleast_1d(t), 1)
        arrays = [_rows(name, array, width) for (name, width), array in zip(_WIDTHS.items(), (w, wd, u, wrench))]
        _check_rows("", t, arrays)
        self._native.add(t, *arrays)

    def update(self) -> PayloadUpdate:
        """The result so far, with its certificate. HeftError while the samples do not determine a mass."""
        found = self._native.update()
        return PayloadUpdate(**{**found, "mass_interval": np.array(found["mass_interval"])})


def payload_batch(t, w, wd, u, wrench, *, shape=None, pose=None, config=None, backend: str = "cpu", threads: int = 0,
                  progress=None) -> PayloadBatch:
    """Identifies many payloads at once by method auto, each with a certificate, without intervals or doubts.

    t           (n,) times [s] of all, or (objects, n), or a list with one array per object
    w, wd, u    (objects, n, 3), or lists of (n, 3)
    wrench      (objects, n, 6), or a list of (n, 6)
    shape       one mesh for all, or a list with one per object (None: no shape); pose: pose of the shape, as in payload()
    config      as in payload(); threads: number of threads, 0: all; progress: as in identify()
    backend     backend that solves all convex problems together: cpu, cuda, or auto (a device if it takes less than half of the time)
    """
    check_word("backend", backend, BACKENDS)
    names = tuple(_WIDTHS)
    arrays = [_objects(name, array, _WIDTHS[name]) for name, array in zip(names, (w, wd, u, wrench))]
    count = len(arrays[-1])
    for name, array in zip(names, arrays):
        if len(array) != count:
            raise HeftError(name, f"has {len(array)} objects, wrench has {count}", "give one array per object")
    times = _times(t, count)
    shapes = [shape] * count if shape is None or isinstance(shape, (str, os.PathLike)) else list(shape)
    if len(shapes) != count:
        raise HeftError("shape", f"has {len(shapes)} entries for {count} objects", "give one mesh for all, or one per object")
    objects = []
    for k in range(count):
        one = [array[k] for array in arrays]
        _check_rows(f"object {k}: ", times[k], one)
        objects.append((times[k], *one))
    with listener(progress) as hears:
        found = _heft.payload_batch(objects, [_path(name) for name in shapes], _numbers(pose), *text_of(config), backend, int(threads),
                                    hears)
    return PayloadBatch(**{**found, "certified": np.array(found["certified"], dtype=bool)})


def _objects(name: str, array, width: int) -> Sequence[np.ndarray]:
    """A (n, width) array for every object."""
    if isinstance(array, np.ndarray) and array.ndim == 3:
        flat = _arrays.read(name, array.reshape(-1, array.shape[2]), 2)
        array = flat.reshape(array.shape)
    else:
        array = [_arrays.read(f"{name}[{k}]", one, 2) for k, one in enumerate(array)]
    for k, one in enumerate(array[:1] if isinstance(array, np.ndarray) else array):
        if one.shape[1] != width:
            raise HeftError(f"{name}[{k}]", f"has shape {_arrays.shape_text(one.shape)}; expected (n, {width})",
                            "give one row per sample")
    return array


def _times(t, count: int) -> Sequence[np.ndarray]:
    if isinstance(t, np.ndarray) and t.ndim == 1 and t.dtype != object:
        return [_arrays.read("t", t, 1)] * count
    if len(t) != count:
        raise HeftError("t", f"has {len(t)} entries for {count} objects", "give the times (n,) of all, or one array per object")
    return [_arrays.read(f"t[{k}]", one, 1) for k, one in enumerate(t)]


def _rows(name: str, array, width: int) -> np.ndarray:
    array = array if isinstance(array, np.ndarray) else np.asarray(array, dtype=float)
    array = _arrays.read(name, array[None] if array.ndim == 1 else array, 2)
    if array.shape[1] != width:
        raise HeftError(name, f"has shape {_arrays.shape_text(array.shape)}; expected (n, {width})", "give one row per sample")
    return array


def _check_rows(where: str, t: np.ndarray, arrays) -> None:
    for name, array in zip(_WIDTHS, arrays):
        if len(array) != len(t):
            raise HeftError(f"{where}{name}", f"has shape {_arrays.shape_text(array.shape)}, but t has shape "
                                              f"{_arrays.shape_text(t.shape)}", "give one row per sample in every array")


def _path(shape) -> str:
    return "" if shape is None else os.fspath(shape)


def _numbers(pose) -> list[float]:
    return [] if pose is None else [float(x) for x in pose]
