"""The MJCF file of a result, and the identified.xml that Result.save() writes from it."""
from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from pathlib import Path

from .. import _arrays
from .._errors import HeftError, ModelNote
from . import _write
from ._read import read


@dataclass(frozen=True)
class Source:
    """path of the file, and the URDF that was read from it."""

    path: str
    urdf: bytes

    def read(self):
        """The file's description; HeftError if the file has changed since it was read."""
        description = read(self.path)
        if description.urdf.encode() != self.urdf:
            raise HeftError(self.path, "has changed since it was read", "read it again, as it is now")
        return description

    def write(self, document: dict, directory: Path) -> str | None:
        """Path of identified.xml with the result `document`. None if the file cannot be written or has changed since it was read; a
        ModelNote then says why, and the identified.xml of an earlier result is removed."""
        target = directory / _write.NAME
        try:
            description = self.read()
            _, notes = _write.write(description, document, directory)
        except HeftError as error:
            if not (target.exists() and os.path.exists(self.path) and os.path.samefile(target, self.path)):
                target.unlink(missing_ok=True)
            _note(f"identified.xml is not written: {error}")
            return None
        for note in notes:
            _note(f"identified.xml: {note}")
        return os.fspath(target)


def source_of(robot) -> Source | None:
    """The source of a Robot; None if it was read from a URDF."""
    if robot is None or robot._options is None:
        return None
    text = robot._native.text
    return Source(os.path.abspath(robot.source), text if isinstance(text, bytes) else text.encode())


def description_of(robot):
    """The description of a Robot from an MJCF file."""
    return source_of(robot).read()


def _note(words: str) -> None:
    warnings.warn(words, ModelNote, stacklevel=_arrays._level_of_caller())
