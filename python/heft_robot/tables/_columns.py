"""Arrays of a file as columns of one table: which have a row per sample, which are transposed, and how their columns are named."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from .._errors import HeftError
from ._texts import holds_stamps, seconds_of_stamps

_ROWS = 16384  # that are read at a time
_TIMES = ("t", "time", "timestamp", "timestamps", "stamp", "time_s", "tout")


@dataclass
class Array:
    """Numbers of a file. read(begin, end): rows as (rows, width); begins follow one another. `labels`: names of the columns of a
    matrix; `is_time`: whether its length is that of the log."""

    name: str
    shape: tuple[int, ...]
    read: Callable[[int, int], np.ndarray]
    labels: list[str] | None = None
    is_time: bool = False

    @property
    def width(self) -> int:
        return self.shape[1] if len(self.shape) == 2 else 1


def in_memory(name: str, values: np.ndarray, labels=None) -> Array:
    """An array in memory."""
    values = values if values.ndim == 2 else values.reshape(-1, 1)
    return Array(name, values.shape, lambda begin, end: values[begin:end], labels)


def write(path: str, arrays: list[Array], sink) -> None:
    """The arrays with one row per sample as a table; a note names the others."""
    num_rows = _num_rows(arrays)
    used, others = [], []
    for array in arrays:
        if array.shape[0] == num_rows:
            used.append(array)
        else:
            _check_is_not_meant(path, array, num_rows, arrays)
            others.append(array.name)
    if others:
        sink.note(f"{_list(others)}: left out, because {'they do' if len(others) > 1 else 'it does'} not have {num_rows} rows")
    sink.begin([name for array in used for name in names_of(array)], path)
    for begin in range(0, num_rows, _ROWS):
        end = min(begin + _ROWS, num_rows)
        blocks = [np.asarray(array.read(begin, end), np.float64).reshape(end - begin, array.width) for array in used]
        sink.add([block[:, k] for block in blocks for k in range(block.shape[1])])


def names_of(array: Array) -> list[str]:
    """q_shoulder, q_elbow if the file names them, otherwise q1, q2, .."""
    if array.labels is not None and len(array.labels) == array.width:
        return [f"{array.name}_{label}" for label in array.labels] if array.name else list(array.labels)
    return [array.name] if array.width == 1 else [f"{array.name}{k + 1}" for k in range(array.width)]


def turned(name: str, values: np.ndarray, num_rows: int) -> np.ndarray:
    """A matrix with one row per sample: transposes columns x rows."""
    if values.ndim == 2 and values.shape[0] != num_rows and values.shape[1] == num_rows:
        return values.T
    return values


def length_of_time(shapes: dict[str, tuple[int, ...]]) -> int:
    """Number of samples of the log: that of the time, otherwise that of most arrays; 0: there are no arrays."""
    for name, shape in shapes.items():
        if name.rsplit("/", 1)[-1].rsplit(".", 1)[-1].lower() in _TIMES and max(shape, default=0) == np.prod(shape) > 1:
            return max(shape)
    votes = Counter(max(shape) for shape in shapes.values() if shape and max(shape) > 1)
    return max(votes, key=lambda length: (votes[length], length)) if votes else 0


def left_out(names: list[str], why: str, sink) -> None:
    """A note on columns that are not numeric."""
    if names:
        sink.note(f"{_list(names)}: left out, {why}")


def stamps(name: str, values: np.ndarray) -> np.ndarray:
    """Times as seconds."""
    return seconds_of_stamps(name, values)


def _num_rows(arrays: list[Array]) -> int:
    for array in arrays:
        if array.is_time:
            return array.shape[0]
    return length_of_time({array.name: array.shape[:1] for array in arrays})


def _check_is_not_meant(path, array, num_rows, arrays) -> None:
    """Refuses lengths that are nearly equal: columns of one log that lost rows."""
    if not 0.5 * num_rows <= array.shape[0] <= 2 * num_rows or array.shape[0] < 3:
        return
    other = next(one.name for one in arrays if one.shape[0] == num_rows)
    raise HeftError(
        f"{path}: {array.name}", f"has {array.shape[0]} rows, '{other}' has {num_rows}", "save columns of equal length that share one clock"
    )


def _list(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:8])
    return shown + (f" and {len(names) - 8} more" if len(names) > 8 else "")
