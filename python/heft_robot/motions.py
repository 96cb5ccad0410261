"""Information matrices of many motions at once, before any torque is measured."""
from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from . import _arrays, _heft
from ._errors import HeftError
from ._progress import listener
from ._words import BACKENDS, check_word
from .robot import as_robot


@dataclass(frozen=True)
class SplineMotions:
    """Motions as B-splines of degree five with equal knots.

    control   (n, points, joints) control points, points >= 6: points - 5 intervals [rad] or [m]
    interval  between knots [s]
    dt        between samples [s]; the last sample lies within the spline
    samples   of each motion
    """
    control: np.ndarray
    interval: float
    dt: float
    samples: int

    def _information(self, robot, how, hears):
        return _heft.information_of_splines(robot, _batch("control", self.control, robot), float(self.interval), float(self.dt),
                                            int(self.samples), how, hears)


@dataclass(frozen=True)
class FourierMotions:
    """Motions as q(t) = center + sum over h >= 1 of sine_h sin(h w t) + cosine_h cos(h w t).

    center        (n, joints) [rad] or [m]
    sine, cosine  (n, harmonics, joints) [rad] or [m]
    frequency     w [rad/s]
    dt, samples   between samples [s]; of each motion
    """
    center: np.ndarray
    sine: np.ndarray
    cosine: np.ndarray
    frequency: float
    dt: float
    samples: int

    def _information(self, robot, how, hears):
        sine, cosine = _batch("sine", self.sine, robot), _batch("cosine", self.cosine, robot)
        center = _batch("center", np.asarray(self.center)[..., None, :], robot)
        for name, array, wanted in (("cosine", cosine, sine.shape), ("center", center, (len(sine), 1, sine.shape[2]))):
            if array.shape != wanted:
                raise HeftError(name, f"has shape {_arrays.shape_text(array.shape)}, but sine of shape "
                                      f"{_arrays.shape_text(sine.shape)} requires {_arrays.shape_text(wanted)}",
                                "give one set of coefficients per motion")
        return _heft.information_of_series(robot, center, sine, cosine, float(self.frequency), float(self.dt), int(self.samples),
                                           how, hears)


def information(robot, motions: SplineMotions | FourierMotions, *, weights=None, precision: str = "double",
                backend: str = "auto", threads: int = 0, progress=None) -> np.ndarray:
    """Information matrices of motions: G = sum over samples and channels of w row' row, (n, 10 bodies, 10 bodies), whose inverse is
    the covariance of the parameters that a log of the motion would leave. Motions are evaluated where rows are made, on the CPU's
    lanes or a GPU; only the sums are returned, so that thousands of candidates need no memory.

    robot      on a fixed base; a heft.Robot or the path of its URDF
    weights    (channels,) 1 / noise^2 of every channel [1/(N m)^2] or [1/N^2]; None: ones
    precision  double, or single: faster, and accurate to 1e-5 of the matrix's norm
    backend    auto, cpu or cuda
    threads    0: all
    """
    if not isinstance(motions, (SplineMotions, FourierMotions)):
        raise HeftError("motions", f"are a {type(motions).__name__}", "give heft.SplineMotions or heft.FourierMotions")
    check_word("precision", precision, ("double", "single"))
    check_word("backend", backend, BACKENDS)
    weights = [] if weights is None else _arrays.read("weights", weights, 1).tolist()
    how = _heft.InformationCall(weights, precision == "single", backend, int(threads))
    with listener(progress) as hears:
        return motions._information(as_robot(robot)._native, how, hears)


def _batch(name: str, array, robot) -> np.ndarray:
    """(n, rows, joints) in C order."""
    array = np.asarray(array)
    if array.dtype.kind not in "fiu":
        raise HeftError(name, f"has numbers of type {array.dtype}", f"give float64: {name}.astype(float)")
    if array.ndim != 3 or array.shape[2] != len(robot.joints):
        raise HeftError(name, f"has shape {_arrays.shape_text(array.shape)}; expected (n, coefficients, {len(robot.joints)})",
                        f"give one column per joint: {', '.join(robot.joints)}")
    return np.ascontiguousarray(array, dtype=np.float64)
