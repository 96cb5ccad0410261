"""The model as MuJoCo compiles it, with errors that name the file."""
from __future__ import annotations

import contextlib
import os
import re

from .._errors import HeftError, optional
from ._faulty import place_of

_EXAMPLE = "python3 -c \"import mujoco; mujoco.MjModel.from_xml_path('{}')\""


def mujoco():
    """The package mujoco, or MissingPackage."""
    return optional("mujoco", "reading MJCF", "mujoco")


@contextlib.contextmanager
def warnings_in(collected: list[str]):
    """Collects MuJoCo's warnings, which it otherwise writes to MUJOCO_LOG.TXT in the working directory."""
    package = mujoco()
    if not hasattr(package, "set_mju_user_warning"):
        yield
        return
    package.set_mju_user_warning(collected.append)
    try:
        yield
    finally:
        package.set_mju_user_warning(None)


def compiled(path: str | os.PathLike, warnings: list[str] | None = None):
    """The MjModel of a file; MuJoCo's warnings are appended to `warnings`."""
    path = os.fspath(path)
    if not os.path.isfile(path):
        raise HeftError(path, "does not exist", "give the path of an MJCF file")
    package = mujoco()
    try:
        with warnings_in([] if warnings is None else warnings):
            return package.MjModel.from_xml_path(path)
    except (ValueError, RuntimeError, package.FatalError) as error:
        text = re.sub(r"\s*\n\s*", "; ", str(error).strip())
        raise HeftError(place_of(path, text), f"MuJoCo {package.__version__} cannot compile it: {text.replace(', line 0', '')}",
                        "correct the file until MuJoCo loads it: " + _EXAMPLE.format(path)) from error


def is_mjcf(path: str | os.PathLike) -> bool:
    """Whether a file's first element is <mujoco>."""
    try:
        with open(path, "rb") as file:
            head = file.read(1 << 16)
    except OSError:
        return False
    head = re.sub(rb"<!--.*?-->|<\?.*?\?>|<!DOCTYPE[^>]*>", b"", head, flags=re.S)
    return re.match(rb"(?:\xef\xbb\xbf)?\s*<mujoco[\s>/]", head) is not None
