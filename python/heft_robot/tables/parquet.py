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
            "its writer or a copy was stopped before the file was complete: write or copy it again",
        ) from error
    groups = [file.metadata.row_group(g) for g in range(file.metadata.num_row_groups)]
    check_size(path, 8 * sum(group.column(c).num_values for group in groups for c in range(group.num_columns)), "its rows")
    return file


def unpack(path: str, sink) -> None:
    with open_file(path) as file:
        columns = Columns(path, file.schema_arrow, sink)
        columns.begin()
        for batch in file.iter_batches(_ROWS, columns=columns.top_level, use_threads=False):
            columns.add(batch)
