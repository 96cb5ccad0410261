"""Columns of Arrow tables as numbers: lists become several columns, structures dotted names, times seconds."""

from __future__ import annotations

import numpy as np

from ._columns import left_out
from ._texts import StampClock, is_stamp

_LARGEST_LIST = 4096


class Columns:
    """The numeric columns of a schema (its fields); the first batch determines lengths of lists."""

    def __init__(self, path: str, schema, sink, rename=None):
        self._path, self._sink, self._rename = path, sink, rename or _names
        self._leaves = [leaf for field in schema for leaf in _leaves(field, field.name)]
        self._has_begun = False
        self._has_time = any(field.name == "t" for field in schema)
        self.top_level = list(dict.fromkeys(leaf.path[0] for leaf in self._leaves))

    def begin(self) -> None:
        if not self._leaves:
            self._sink.begin([], self._path)

    def add(self, batch) -> None:
        """Rows of a record batch or a table."""
        if batch.num_rows == 0:
            return
        arrays = [leaf.array_of(batch) for leaf in self._leaves]
        if not self._has_begun:
            arrays = self._describe(arrays)
        columns = []
        for leaf, array in zip(self._leaves, arrays):
            columns += leaf.columns(array, self._sink)
        self._sink.add(columns)

    def _describe(self, arrays):
        used = []
        others = []
        for leaf, array in zip(self._leaves, arrays):
            (used if leaf.look_at(array) else others).append((leaf, array))
        left_out([".".join(leaf.path) for leaf, _ in others], "since they are not numbers", self._sink)
        self._leaves = [leaf for leaf, _ in used]
        names = [name for leaf in self._leaves for name in self._rename(leaf.path, leaf.width)]
        self._sink.begin([self._time_name(leaf, name) for leaf, name in zip(_spread(self._leaves), names)], self._path)
        self._has_begun = True
        return [array for _, array in used]

    def _time_name(self, leaf, name: str) -> str:
        """pandas writes an index of times as a separate column, which is the time if no other column is."""
        return "t" if name == "__index_level_0__" and leaf.clock is not None and not self._has_time else name


def _names(path: tuple[str, ...], width: int | None) -> list[str]:
    name = ".".join(path)
    return [name] if width is None else [f"{name}{k + 1}" for k in range(width)]


def _spread(leaves):
    return [leaf for leaf in leaves for _ in range(1 if leaf.width is None else leaf.width)]


def _leaves(field, *path):
    import pyarrow.types as types

    if types.is_struct(field.type):
        for k in range(field.type.num_fields):
            child = field.type.field(k)
            yield from _leaves(child, *path, child.name)
    else:
        yield _Leaf(tuple(path), field.type)


class _Leaf:
    """A column of numbers, of times, or of lists of numbers (width: how many; None: no list)."""

    def __init__(self, path, type):
        self.path, self.type, self.width, self.clock = path, type, None, None

    def array_of(self, batch):
        array = batch.column(self.path[0])
        for name in self.path[1:]:
            import pyarrow.compute as compute

            array = compute.struct_field(array, name)
        return array.combine_chunks() if hasattr(array, "combine_chunks") else array

    def look_at(self, array) -> bool:
        """Whether it is numeric; the first batch determines the length of a list."""
        import pyarrow.types as types

        type = self.type.value_type if types.is_dictionary(self.type) else self.type
        if types.is_fixed_size_list(type):
            self.width = type.list_size
        elif types.is_list(type) or types.is_large_list(type):
            import pyarrow.compute as compute

            lengths = compute.list_value_length(array).drop_null()
            self.width = lengths[0].as_py() if len(lengths) else 0
        if self.width is not None:
            return 0 < self.width <= _LARGEST_LIST and _is_number(type.value_type)
        if types.is_string(type) or types.is_large_string(type):
            first = array.drop_null()
            self.clock = StampClock() if len(first) and is_stamp(first[0].as_py()) else None
            return self.clock is not None
        self.clock = StampClock() if types.is_timestamp(type) or types.is_date(type) else None
        return self.clock is not None or _is_number(type) or types.is_duration(type)

    def columns(self, array, sink) -> list[np.ndarray]:
        import pyarrow.types as types

        if types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if self.width is not None:
            rows = self._rows(array, sink)
            return [rows[:, k] for k in range(self.width)]
        if self.clock is not None:
            return [
                (
                    self.clock.of_datetimes(array.cast("timestamp[ns]").to_numpy(zero_copy_only=False))
                    if _is_time(array.type)
                    else self.clock.of_texts(array.to_pylist())
                )
            ]
        if types.is_duration(array.type):
            return [_numbers(array.cast("duration[ns]").cast("int64")) / 1e9]
        return [_numbers(array)]

    def _rows(self, array, sink) -> np.ndarray:
        """(rows, width); nan where a list is missing or has another length."""
        import pyarrow.compute as compute

        count = len(array)
        lengths = compute.fill_null(compute.list_value_length(array), -1).to_numpy(zero_copy_only=False)
        fits = lengths == self.width
        rows = np.full((count, self.width), np.nan)
        if fits.all():
            rows[:] = _numbers(array.flatten()).reshape(count, self.width)
            return rows
        whole = array if fits.all() else array.filter(fits)
        rows[fits] = _numbers(whole.flatten()).reshape(-1, self.width)
        if (lengths[~fits] > 0).any():
            sink.note(f"'{'.'.join(self.path)}': lists whose length is not {self.width} are read as missing")
        return rows


def _is_time(type) -> bool:
    import pyarrow.types as types

    return types.is_timestamp(type) or types.is_date(type)


def _is_number(type) -> bool:
    import pyarrow.types as types

    return types.is_integer(type) or types.is_floating(type) or types.is_boolean(type) or types.is_decimal(type)


def _numbers(array) -> np.ndarray:
    import pyarrow.types as types

    if types.is_decimal(array.type):
        array = array.cast("float64")
    values = array.to_numpy(zero_copy_only=False)
    if values.dtype == object:  # of booleans with missing ones
        values = np.array([np.nan if value is None else value for value in values], float)
    return values.astype(np.float64, copy=False)
