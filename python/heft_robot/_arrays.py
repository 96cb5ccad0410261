"""Decides which arrays are read in place, which are converted, and which are refused; errors name the argument.

float64 arrays of any strides are read in place, C- or Fortran-ordered, read-only or memory-mapped. float32 and integers are
copied with a ConversionNote; lists are converted silently. Everything else is refused.
"""
from __future__ import annotations

import warnings

import numpy as np

from ._errors import ConversionNote, HeftError


def shape_text(shape) -> str:
    return "(" + ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def read(name: str, array, ndim: int, remedy: str = "reshape it") -> np.ndarray:
    """`array` as float64 with `ndim` axes; a vector given for a matrix becomes its only column. remedy: used for another number of axes."""
    given = array
    if not isinstance(array, np.ndarray):
        try:
            array = np.asarray(array)
        except (ValueError, TypeError) as error:
            raise HeftError(name, f"is not an array: {error}", "give a float64 array") from error
    if isinstance(array, np.ma.MaskedArray):
        raise HeftError(name, "is a masked array, whose mask would be ignored", f"mark missing values as nan: {name}.filled(np.nan)")
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise HeftError(name, f"has numbers of type {array.dtype}", f"give float64: {name}.astype(float)")
    if array.ndim == 1 and ndim == 2:
        array = array[:, None]
    if array.ndim != ndim:
        wanted = {1: "one axis: (n,)", 2: "two axes: (n, columns)"}[ndim]
        raise HeftError(name, f"has shape {shape_text(np.shape(given))}; expected {wanted}", remedy)
    if array.dtype != np.float64 or not array.dtype.isnative or not _is_aligned(array):
        if isinstance(given, np.ndarray):
            why = "is not float64" if array.dtype != np.float64 else "is not aligned to eight bytes"
            warnings.warn(f"{name} {why} but {given.dtype}: it is copied ({8e-6 * array.size:.3g} MB)",
                          ConversionNote, stacklevel=_level_of_caller())
        array = np.array(array, dtype=np.float64, order="K")
    return array


def seconds(name: str, array):
    """Times [s]: datetime64 and timedelta64, also in pandas' indices and series, count from their first value; other arrays are
    unchanged."""
    dtype = getattr(array, "dtype", None)
    if getattr(dtype, "tz", None) is not None:  # pandas, with a time zone: the same instants in UTC
        array = array.dt.tz_convert("UTC").dt.tz_localize(None) if hasattr(array, "dt") else array.tz_convert("UTC").tz_localize(None)
    if getattr(dtype, "kind", None) not in ("M", "m") and not _holds_datetimes(array):
        return array
    stamps = np.asarray(array)
    if stamps.dtype.kind == "O":
        stamps = stamps.astype("datetime64[ns]")
    if np.datetime_data(stamps.dtype)[0] == "generic":
        raise HeftError(name, "has times without a unit", "give datetime64[ns], or seconds as float64")
    missing = np.isnat(stamps)
    if missing.all():
        return np.full(stamps.shape, np.nan)
    elapsed = stamps - stamps[~missing].flat[0]
    return np.where(missing, np.nan, elapsed / np.timedelta64(1, "s"))


def _holds_datetimes(array) -> bool:
    import datetime

    first = next(iter(array), None) if isinstance(array, (list, tuple)) else None
    return isinstance(first, (datetime.datetime, np.datetime64))


def _is_aligned(array: np.ndarray) -> bool:
    return array.flags.aligned and all(stride % 8 == 0 for stride in array.strides)


def _level_of_caller() -> int:
    """The first frame outside this package, for warnings."""
    import sys

    level, frame = 1, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").startswith("heft_robot"):
        level, frame = level + 1, frame.f_back
    return level


def same_rows(first_name: str, first: np.ndarray, name: str, array: np.ndarray, columns: int | None = None):
    """Refuses arrays of different lengths or with another number of columns than requested; the error shows both shapes."""
    wanted = (first.shape[0], *(array.shape[1:] if columns is None else (columns,)))
    if array.shape != wanted:
        raise HeftError(name, f"has shape {shape_text(array.shape)}, but {first_name} of shape "
                              f"{shape_text(first.shape)} requires {shape_text(wanted)}",
                        "give one row per sample in every array, one column per joint")
