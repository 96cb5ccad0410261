"""What a force-torque sensor holds."""
from __future__ import annotations

import json
import os
from functools import cached_property

import numpy as np

from . import _heft
from ._config import text_of
from ._errors import HeftError
from ._progress import listener
from .log import as_logs


class PayloadResult:
    """A payload in the sensor's frame: mass [kg], com (3,) [m], inertia (3, 3) about the centre of mass [kg m^2], doubts."""

    def __init__(self, native: _heft.PayloadResult):
        self._native = native

    @cached_property
    def _document(self) -> dict:
        return json.loads(self._native.json)

    def to_dict(self) -> dict:
        """result.json as a dictionary."""
        return json.loads(self._native.json)

    @property
    def mass(self) -> float:
        return self._document["payload"]["mass"]

    @property
    def com(self) -> np.ndarray:
        return np.array(self._document["payload"]["com"], dtype=float)

    @property
    def inertia(self) -> np.ndarray:
        xx, xy, yy, xz, yz, zz = self._document["payload"]["inertia_com"]
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]], dtype=float)

    @property
    def doubts(self) -> list[dict]:
        return self._document.get("doubts") or []

    def save(self, directory: str | os.PathLike) -> list[str]:
        """Writes result.json, report.html and files for controllers; returns their paths."""
        return self._native.save(os.fspath(directory))

    def __str__(self) -> str:
        return self._native.summary


def payload(log, *, method="auto", shape: str | os.PathLike | None = None, pose=None, config=None, progress=None) -> PayloadResult:
    """Weighs what a force-torque sensor holds.

    log     one or several of one payload: paths, or tables with the columns of docs/payload.md
    method  one of auto, ols, wls, tls, geo, pullback, cone, metric, a list of them (the first is the answer), or all
    shape   mesh of the payload [m]; pose: its x, y, z, roll, pitch, yaw in the sensor's frame [m, rad]
    config  a YAML file with a section payload, or a dictionary: {"payload": {"sign": -1}}
    progress  as of identify()
    """
    logs = as_logs(log)
    if not logs:
        raise HeftError("log", "holds no log", "give at least one")
    methods = [method] if isinstance(method, str) else list(method)
    with listener(progress) as hears:
        return PayloadResult(_heft.payload([log._native for log in logs], *text_of(config), "" if shape is None else os.fspath(shape),
                                           [] if pose is None else [float(x) for x in pose], methods, hears))
