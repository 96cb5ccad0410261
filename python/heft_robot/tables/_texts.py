"""Times that are not numbers: text such as 2026-03-01T08:15:00.25Z, and datetime64."""

from __future__ import annotations

import re

import numpy as np

_STAMP = re.compile(r"(\d{4}-\d{2}-\d{2})[T ](\d{2}:\d{2}:\d{2})([.,]\d+)?\s*(Z|UTC|[+-]\d{2}:?\d{2})?")


def is_stamp(text) -> bool:
    return isinstance(text, str) and _STAMP.fullmatch(text.strip()) is not None


class StampClock:
    """Seconds from the whole second of the first stamp, over all blocks of a column."""

    def __init__(self):
        self._origin = None  # [ns] since 1970

    def seconds(self, nanoseconds: np.ndarray, missing: np.ndarray) -> np.ndarray:
        if self._origin is None and not missing.all():
            self._origin = int(nanoseconds[~missing][0]) // 10**9 * 10**9
        result = (nanoseconds - (self._origin or 0)) / 1e9
        result[missing] = np.nan
        return result

    def of_datetimes(self, stamps: np.ndarray) -> np.ndarray:
        missing = np.isnat(stamps)
        return self.seconds(np.where(missing, np.datetime64(0, "ns"), stamps).astype("datetime64[ns]").astype(np.int64), missing)

    def of_texts(self, texts) -> np.ndarray:
        numbers = [_nanoseconds(text) for text in texts]
        missing = np.array([number is None for number in numbers])
        return self.seconds(np.array([number or 0 for number in numbers], np.int64), missing)


def seconds_of_stamps(name: str, values: np.ndarray) -> np.ndarray:
    """datetime64, timedelta64 or texts of times as seconds; numbers as they are."""
    if values.dtype.kind == "M":
        return StampClock().of_datetimes(values)
    if values.dtype.kind == "m":
        return np.where(np.isnat(values), np.nan, values / np.timedelta64(1, "s"))
    if values.dtype.kind in "US":
        return StampClock().of_texts([_text(value) for value in values.ravel()])
    return values


def holds_stamps(values: np.ndarray) -> bool:
    """Whether an array of texts contains times, judged by its first element."""
    return values.dtype.kind in "US" and values.size > 0 and is_stamp(_text(values.flat[0]))


def _text(value) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _nanoseconds(text) -> int | None:
    found = _STAMP.fullmatch(text.strip()) if isinstance(text, str) else None
    if not found:
        return None
    day, time, fraction, zone = found.groups()
    try:
        whole = int(np.datetime64(f"{day}T{time}", "s").astype(np.int64))
    except ValueError:
        return None
    if zone and zone not in ("Z", "UTC"):
        minutes = int(zone[1:3]) * 60 + int(zone[-2:])
        whole -= (1 if zone[0] == "+" else -1) * minutes * 60
    return whole * 10**9 + int((fraction or ".0")[1:10].ljust(9, "0"))
