"""netCDF files of the classic format (scipy): scale, offset, fill values and units as in netCDF-4."""

from __future__ import annotations

import numpy as np

from .._errors import HeftError, optional
from . import _columns
from ._netcdf import Decoder, LEFT_OUT


def matches(path: str, head: bytes) -> bool:
    return head.startswith((b"CDF\x01", b"CDF\x02"))


def unpack(path: str, sink) -> None:
    io = optional("scipy.io", "a netCDF log", "logs")
    try:
        file = io.netcdf_file(path, "r", mmap=False)
    except Exception as error:
        raise HeftError(
            path,
            f"is a netCDF file that cannot be read: {(str(error).splitlines() or ['?'])[0][:200]}",
            "write or copy it again; nccopy -k nc4 makes it netCDF-4, which is HDF5",
        ) from error
    with file:
        arrays, others, labels = [], [], {}
        for name, variable in file.variables.items():
            if variable.data.dtype.kind == "S" and variable.data.ndim == 2:
                labels[variable.dimensions[0]] = [b"".join(row).decode("utf-8", "replace").strip("\0 ") for row in variable.data]
        for name, variable in file.variables.items():
            values = np.array(variable.data)
            if values.dtype.kind not in "fiub" or values.ndim not in (1, 2) or values.size == 0:
                others.append(name)
                continue
            decoder = Decoder(name, variable._attributes, values.dtype, sink)
            arrays.append(
                _columns.in_memory(name, decoder.decode(values), labels.get(variable.dimensions[-1]) if values.ndim == 2 else None)
            )
    _columns.left_out(others, LEFT_OUT, sink)
    _columns.write(path, arrays, sink)
