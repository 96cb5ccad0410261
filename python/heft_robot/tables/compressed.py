"""Files compressed by gzip, bzip2 or xz: the contained log, unchanged."""

from __future__ import annotations

import bz2
import gzip
import lzma
import zlib

from .._errors import HeftError
from ._source import first_bytes, most_bytes

_BLOCK = 1 << 20
_OPENERS = {b"\x1f\x8b": ("gzip", gzip.open), b"BZh": ("bzip2", bz2.open), b"\xfd7zXZ\x00": ("xz", lzma.open)}


def matches(path: str, head: bytes) -> bool:
    return head.startswith(tuple(_OPENERS)) and (not head.startswith(b"BZh") or head[4:10] == b"1AY&SY")


def unpack(path: str, sink) -> None:
    head = first_bytes(path)
    name, opener = next(value for magic, value in _OPENERS.items() if head.startswith(magic))
    limit, size, begin = most_bytes(path), 0, b""
    try:
        with opener(path, "rb") as file:
            while block := file.read(_BLOCK):
                size += len(block)
                begin = begin or block[:512]
                if size > limit:
                    raise HeftError(
                        path,
                        f"unpacks to more than {limit / 1e9:.1f} GB",
                        "check how it was written; unpack the part that is needed",
                    )
                sink.file.write(block)
    except (EOFError, zlib.error, lzma.LZMAError, gzip.BadGzipFile, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise
        raise HeftError(path, f"is a {name} file that is truncated or damaged: {error}", "copy or compress it again") from error
    if size == 0:
        raise HeftError(path, "contains an empty file", "compress the log again, or name another file")
    if begin[257:262] == b"ustar":
        raise HeftError(path, "contains a tar archive", f"unpack it and name the log in it: tar -xf {path}")
