"""Manifests that the program does not read itself: Parquet."""
from __future__ import annotations

import datetime
import json
from pathlib import Path

from .._errors import HeftError, optional

COLUMNS = ("robot_id", "robot", "log", "format", "config", "role", "sha256", "start_s", "end_s", "recorded")
PATHS = ("robot", "log", "config")


def readable_manifest(path: str, scratch: Path) -> str:
    """Returns a path that the program reads: the manifest itself, or a file of JSON lines in `scratch` with the same rows and absolute
    paths. Row k of a Parquet file is line k of that file."""
    if not path.endswith(".parquet"):
        return path
    parquet = optional("pyarrow.parquet", "a manifest in Parquet", "fleet")
    import pyarrow

    try:
        table = parquet.read_table(path)
    except (OSError, pyarrow.ArrowException) as error:
        raise HeftError(path, f"cannot be read as Parquet: {str(error).splitlines()[0]}", "give a Parquet file, CSV or JSON lines") from None
    missing = [name for name in ("robot_id", "robot", "log") if name not in table.column_names]
    if missing:
        raise HeftError(path, f"has no column '{missing[0]}'", f"columns are {', '.join(COLUMNS)}")
    readable = scratch / (Path(path).name + ".jsonl")
    folder = Path(path).resolve().parent
    with readable.open("w") as file:
        for batch in table.select([name for name in COLUMNS if name in table.column_names]).to_batches(10_000):
            for row in batch.to_pylist():
                file.write(json.dumps({key: _text(key, value, folder) for key, value in row.items() if value is not None}) + "\n")
    return str(readable)


def num_rows(path: str) -> int:
    """The approximate number of rows of a manifest, for dividing the work."""
    if path.endswith(".parquet"):
        try:
            return optional("pyarrow.parquet", "a manifest in Parquet", "fleet").read_metadata(path).num_rows
        except (OSError, ValueError) as error:
            raise HeftError(path, f"cannot be read as Parquet: {str(error).splitlines()[0]}", "give a Parquet file") from None
    try:
        with open(path, "rb") as file:
            return max(1, sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")))
    except OSError as error:
        raise HeftError(path, f"cannot be read: {error.strerror}", "give the fleet's manifest") from None


def _text(key: str, value, folder: Path):
    if key in PATHS and value:
        whole = folder / str(value)
        if key != "log" or "+" not in str(value) or whole.exists():
            return str(whole)
        return "+".join(str(folder / part) for part in str(value).split("+"))  # files of one recording
    if isinstance(value, (datetime.date, datetime.datetime)):
        if getattr(value, "tzinfo", None):
            value = value.astimezone(datetime.timezone.utc).replace(tzinfo=None)
        return value.isoformat(timespec="seconds") + "Z" if isinstance(value, datetime.datetime) else value.isoformat()
    return value
