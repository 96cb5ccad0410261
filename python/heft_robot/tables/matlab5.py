"""MAT-files before version 7.3 (scipy). Structures become names like log/q.

scipy's reader ends the process on some damaged files, so it runs in a process of its own if possible.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from .._errors import HeftError, optional
from . import _columns
from ._source import check_size

_ARRAYS, _FOUND = "arrays.npz", "found.json"
_REMEDY = "save it again, with -v7.3 or as CSV"
_CHILD = """import json, sys
sys.path[:] = json.loads(sys.argv[1])
from heft_robot.tables import matlab5
matlab5._read_to(*sys.argv[2:])"""


def matches(path: str, head: bytes) -> bool:
    return head.startswith(b"MATLAB 5.0 MAT-file") or (
        path.lower().endswith(".mat")
        and len(head) == 128
        and head[126:128] in (b"IM", b"MI")
        and not head.startswith(b"MATLAB 7.3")
    )


def unpack(path: str, sink) -> None:
    optional("scipy.io", "a MAT-file", "logs")
    with tempfile.TemporaryDirectory(prefix="heft-mat-") as folder:
        numbers, others = _read_apart(path, folder)
    _columns.left_out(others, "since they are not numbers", sink)
    num_rows = _columns.length_of_time({name: values.shape for name, values in numbers.items()})
    _columns.write(path, [_columns.in_memory(name, _as_rows(values, num_rows)) for name, values in numbers.items()], sink)


def _interpreter() -> str | None:
    """The Python that runs this; None within another program (frozen or embedded), which `sys.executable` would start again."""
    name = os.path.basename(sys.executable or "")
    return sys.executable if name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False) else None


def _read_apart(path: str, folder: str) -> tuple[dict, list]:
    """Arrays by name and the names of all other variables, read by another process if an interpreter can be started."""
    python = _interpreter()
    if python is None:
        return _read(path)
    places = json.dumps([place for place in sys.path if isinstance(place, str)])
    done = subprocess.run([python, "-I", "-c", _CHILD, places, path, folder], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          errors="replace")
    if done.returncode < 0:
        raise HeftError(path, "is a damaged MAT-file: scipy cannot read it", _REMEDY)
    if done.returncode > 0:
        words = (done.stderr.strip().splitlines() or ["?"])[-1][:200]
        raise HeftError(path, f"is a MAT-file that cannot be read: {words}", _REMEDY)
    with open(os.path.join(folder, _FOUND)) as file:
        found = json.load(file)
    if "error" in found:
        raise HeftError(*found["error"])
    if "system_error" in found:
        raise OSError(*found["system_error"])
    with np.load(os.path.join(folder, _ARRAYS)) as stored:
        return {name: stored[f"a{k}"] for k, name in enumerate(found["names"])}, found["others"]


def _read_to(path: str, folder: str) -> None:
    """In the other process: writes the arrays, and their names or an error."""
    try:
        numbers, others = _read(path)
        np.savez(os.path.join(folder, _ARRAYS), **{f"a{k}": values for k, values in enumerate(numbers.values())})
        found = {"names": list(numbers), "others": others}
    except HeftError as error:
        found = {"error": [error.where, error.what, error.remedy]}
    except OSError as error:  # of the arrays, such as a full disk
        found = {"system_error": [error.errno, error.strerror]}
    with open(os.path.join(folder, _FOUND), "w") as file:
        json.dump(found, file)


def _read(path: str) -> tuple[dict, list]:
    io = optional("scipy.io", "a MAT-file", "logs")
    try:
        sizes = io.whosmat(path)
        check_size(path, sum(8 * int(np.prod([float(n) for n in shape])) for _, shape, _ in sizes), "its variables")
        variables = io.loadmat(path, struct_as_record=True, squeeze_me=False, chars_as_strings=True)
    except HeftError:
        raise
    except Exception as error:
        raise HeftError(path, f"is a MAT-file that cannot be read: {(str(error).splitlines() or ['?'])[0][:200]}", _REMEDY) from error
    numbers, others = {}, []
    for name, value in variables.items():
        if not name.startswith("__"):
            _collect(name, value, numbers, others)
    return numbers, others


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
