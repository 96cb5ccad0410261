"""HDF5 files that the program cannot read: other filters, netCDF variables shorter than their dimension, times that are texts (h5py).

Columns are named as in the program: a data set by its path, columns of a matrix by its attribute `names`, otherwise q1, q2, ..
"""

from __future__ import annotations

import io
import pickle

import numpy as np

from .._errors import HeftError, optional
from . import _columns
from ._columns import Array
from ._netcdf import LEFT_OUT, Decoder
from ._source import check_size
from ._texts import StampClock, holds_stamps

_MAGIC = b"\x89HDF\r\n\x1a\n"
_OWN_FILTERS = {1, 2, 3, 5, 6}  # that every HDF5 library has
_MOST_TEXTS = 1 << 24  # rows of a column of texts
_INTERNAL = ("#refs#", "#subsystem#")  # of MATLAB
_PLUGINS = {
    305: "lzo",
    307: "bzip2",
    32000: "lzf",
    32001: "blosc",
    32004: "lz4",
    32008: "bitshuffle",
    32013: "zfp",
    32015: "zstd",
    32026: "blosc2",
}


def matches(path: str, head: bytes) -> bool:
    return head.startswith((_MAGIC, b"MATLAB 7.3 MAT-file"))


def needs_python(path: str) -> bool:
    """Whether the program cannot read it, but an installed h5py can."""
    try:
        import h5py
    except ImportError:
        return False
    try:
        with h5py.File(path, "r") as file:
            return any(_foreign_filters(one) or _is_short(file, one) or _holds_stamps(one) for _, one in _data_sets(file, []))
    except Exception:
        return False  # the program says what is wrong


def unpack(path: str, sink) -> None:
    h5py = optional("h5py", "rewriting an HDF5 log", "logs")
    try:
        import hdf5plugin  # noqa: F401  brings more filters
    except ImportError:
        pass
    try:
        file = h5py.File(path, "r")
    except OSError as error:
        raise HeftError(
            path,
            f"is an HDF5 file that cannot be opened: {error}",
            "copy the whole file again, or close the program that writes it",
        ) from error
    with file:
        others = []
        sets = list(_data_sets(file, others))
        check_size(path, sum(one.size * one.dtype.itemsize for _, one in sets if one.dtype.kind in "fiubV"), "its data sets")
        is_netcdf = "_NCProperties" in file.attrs
        shapes = {name: one.shape for name, one in sets if one.dtype.kind in "fiub" and 0 < len(one.shape) <= 2}
        num_rows = max(_columns.length_of_time(shapes), _length_of_dimension(file, shapes))
        arrays = []
        for name, one in sets:
            with _explained(path, name, one):
                found = _arrays_of(file, name, one, num_rows, is_netcdf, sink)
            arrays += found
            if not found:
                others.append(name)
        _columns.left_out(others, LEFT_OUT, sink)
        _columns.write(path, arrays, sink)


def _data_sets(file, others: list, group=None, at: str = "", visited: set | None = None):
    """Pairs of a path and a data set, including soft links; indices of PyTables and internals of MATLAB are skipped. A group with several
    names is read under the first."""
    import h5py

    group = file if group is None else group
    visited = {group.id} if visited is None else visited
    for key in group:
        if key.startswith("_i_") or (not at and key in _INTERNAL):
            continue
        name = f"{at}/{key}" if at else key
        if isinstance(group.get(key, getlink=True), h5py.ExternalLink):
            others.append(name)
            continue
        one = group.get(key)
        if isinstance(one, h5py.Group):
            if one.id not in visited and at.count("/") < 32:
                visited.add(one.id)
                yield from _data_sets(file, others, one, name, visited)
        elif isinstance(one, h5py.Dataset):
            yield name, one


def _arrays_of(file, name, one, num_rows, is_netcdf, sink) -> list[Array]:
    kind = one.attrs.get("MATLAB_class", b"")
    if one.attrs.get("MATLAB_empty", 0) or kind in (b"char", b"cell", b"struct") or one.size == 0 or not 1 <= len(one.shape) <= 2:
        return []
    if one.dtype.names and len(one.shape) == 1:
        return _members(one)
    if one.dtype.kind not in "fiub":
        return _stamps(name, one)
    # MATLAB stores columns as rows of the file; others are told by the length of the time
    rows_last = len(one.shape) == 2 and one.shape[1] == num_rows and (bool(kind) or one.shape[0] != num_rows)
    shape = one.shape[::-1] if rows_last else one.shape
    if len(shape) == 2 and shape[0] == 1 and shape[1] == num_rows:  # a vector that lies
        rows_last, shape = not rows_last, shape[::-1]
    dimension = _dimension(file, one) if is_netcdf else shape[0]
    decoder = Decoder(name, one.attrs, one.dtype, sink) if is_netcdf else None
    width = shape[1] if len(shape) == 2 else 1

    def read(begin, end):
        there = min(end, shape[0])
        block = np.asarray(one[:, begin:there].T if rows_last else one[begin:there], np.float64).reshape(-1, width)
        block = decoder.decode(block) if decoder else block
        return np.concatenate([block, np.full((end - begin - len(block), width), np.nan)]) if there < end else block

    array = Array(
        name,
        (max(dimension, shape[0]), width),
        read,
        is_time=one.attrs.get("CLASS") == b"DIMENSION_SCALE" and len(shape) == 1 and shape[0] == num_rows,
    )
    names = _names(file, name, one, width)
    return [Array("", array.shape, read, names, array.is_time)] if names else [array]


def _members(one) -> list[Array]:
    """Columns of a compound; blocks are read once for all."""
    last: dict = {}

    def rows(begin, end):
        if last.get("place") != (begin, end):
            last.update(place=(begin, end), block=one[begin:end])
        return last["block"]

    arrays = []
    for name in one.dtype.names:
        type = one.dtype[name]
        width = int(np.prod(type.shape, dtype=np.int64)) if type.shape else 1
        if type.base.kind not in "fiub" or len(type.shape) > 1:
            continue
        read = lambda begin, end, name=name, width=width: rows(begin, end)[name].reshape(-1, width)
        labels = _pickled_texts(one.attrs.get(f"{name}_kind")) if type.shape else None
        arrays.append(Array("" if labels and len(labels) == width else name, (one.shape[0], width), read, labels))
    return arrays


def _stamps(name, one) -> list[Array]:
    """A column of times that are texts."""
    if not _holds_stamps(one) or one.shape[0] > _MOST_TEXTS:
        return []
    clock = StampClock()
    read = lambda begin, end: clock.of_texts(
        [text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text) for text in one[begin:end]]
    ).reshape(-1, 1)
    return [Array(name, (one.shape[0], 1), read)]


def _holds_stamps(one) -> bool:
    import h5py

    if len(one.shape) != 1 or one.size == 0 or h5py.check_string_dtype(one.dtype) is None:
        return False
    first = one[0]
    return holds_stamps(np.array([first if isinstance(first, bytes) else str(first)]))


def _names(file, name, one, width) -> list[str] | None:
    """Names of columns in the file: an attribute, or the data set of items that pandas stores next to its values."""
    found = one.attrs.get("names")
    if found is None and name.endswith("_values"):
        items = file.get(name.removesuffix("_values") + "_items")
        found = items[:] if items is not None and items.shape == (width,) and items.dtype.kind in "SO" else None
    if found is None or len(np.shape(found)) != 1 or len(found) != width or len(one.shape) != 2:
        return None
    return [text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text) for text in found]


class _Texts(pickle.Unpickler):
    """Reads lists of texts; a pickle of anything else is refused."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError("not a list of texts")


def _pickled_texts(value) -> list[str] | None:
    try:
        texts = _Texts(io.BytesIO(bytes(value))).load()
    except Exception:
        return None
    return texts if isinstance(texts, list) and all(isinstance(text, str) for text in texts) else None


def _dimension(file, one) -> int:
    """Length of the first dimension of a netCDF variable, which the variable may not fill."""
    try:
        return int(file[one.attrs["DIMENSION_LIST"][0][0]].shape[0])
    except Exception:
        return one.shape[0]


def _length_of_dimension(file, shapes) -> int:
    return max(
        (
            file[name].shape[0]
            for name in shapes
            if file[name].attrs.get("CLASS") == b"DIMENSION_SCALE" and name.rsplit("/", 1)[-1] in ("t", "time")
        ),
        default=0,
    )


def _is_short(file, one) -> bool:
    return (
        "DIMENSION_LIST" in one.attrs
        and 0 < len(one.shape) <= 2
        and one.dtype.kind in "fiub"
        and _dimension(file, one) > one.shape[0]
    )


def _foreign_filters(one) -> list[int]:
    properties = one.id.get_create_plist()
    ids = [properties.get_filter(k)[0] for k in range(properties.get_nfilters())]
    return [one for one in ids if one not in _OWN_FILTERS]


class _explained:
    """Errors of reading a data set, with the filter that is missing."""

    def __init__(self, path, name, one):
        self.where, self.one = f"{path}: {name}", one

    def __enter__(self):
        import h5py

        missing = [id for id in _foreign_filters(self.one) if not h5py.h5z.filter_avail(id)]
        if missing and self.one.dtype.kind in "fiub":
            names = ", ".join(f"{_PLUGINS.get(id, 'unknown')} ({id})" for id in missing)
            raise HeftError(
                self.where, f"is compressed with the filter {names}, which h5py does not have", "pip install hdf5plugin"
            )

    def __exit__(self, kind, error, trace):
        return False
