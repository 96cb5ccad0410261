"""NPZ files (numpy.savez), in blocks of rows."""

from __future__ import annotations

import ast
import zipfile

import numpy as np

from .._errors import HeftError
from . import _columns
from ._columns import Array
from ._source import check_size

_LARGEST_HEADER = 1 << 20
_NAMES = ("names", "joint_names", "joints", "name", "columns")


def matches(path: str, head: bytes) -> bool:
    """Whether all members of a zip archive are arrays; workbooks are zip archives too."""
    if not head.startswith((b"PK\x03\x04", b"PK\x05\x06")):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            names = archive.namelist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        return path.lower().endswith(".npz")
    return bool(names) and all(name.endswith(".npy") for name in names) or path.lower().endswith(".npz")


def _read_header(file):
    """Shape, order and type of an array."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0), (3, 0)):
        raise ValueError(f"unknown version {version}")
    size = int.from_bytes(file.read(2 if version == (1, 0) else 4), "little")
    if size > _LARGEST_HEADER:
        raise ValueError(f"a header of {size} bytes")
    header = ast.literal_eval(file.read(size).decode("utf-8" if version == (3, 0) else "latin1"))
    shape = header["shape"]
    if not all(isinstance(extent, int) and 0 <= extent < 1 << 40 for extent in shape):
        raise ValueError(f"the shape {shape}")
    return shape, bool(header["fortran_order"]), np.lib.format.descr_to_dtype(header["descr"])


class _Member:
    """An array of the archive, read sequentially."""

    def __init__(self, path: str, archive: zipfile.ZipFile, info: zipfile.ZipInfo):
        self.name, self.where = info.filename.removesuffix(".npy"), f"{path}: {info.filename}"
        self._file = archive.open(info)
        try:
            self.shape, self.is_fortran, self.dtype = _read_header(self._file)
        except Exception as error:
            raise HeftError(
                self.where,
                f"has a broken header: {(str(error).splitlines() or ['?'])[0][:150]}",
                "save the arrays again with numpy.savez",
            ) from error
        declared = int(np.prod([float(extent) for extent in self.shape])) * self.dtype.itemsize
        if not self.dtype.hasobject and declared > info.file_size:
            raise HeftError(
                self.where,
                f"is truncated: its header declares {declared} bytes, but the archive contains {info.file_size}",
                "save the arrays again with numpy.savez",
            )

    def read(self, count: int) -> np.ndarray:
        """The next numbers."""
        size = count * self.dtype.itemsize
        content = bytearray()
        while len(content) < size:
            block = self._file.read(size - len(content))
            if not block:
                raise HeftError(self.where, "ends early", "save the arrays again with numpy.savez")
            content += block
        return np.frombuffer(bytes(content), self.dtype)

    def whole(self) -> np.ndarray:
        return self.read(int(np.prod(self.shape, dtype=np.int64))).reshape(self.shape, order="F" if self.is_fortran else "C")


def unpack(path: str, sink) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            infos = archive.infolist()
            check_size(path, sum(info.file_size for info in infos), "its arrays")
            _unpack(path, [_Member(path, archive, info) for info in infos if info.filename.endswith(".npy")], sink)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise HeftError(path, f"is an NPZ file that cannot be read: {error}", "save or copy it again") from error
    except Exception as error:
        if type(error).__module__ == "zlib":
            raise HeftError(path, f"is damaged: {error}", "save or copy it again") from error
        raise


def _unpack(path, members, sink) -> None:
    numbers = [
        one
        for one in members
        if one.dtype.kind in "fiubMm" and one.dtype.itemsize <= 8 and len(one.shape) in (1, 2) and min(one.shape) > 0
    ]
    tables = [one for one in members if one.dtype.names and len(one.shape) == 1 and not one.dtype.hasobject]
    texts = [one for one in members if one.dtype.kind in "US" and len(one.shape) == 1 and one.shape[0] > 0]
    known = {one.name for one in numbers + tables + texts}
    objects = [one.name for one in members if one.dtype.hasobject]
    _columns.left_out(objects, "since Python objects are not read: save them as arrays of numbers", sink)
    _columns.left_out(
        [one.name for one in members if one.name not in known and one.name not in objects],
        "since they have no rows of numbers",
        sink,
    )
    num_rows = _columns.length_of_time({one.name: one.shape for one in numbers + tables})
    labels = {}
    arrays = []
    for one in texts:
        values = one.whole()
        if _columns.holds_stamps(values):
            arrays.append(_columns.in_memory(one.name, _columns.stamps(one.name, values)))
        elif one.name in _NAMES:
            labels[len(values)] = [str(value) for value in values]
    for one in tables:
        arrays += _fields(one)
    for one in numbers:
        arrays.append(_array(one, num_rows, labels))
    if not arrays and objects:
        raise HeftError(
            path, "contains Python objects, not numbers", "save arrays of numbers: numpy.savez('log.npz', t=t, q=q, tau=tau)"
        )
    _columns.write(path, arrays, sink)


def _array(member: _Member, num_rows: int, labels) -> Array:
    lies_on_its_side = len(member.shape) == 2 and member.shape[0] != num_rows and member.shape[1] == num_rows
    is_vector = len(member.shape) == 1
    if member.is_fortran and not is_vector or lies_on_its_side or member.dtype.kind in "Mm":
        values = _columns.turned(member.name, _columns.stamps(member.name, member.whole()), num_rows)
        return _columns.in_memory(member.name, values, labels.get(values.shape[-1] if values.ndim == 2 else 0))
    width = 1 if is_vector else member.shape[1]
    return Array(
        member.name,
        (member.shape[0], width),
        lambda begin, end: member.read((end - begin) * width).reshape(-1, width),
        labels.get(width) if not is_vector else None,
    )


def _fields(member: _Member) -> list[Array]:
    values = member.whole()
    return [
        _columns.in_memory(name, np.ascontiguousarray(values[name]))
        for name in values.dtype.names
        if values[name].dtype.kind in "fiub" and values[name].ndim <= 2
    ]
