"""MAT-files before version 7.3 (scipy). Structures become names like log/q."""

from __future__ import annotations

import numpy as np

from .._errors import HeftError, optional
from . import _columns
from ._source import check_size


def matches(path: str, head: bytes) -> bool:
    return head.startswith(b"MATLAB 5.0 MAT-file") or (
        path.lower().endswith(".mat")
        and len(head) == 128
        and head[126:128] in (b"IM", b"MI")
        and not head.startswith(b"MATLAB 7.3")
    )


def unpack(path: str, sink) -> None:
    io = optional("scipy.io", "a MAT-file", "logs")
    try:
        sizes = io.whosmat(path)
        check_size(path, sum(8 * int(np.prod([float(n) for n in shape])) for _, shape, _ in sizes), "its variables")
        variables = io.loadmat(path, struct_as_record=True, squeeze_me=False, chars_as_strings=True)
    except HeftError:
        raise
    except Exception as error:
        raise HeftError(
            path,
            f"is a MAT-file that cannot be read: {(str(error).splitlines() or ['?'])[0][:200]}",
            "save it again, with -v7.3 or as CSV",
        ) from error
    numbers, others = {}, []
    for name, value in variables.items():
        if not name.startswith("__"):
            _collect(name, value, numbers, others)
    _columns.left_out(others, "since they are not numbers", sink)
    num_rows = _columns.length_of_time({name: values.shape for name, values in numbers.items()})
    _columns.write(path, [_columns.in_memory(name, _as_rows(values, num_rows)) for name, values in numbers.items()], sink)


def _collect(name: str, value, numbers: dict, others: list) -> None:
    """Members of structures by their paths, without empty matrices."""
    value = np.asarray(value)
    if value.dtype.names and value.size == 1:
        for member in value.dtype.names:
            _collect(f"{name}/{member}", value.flat[0][member], numbers, others)
    elif value.dtype.kind in "fiub" and value.ndim == 2 and value.size > 0:
        numbers[name] = value.astype(np.float64)
    elif value.size > 0:
        others.append(name)


def _as_rows(values: np.ndarray, num_rows: int) -> np.ndarray:
    if 1 in values.shape and values.size == num_rows:
        return values.reshape(-1, 1)
    return _columns.turned("", values, num_rows)
