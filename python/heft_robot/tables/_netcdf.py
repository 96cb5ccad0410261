"""Attributes of netCDF variables: scale, offset, fill values, units."""

from __future__ import annotations

import re

import numpy as np

LEFT_OUT = "since they are not columns of numbers"
# as in host/data/readers/netcdf_units.cpp
_DEGREES = {"deg", "degs", "degree", "degrees", "\u00b0"}
_RATES = {"", "/s", "/sec", "/second", "s-1", "s^-1", ".s-1", "/s2", "/s^2", "per second", "s-2", "s^-2", ".s-2"}
_SECONDS = {
    "ms": 1e-3,
    "msec": 1e-3,
    "millisecond": 1e-3,
    "us": 1e-6,
    "microsecond": 1e-6,
    "ns": 1e-9,
    "nanosecond": 1e-9,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "day": 86400,
}
#: of the numbers that nothing was written to, by their type
_DEFAULT_FILL = {"f": 9.969209968386869e36, "i2": -32767, "i4": -2147483647, "i8": -9223372036854775806}


class Decoder:
    """number * scale_factor + add_offset, in rad and s where `units` are degrees and other units of time; nan for fill values."""

    def __init__(self, name: str, attributes, dtype, sink):
        number = lambda key, usual: _number(attributes.get(key), usual)
        self.scale, self.offset = number("scale_factor", 1.0), number("add_offset", 0.0)
        fills = [_scalar(attributes.get(key)) for key in ("_FillValue", "missing_value")]
        usual = _DEFAULT_FILL.get(dtype.kind, _DEFAULT_FILL.get(f"{dtype.kind}{dtype.itemsize}"))
        self.fills = [fill for fill in fills if fill is not None]
        if fills[0] is None and usual is not None:
            self.fills.append(dtype.type(usual))
        self.factor = _factor(name, _text(attributes.get("units")), sink)

    def decode(self, values: np.ndarray) -> np.ndarray:
        missing = np.zeros(values.shape, bool)
        for fill in self.fills:
            missing |= values == fill if np.isfinite(fill) else np.isnan(values)
        values = (values.astype(np.float64) * self.scale + self.offset) * self.factor
        values[missing] = np.nan
        return values


def _factor(name: str, units: str, sink) -> float:
    """The factor from these units to rad or s; 1 for all others."""
    plain = units.strip().lower()
    angle = re.split(r"[ /.]", plain, maxsplit=1)[0]
    if angle in _DEGREES and plain[len(angle) :].strip() in _RATES:
        sink.note(f"'{name}': its units are {units}: it is read in rad; remove log.angle_unit")
        return np.pi / 180
    unit = plain.split(" since ")[0].strip()
    factor = _SECONDS.get(unit) or (_SECONDS.get(unit[:-1]) if len(unit) > 3 and unit.endswith("s") else None)
    if factor:
        sink.note(f"'{name}': its units are {units}: it is read in s; remove log.time_unit")
    return factor or 1.0


def _scalar(value):
    """The stored value: a float cannot represent all 64-bit integers."""
    array = np.asarray(value).ravel()
    return array[0] if value is not None and array.size and array.dtype.kind in "iuf" else None


def _number(value, usual):
    try:
        return usual if value is None else float(np.asarray(value).ravel()[0])
    except (TypeError, ValueError, IndexError):
        return usual


def _text(value) -> str:
    if isinstance(value, np.ndarray) and value.size == 1:
        value = value.ravel()[0]
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else ""
