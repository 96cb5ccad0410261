"""Moments: the sums over logs that estimation needs; they can be added, saved, pickled and solved repeatedly."""
from __future__ import annotations

import os

import numpy as np

from . import _arrays, _heft
from ._errors import HeftError


class Moments:
    """Sums over samples with everything that estimation needs, for logs of any length. They are immutable; a + b
    adds the samples of both, for the same robot and columns. They can be pickled and saved (*.heft, docs/moments.md)."""

    def __init__(self, native: _heft.Moments):
        self._native = native

    robot: str = property(lambda self: self._native.robot, doc="name of the robot")
    bodies: list[str] = property(lambda self: self._native.bodies, doc="names, in the order of the unknowns")
    channels: list[str] = property(lambda self: self._native.channels, doc="names of the measured torques")
    parameters: list[str] = property(lambda self: self._native.parameter_texts(False), doc="names of the unknowns")
    units: list[str] = property(lambda self: self._native.parameter_texts(True), doc="units of the unknowns")
    num_samples: int = property(lambda self: self._native.num_samples, doc="number of summed samples")
    is_compact: bool = property(lambda self: self._native.is_compact, doc="whether there are no stretches and thus no intervals")
    disagreements: list[str] = property(lambda self: self._native.disagreements, doc="differences of the added moments, in words")

    def __add__(self, other) -> Moments:
        if not isinstance(other, Moments):
            return NotImplemented
        return Moments(self._native.sum(other._native))

    def __radd__(self, other) -> Moments:
        return self if isinstance(other, int) and other == 0 else NotImplemented  # for sum()

    def save(self, path: str | os.PathLike, *, compact: bool = False) -> None:
        """Writes a moments file. `compact` keeps only the sum of all samples: a small file that gives no intervals."""
        self._native.save(os.fspath(path), compact)

    @classmethod
    def load(cls, path: str | os.PathLike) -> Moments:
        """Reads a file that save() or `heft identify --moments` wrote."""
        return cls(_heft.Moments.load(os.fspath(path)))

    def normal_equations(self, weights=None) -> tuple[np.ndarray, np.ndarray, float, float]:
        """Returns G (P, P), b (P,), tau2 and the number of rows: x'Gx - 2 b'x + tau2 is summed over channels with `weights`
        (channels,), which are 1 by default."""
        if weights is not None:
            weights = _arrays.read("weights", weights, 1)
            if len(weights) != len(self.channels):
                raise HeftError("weights", f"has shape {_arrays.shape_text(weights.shape)}; expected ({len(self.channels)},)",
                                "give one weight per channel")
        return self._native.normal_equations(weights)

    def __reduce__(self):
        return _from_bytes, (self._native.to_bytes(),)

    def __repr__(self) -> str:
        return f"Moments({self.robot!r}, {self.num_samples} samples, {len(self.parameters)} unknowns)"


def _from_bytes(content: bytes) -> Moments:
    return Moments(_heft.Moments.from_bytes(content))
