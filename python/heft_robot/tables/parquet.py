"""Parquet files (pyarrow), row group by row group."""

from __future__ import annotations

from .._errors import HeftError, optional
from ._arrow_columns import Columns
from ._source import check_size

_ROWS = 16384


def matches(path: str, head: bytes) -> bool:
    return head.startswith(b"PAR1\x15")


def open_file(path: str):
    """A ParquetFile that declares no more than its bytes can hold."""
    parquet = optional("pyarrow.parquet", "a Parquet log", "logs")
    try:
        file = parquet.ParquetFile(path, buffer_size=1 << 16, pre_buffer=False)
    except Exception as error:
        raise HeftError(
            path,
            f"is a Parquet file that cannot be read: {(str(error).splitlines() or ['?'])[0][:200]}",
            "its writer was stopped before it closed the file, or a copy broke off: write or copy it again",
        ) from error
    check_size(path, 8 * file.metadata.num_rows * max(file.metadata.num_columns, 1), "its rows")
    return file


def unpack(path: str, sink) -> None:
    with open_file(path) as file:
        columns = Columns(path, file.schema_arrow, sink)
        columns.begin()
        for batch in file.iter_batches(_ROWS, columns=columns.top_level, use_threads=False):
            columns.add(batch)
