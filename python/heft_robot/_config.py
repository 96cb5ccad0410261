"""Options: the path of a YAML file, a dictionary of its sections, or None for the defaults."""
from __future__ import annotations

import json
import os
import warnings
from collections.abc import Mapping

import numpy as np

from . import _heft
from ._errors import HeftError

_LARGEST_FILE = 1 << 24  # of characters; no configuration is as long


def configuration(config, base: _heft.Configuration) -> _heft.Configuration:
    """`config` over `base`. Keys are those of the YAML file, {"conditioning": {"lowpass_hz": 5}}; "conditioning.lowpass_hz" is an
    equivalent key. Errors name the option and the nearest existing one."""
    if config is None:
        return base
    if isinstance(config, _heft.Configuration):
        return config
    if isinstance(config, (str, os.PathLike)):
        _check_exists(os.fspath(config))
        return _with_warnings(_heft.Configuration.read(os.fspath(config), base), base)
    if isinstance(config, Mapping):
        return _with_warnings(_heft.Configuration.from_text(_json(config), "config", base), base)
    raise _no_configuration(config)


def _with_warnings(read: _heft.Configuration, base: _heft.Configuration) -> _heft.Configuration:
    """Returns `read`; warns of deprecated names in it that `base` did not have."""
    for note in read.notes[len(base.notes):]:
        warnings.warn(note, FutureWarning, stacklevel=4)
    return read


def options_of(config, robot, logs) -> _heft.Configuration:
    """Applies `config`, or the options of the first log, to the options of the robot."""
    if config is None:
        config = next((log._config for log in logs if log._config is not None), None)
    base = _heft.Configuration.of_robot(robot._native)
    of_log = next((log._defaults for log in logs if log._defaults is not None), None)
    if robot._options is None:
        return configuration(config, configuration(of_log, base))
    from .mjcf import options_over

    return options_over(robot._options, config, base, of_log)


def moving_joints(robot, options: _heft.Configuration) -> list[str]:
    """The joints that have columns in arrays: those that the options do not lock."""
    return [joint for joint in robot.joints if joint not in options.locked]


def text_of(config) -> tuple[str, str]:
    """The text of a YAML file or of a dictionary, empty for None, and its name in errors."""
    if config is None:
        return "", "config"
    if isinstance(config, (str, os.PathLike)):
        path = os.fspath(config)
        try:
            with open(path, encoding="utf-8") as file:
                text = file.read(_LARGEST_FILE + 1)
        except (OSError, UnicodeDecodeError) as error:
            _check_exists(path)
            raise HeftError(path, f"cannot be read: {error}", "give the path of a YAML file") from error
        if len(text) > _LARGEST_FILE:
            raise HeftError(path, f"has more than {_LARGEST_FILE} characters", "give the path of a YAML file of options")
        return text, path
    if isinstance(config, Mapping):
        return _json(config), "config"
    raise _no_configuration(config)


def _check_exists(path: str) -> None:
    """Refuses options given as text, which would be read as a path; the remedy is a dictionary."""
    if not os.path.exists(path):
        raise HeftError(f"config: {path}", "does not exist", "give the path of a YAML file, or options as a dictionary: "
                                                                    '{"conditioning": {"lowpass_hz": 5}}')


def _no_configuration(config) -> HeftError:
    return HeftError("config", f"is a {type(config).__name__}", "give the path of a YAML file, a dictionary, or None")


def _json(config: Mapping) -> str:
    try:
        return json.dumps(_nested(config), default=_plain)
    except (TypeError, ValueError) as error:
        raise HeftError("config", f"contains a value that is not an option: {error}",
                        "use numbers, strings, lists and dictionaries") from error


def _nested(config: Mapping) -> dict:
    """Keys with a dot as sections: {"a.b": 1} is {"a": {"b": 1}}."""
    result: dict = {}
    for key, value in config.items():
        section, dot, name = str(key).partition(".")
        if dot:
            inside = result.setdefault(section, {})
            if not isinstance(inside, dict):
                raise HeftError(f"config: {key}", f"'{section}' is set already and is not a section", "set every option once")
            inside[name] = value
        elif isinstance(value, Mapping):
            result.setdefault(section, {}).update(value)
        else:
            result[section] = value
    return result


def _plain(value):
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    raise TypeError(f"{value!r} of type {type(value).__name__}")
