"""Logs that the program does not read itself, unpacked to a NumPy table, a CSV file or an MCAP file.

`FORMATS` is the list of formats, one file each. Rows are converted in blocks, so memory does not grow with the log. The unpacked log is an
unnamed temporary file, which is deleted with its last user.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from .._errors import HeftError, MissingPackage
from . import arrow, compressed, hdf5, lerobot, matlab5, netcdf3, npz, parquet, ros1
from ._sink import CsvSink, FileSink, NpySink
from ._source import digest_of, first_bytes, in_plain_words


@dataclass(frozen=True)
class Format:
    """title: its name in errors; matches(path, first bytes); unpack(path, sink): writes its rows or its content."""

    title: str
    matches: Callable[[str, bytes], bool]
    unpack: Callable[[str, object], None]
    kind: str = "table"  # what it unpacks to: a table, a file as it is ("file"), messages ("mcap")


#: in the order in which they are tried
FORMATS = (
    Format("a LeRobot dataset", lerobot.matches, lerobot.unpack),
    Format("a Parquet file", parquet.matches, parquet.unpack),
    Format("an Arrow file", arrow.matches, arrow.unpack),
    Format("an NPZ file", npz.matches, npz.unpack),
    Format("a compressed file", compressed.matches, compressed.unpack, "file"),
    Format("a MAT-file before version 7.3", matlab5.matches, matlab5.unpack),
    Format("a classic netCDF file", netcdf3.matches, netcdf3.unpack),
    Format("a ROS 1 bag", ros1.matches, ros1.unpack, "mcap"),
    Format("an HDF5 file", hdf5.matches, hdf5.unpack),
)


def format_of(path: str) -> Format | None:
    """The format that unpacks a file or folder; None if the program reads it or reports its error."""
    head = first_bytes(path)
    return next((one for one in FORMATS if one.matches(path, head)), None)


def is_unpacked(path: str) -> bool:
    """Whether read_log() unpacks it. The program reads HDF5 itself, except for filters it may lack."""
    found = format_of(path)
    return found is not None and (found.unpack is not hdf5.unpack or hdf5.needs_python(path))


@dataclass
class Unpacked:
    """path: of the file that the program reads; file: open as long as the path is needed; notes: on how the log was read; sha256: of the
    original log."""

    path: str
    file: object
    notes: list[str]
    sha256: str


def unpack(path: str) -> Unpacked:
    """Unpacks a log into a temporary file. Errors are HeftError at `path`."""
    found = format_of(path)
    if found is None:
        raise HeftError(path, "needs no conversion", "heft reads it without conversion")
    sink = (NpySink if found.kind == "table" else FileSink)()
    try:
        _write(found, path, sink)
        return Unpacked(f"/proc/self/fd/{sink.file.fileno()}", sink.file, sink.notes, digest_of(path))
    except BaseException:
        sink.file.close()
        raise


def convert(path: str, out: str) -> list[str]:
    """Writes a log as a file that the program reads; the ending of `out` says which. Returns the notes about it."""
    found = format_of(path)
    if found is None:
        what = "does not exist" if not os.path.exists(path) else "is not a log of these formats"
        titles = ", ".join(one.title.split(" ", 1)[1] for one in FORMATS)
        raise HeftError(path, what, f"formats are: {titles}; heft reads CSV, NPY, HDF5, MCAP files and ROS 2 bags itself")
    ending = os.path.splitext(out)[1].lower()
    sinks = {"table": {".csv": CsvSink, ".npy": NpySink}, "mcap": {".mcap": FileSink}, "file": {ending: FileSink}}[found.kind]
    if ending not in sinks:
        raise HeftError(
            out,
            f"has the ending '{ending}'; {found.title} becomes {' or '.join(sinks)}",
            f"name it {os.path.splitext(out)[0]}{next(iter(sinks))}",
        )
    if os.path.exists(out) and os.path.samefile(path, out):
        raise HeftError(out, "is the input log", "name another file")
    partial = out + ".partial"
    try:
        with in_plain_words(out, "cannot be written", "name a file in an existing folder with enough room"):
            sink = sinks[ending](open(partial, "w+b"))
        with sink.file:
            _write(found, path, sink, out)
        os.replace(partial, out)
    except BaseException:
        if os.path.exists(partial):
            os.unlink(partial)
        raise
    return sink.notes


def _write(found: Format, path: str, sink, out: str = "") -> None:
    """Unpacks; every error becomes a HeftError at the log's path, or at the path of the written file if the disk is full."""
    try:
        found.unpack(path, sink)
        sink.finish(path)
    except (HeftError, MissingPackage):
        raise
    except OSError as error:
        full = error.errno in (28, 122)  # no space, quota
        what = f"cannot be {'written' if full and out else 'unpacked'}: {error.strerror or error}"
        remedy = "check that the file is readable"
        if full:
            remedy = "free space, or name a file on another disk"
            if not out:
                remedy = "free space in the folder for temporary files, or set another: TMPDIR=DIR"
        raise HeftError(out if full and out else path, what, remedy) from error
    except Exception as error:  # libraries raise what they like about broken files
        words = (str(error).splitlines() or [""])[0][:200] or type(error).__name__
        raise HeftError(path, f"looks like {found.title}, but cannot be read: {words}", "copy or export it again") from error
