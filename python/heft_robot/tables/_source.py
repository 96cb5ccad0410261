"""Properties of input files: first bytes, digests, bounds on the unpacked size, and errors of libraries as HeftError."""

from __future__ import annotations

import contextlib
import hashlib
import os

from .._errors import HeftError

_SIGNATURE = 128
_BLOCK = 1 << 20
_ALWAYS_ALLOWED = 1 << 30  # bytes that any file may unpack to
_DENSEST = 200  # times the size of the file that is larger than that


def first_bytes(path: str) -> bytes:
    """The bytes that identify a format; empty for folders, pipes and unreadable files."""
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read(_SIGNATURE)
    except OSError:
        return b""


def _size_of(path: str) -> int:
    """Bytes of a file, or of a folder's files."""
    if not os.path.isdir(path):
        return os.path.getsize(path)
    return sum(os.path.getsize(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names)


def most_bytes(path: str) -> int:
    """The largest size that a file may unpack to; a larger one is a compression bomb or a wrong header."""
    return max(_ALWAYS_ALLOWED, _DENSEST * _size_of(path))


def check_size(path: str, size: int, what: str) -> None:
    """Refuses a file that declares more bytes than it can contain."""
    if size > _ALWAYS_ALLOWED and size > most_bytes(path):
        raise HeftError(
            path,
            f"{what} unpack{'s' if ' ' not in what else ''} to {size / 1e9:.1f} GB, "
            f"{size / max(_size_of(path), 1):.0f} times the size of the file",
            "check how it was written, or export only the needed part of the log",
        )


def digest_of(path: str) -> str:
    """SHA-256 of a file, or of a folder's files by their names."""
    hash = hashlib.sha256()
    if not os.path.isdir(path):
        _add(hash, path)
        return hash.hexdigest()
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if name not in ("videos", "images") and not name.startswith("."))
        for name in sorted(names):
            if name.endswith((".json", ".jsonl", ".parquet")):
                hash.update(os.path.relpath(os.path.join(folder, name), path).encode() + b"\n")
                _add(hash, os.path.join(folder, name))
    return hash.hexdigest()


def _add(hash, path: str) -> None:
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            hash.update(block)


@contextlib.contextmanager
def in_plain_words(where: str, what: str, remedy: str):
    """Errors of a library as one HeftError at `where`."""
    try:
        yield
    except HeftError:
        raise
    except Exception as error:
        words = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
        raise HeftError(where, f"{what}: {words}", remedy) from error
