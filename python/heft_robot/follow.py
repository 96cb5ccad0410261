"""Rows of an MCAP file while its recorder writes it: `python -m heft_robot follow-log recording.mcap | heft watch ..`

A recorder appends records, most of them chunks of messages. New complete records are written to a temporary file after those that define
the channels, and read like any truncated recording."""
from __future__ import annotations

import os
import struct
import tempfile
import time
from collections.abc import Iterator

import numpy as np

from ._errors import HeftError
from .log import read_log

_MAGIC = b"\x89MCAP0\r\n"
_HEAD = struct.Struct("<BQ")  # opcode, length
_FOOTER, _DATA_END = 2, 15
_DATA = (3, 4, 5, 6)  # schema, channel, message, chunk
_BATCH = 1 << 22  # bytes of records that are read at once
_FIRST_BATCH = 1 << 18  # the same for the first batch, which is read again with every other
_LARGEST = 1 << 29
_LATEST_S = 1  # as in recordings that are complete
_LOOK_AGAIN_S = 0.02
_FEW, _PAUSE_S = 1 << 14, 0.05  # bytes of records after which to wait: single messages take long to read


def follow_rows(path: str | os.PathLike, config=None, *, idle: float = 0.0) -> Iterator[tuple[list[str], np.ndarray]]:
    """Yields the columns t, q_JOINT, tau_JOINT, .. of the rows that a growing MCAP file has, then of those that are appended: names and an
    array (rows, columns). Ends with the recording, or once the file has not grown for `idle` seconds (0: waits for ever).

    config  options for reading (section `log`), a YAML file or a dictionary
    HeftError: not an MCAP file; one that was replaced or became shorter; damaged records; topics of different rates; a clock that goes back
    """
    path = os.fspath(path)
    with _Records(path, idle) as records, tempfile.TemporaryDirectory(prefix="heft-") as folder:
        batch, names, kept = os.path.join(folder, "batch.mcap"), None, b""
        newer = _NewerRows(path)
        for new in records:
            with open(batch, "wb") as file:
                file.write(_MAGIC + kept + new)
            try:
                log = read_log(batch, config)
                is_first = names is None
                names = names or _names_of(log, config)
                columns = log.read(names) if names else {}
            except HeftError as error:
                if names is None and _is_early(error):  # other topics came first
                    kept += new
                    continue
                raise HeftError(error.where.replace(batch, path), error.what.replace(batch, path), error.remedy) from None
            if is_first:
                kept += new
            if names is None:
                continue
            rows = newer.of(_rows_of(path, columns), names.index("t"))
            if len(rows):
                yield names, rows
        if names is None:
            raise HeftError(path, "has no messages of joint states", "record a topic of joint states, or name the topics: log.topics")


def _is_early(error: HeftError) -> bool:
    return any(words in error.what for words in ("no message can be read", "no topic", "no messages"))


def _names_of(log, config) -> list[str] | None:
    """The time and the columns of joints, if the log has positions and torques. Options may give them any names: then all columns."""
    names = list(dict.fromkeys(log.columns))  # every topic has a t
    if all(any(name.startswith(prefix) for name in names) for prefix in ("q_", "tau_")):
        return [name for name in names if name == "t" or name.startswith(("q_", "qd_", "qdd_", "tau_"))]
    return names if config is not None else None


class _NewerRows:
    """Passes on the rows of each batch that are newer than those before."""

    def __init__(self, path: str):
        self._path, self._last, self._first = path, -np.inf, None

    def of(self, rows: np.ndarray, time_column: int) -> np.ndarray:
        times = rows[:, time_column]
        if self._first is None:  # every batch begins with these
            self._first = np.sort(times)
        old, counts = np.unique(times[times <= self._last], return_counts=True)
        late = old[counts > np.searchsorted(self._first, old, "right") - np.searchsorted(self._first, old, "left")]
        if len(late) and late[0] < self._last - _LATEST_S:
            raise HeftError(self._path, f"has a message {self._last - late[0]:.6g} s older than those before: its clock was adjusted, or two "
                                        "programs publish the topic", "set log.stamp: log (when messages were received), or record again")
        rows = rows[times > self._last]
        if len(rows):
            self._last = rows[-1, time_column]
        return rows


def _rows_of(path: str, columns: dict[str, np.ndarray]) -> np.ndarray:
    if "t" not in columns or len({len(numbers) for numbers in columns.values()}) != 1:
        raise HeftError(path, "has the positions and torques in topics of their own", "record one topic with both, such as joint_states")
    return np.column_stack(list(columns.values()))


class _Records:
    """Iterates over complete records of a growing file, several at a time."""

    def __init__(self, path: str, idle: float):
        try:
            self._file = open(path, "rb")
        except OSError as error:
            raise HeftError(path, f"cannot be opened: {error.strerror}", "check the path; the file must exist before") from None
        self._path, self._idle, self._at = path, idle, len(_MAGIC)

    def __enter__(self) -> _Records:
        return self

    def __exit__(self, *_) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        if not self._wait(len(_MAGIC)) or self._file.read(len(_MAGIC)) != _MAGIC:
            raise HeftError(self._path, "is not an MCAP file", "follow the .mcap file of a recording; send CSV to heft watch itself")
        most, has_ended = _FIRST_BATCH, False
        while not has_ended:
            new, has_ended = self._complete(most)
            if new:
                most = _BATCH
                yield new
                time.sleep(_PAUSE_S if len(new) < _FEW else 0)
            elif not has_ended and not self._wait(self._at + _HEAD.size):
                return

    def _complete(self, most: int) -> tuple[bytes, bool]:
        """Schemas, channels, messages and chunks that are complete, and whether the recording ends after them."""
        size, begin, new = os.fstat(self._file.fileno()).st_size, self._at, []
        while self._at - begin < most and self._at + _HEAD.size <= size:
            self._file.seek(self._at)
            head = self._file.read(_HEAD.size)
            opcode, length = _HEAD.unpack(head)
            if length > _LARGEST:
                raise HeftError(f"{self._path}: byte {self._at}", f"a record of {length} bytes is damaged",
                                "recover the intact part with mcap recover IN -o OUT")
            if self._at + _HEAD.size + length > size:
                if not new and not self._wait(self._at + _HEAD.size + length):
                    return b"", True
                break
            self._at += _HEAD.size + length
            if opcode in (_FOOTER, _DATA_END):
                return b"".join(new), True
            if opcode in _DATA:
                new.append(head + self._file.read(length))
        return b"".join(new), False

    def _wait(self, size: int) -> bool:
        """Waits until the file has `size` bytes; False if it does not grow for the idle time."""
        begin, before = time.monotonic(), self._size()
        while (now := self._size()) < size:
            if now != before:
                begin, before = time.monotonic(), now
            if self._idle > 0 and time.monotonic() - begin >= self._idle:
                return False
            time.sleep(_LOOK_AGAIN_S)
        self._file.seek(self._at if self._at > len(_MAGIC) else 0)
        return True

    def _size(self) -> int:
        facts = os.fstat(self._file.fileno())
        try:
            named = os.stat(self._path)
        except OSError:
            named = facts
        if facts.st_size < self._at and self._at > len(_MAGIC) or (named.st_ino, named.st_dev) != (facts.st_ino, facts.st_dev):
            raise HeftError(self._path, "was replaced or became shorter while it was read", "start again with the new file")
        return facts.st_size
