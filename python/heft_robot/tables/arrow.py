"""Arrow files and streams, Feather (pyarrow), batch by batch."""

from __future__ import annotations

from .._errors import HeftError, optional
from ._arrow_columns import Columns

_FILE, _FEATHER_1, _STREAM = b"ARROW1", b"FEA1", b"\xff\xff\xff\xff"


def matches(path: str, head: bytes) -> bool:
    has_ending = path.lower().endswith((".arrow", ".arrows", ".feather", ".ft"))
    return head.startswith(_FILE) or has_ending and head.startswith((_FEATHER_1, _STREAM))


def unpack(path: str, sink) -> None:
    pyarrow = optional("pyarrow", "an Arrow log", "logs")
    ipc = optional("pyarrow.ipc", "an Arrow log", "logs")
    from ._source import first_bytes

    head = first_bytes(path)
    try:
        if head.startswith(_FEATHER_1):
            table = optional("pyarrow.feather", "a Feather log", "logs").read_table(path)
            _write(path, table.schema, table.to_batches(), sink)
            return
        with pyarrow.memory_map(path) as file:
            if head.startswith(_STREAM):
                reader = ipc.open_stream(file)
                _write(path, reader.schema, reader, sink)
            else:
                reader = ipc.open_file(file)
                _write(path, reader.schema, (reader.get_batch(k) for k in range(reader.num_record_batches)), sink)
    except (pyarrow.ArrowException, OSError) as error:
        raise HeftError(
            path,
            f"is an Arrow file that cannot be read: {(str(error).splitlines() or ['?'])[0][:200]}",
            "its writer or a copy was stopped before the file was complete: write or copy it again",
        ) from error


def _write(path, schema, batches, sink) -> None:
    columns = Columns(path, schema, sink)
    columns.begin()
    for batch in batches:
        columns.add(batch)
