"""Destinations of unpacked rows: a NumPy table, a CSV file, or unchanged bytes."""

from __future__ import annotations

import tempfile

import numpy as np

from .._errors import HeftError
from ._source import check_size

_ROWS = 16384  # of a block


class FileSink:
    """Unchanged bytes in `file`; an unnamed temporary file by default."""

    def __init__(self, file=None):
        self.file = tempfile.TemporaryFile(prefix="heft-") if file is None else file
        self.notes: list[str] = []

    def note(self, text: str) -> None:
        """Records a note on the log, once."""
        if text not in self.notes:
            self.notes.append(text)

    def finish(self, path: str) -> None:
        self.file.flush()


class _TableSink(FileSink):
    """Rows of named columns, in blocks."""

    def __init__(self, file=None):
        super().__init__(file)
        self.names: list[str] = []
        self.num_rows = 0

    def begin(self, names: list[str], path: str) -> None:
        """Names the columns of all blocks."""
        if not names:
            raise HeftError(path, "has no numeric column", "log times, positions and torques as numbers, one column each")
        repeated = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if repeated is not None:
            raise HeftError(path, f"has two columns '{repeated}'", "rename one of them")
        self.names, self.path = names, path
        self._begin()

    def add(self, columns: list[np.ndarray]) -> None:
        """Appends rows: an array of equal length for every column."""
        count = len(columns[0])
        check_size(self.path, 8 * len(self.names) * (self.num_rows + count), "its rows")
        for begin in range(0, count, _ROWS):
            self._add([column[begin : begin + _ROWS] for column in columns], min(_ROWS, count - begin))
        self.num_rows += count

    def finish(self, path: str) -> None:
        if self.num_rows == 0:
            raise HeftError(path, "has no rows", "record the log again, or name another file")
        self._end()
        super().finish(path)


class NpySink(_TableSink):
    """A structured array of float64. The number of rows is written last."""

    def _begin(self) -> None:
        self._dtype = np.dtype({"names": [f"f{k}" for k in range(len(self.names))], "formats": ["<f8"] * len(self.names)})
        fields = ", ".join(f"({_quoted(name)}, '<f8')" for name in self.names)
        self._text = "{'descr': [" + fields + "], 'fortran_order': False, 'shape': (%d,), }"
        size = len((self._text % 10**15).encode()) + 12 + 1
        self._size = -(-size // 64) * 64  # aligned, as NumPy writes it
        self.file.write(self._header(0))

    def _header(self, num_rows: int) -> bytes:
        text = (self._text % num_rows).encode()
        return b"\x93NUMPY\x03\x00" + (self._size - 12).to_bytes(4, "little") + text.ljust(self._size - 13) + b"\n"

    def _add(self, columns, count) -> None:
        block = np.empty(count, self._dtype)
        for k, column in enumerate(columns):
            block[f"f{k}"] = column
        self.file.write(block.tobytes())

    def _end(self) -> None:
        self.file.seek(0)
        self.file.write(self._header(self.num_rows))


class CsvSink(_TableSink):
    """Text that reads back to the same numbers; an empty field is a missing number."""

    def _begin(self) -> None:
        self.file.write((",".join(map(_field, self.names)) + "\n").encode())

    def _add(self, columns, count) -> None:
        texts = [["" if number != number else repr(number) for number in np.asarray(column, float).tolist()] for column in columns]
        self.file.write("".join(",".join(row) + "\n" for row in zip(*texts)).encode())

    def _end(self) -> None:
        pass


def _plain(name: str) -> str:
    return "".join(c if c.isprintable() else "_" for c in name)


def _quoted(name: str) -> str:
    text = _plain(name).replace("\\", "\\\\").replace("'", "\\'").replace("%", "%%")
    return f"'{text}'"


def _field(name: str) -> str:
    name = _plain(name)
    return '"' + name.replace('"', '""') + '"' if any(c in name for c in ',;"\t ') else name
