"""Friction and rotors of a result for simulators and controllers: actuator fields of Isaac Lab, a feed-forward table."""
from __future__ import annotations

import csv
import io
import json
import os
import re
from pathlib import Path

from .._errors import HeftError

#: fields of Isaac Lab's ActuatorBaseCfg (armature; static, dynamic and viscous friction) that a kind of column sets
_FIELDS = {"viscous": ("viscous_friction",), "coulomb": ("friction", "dynamic_friction"), "reflected_inertia": ("armature",)}
_TABLE = ("joint", "load", "speed", "torque", "position")


def isaac_lab_fields(document: dict) -> tuple[dict[str, dict[str, float]], list[str]]:
    """Values of every joint by field, for ActuatorBaseCfg(**fields), and notes on columns that no field expresses.

    armature [kg m^2], friction and dynamic_friction [N m], viscous_friction [N m s/rad]; of prismatic joints [kg], [N], [N s/m]. Joints are
    regular expressions, as in Isaac Lab, that match one name each.
    """
    fields: dict[str, dict[str, float]] = {name: {} for names in _FIELDS.values() for name in names}
    notes = []
    for column in document["columns"]:
        names = _FIELDS.get(column["kind"], ())
        if not names or len(column["joints"]) != 1:
            notes.append(f"{column['name']} = {column['value']:.6g} {column['unit']} has no field in Isaac Lab")
        for name in names if len(column["joints"]) == 1 else ():
            fields[name][re.escape(column["joints"][0])] = column["value"]
    return {name: values for name, values in fields.items() if values}, notes


def feed_forward(document: dict) -> list[dict]:
    """Rows of friction_curves: torque [N m or N] against speed [rad/s or m/s] and position [rad or m] of a joint, without load and at the rms of
    its load. Where friction does not depend on the position, the rows are at position 0.
    """
    curves = document.get("friction_curves", [])
    by_position = {(curve["joint"], curve["load"]) for curve in curves if "position" in curve}
    return [dict(zip(_TABLE, (curve["joint"], curve["load"], speed, torque, curve.get("position", 0.0))))
            for curve in curves if ("position" in curve) == ((curve["joint"], curve["load"]) in by_position)
            for speed, torque in zip(curve["speed"], curve["torque"])]


def convert_drives(path: str | os.PathLike, out: str | os.PathLike) -> list[str]:
    """Writes drives of a result.json and returns notes on columns that the target cannot express.

    out    .json: fields of Isaac Lab; .csv: feed-forward table

    HeftError: the input is not a result with columns, the ending is unknown, nothing can be written.
    """
    from . import _write

    out = Path(out)
    if out.suffix not in (".json", ".csv"):
        raise HeftError(os.fspath(out), "is neither .json nor .csv", "name drives.json (fields of Isaac Lab) or drives.csv (table)")
    document = _result(path)
    if out.suffix == ".csv":
        rows = feed_forward(document)
        if not rows:
            raise HeftError(os.fspath(path), "has no friction_curves", "identify with columns such as viscous and coulomb")
        text = io.StringIO()
        table = csv.DictWriter(text, _TABLE, lineterminator="\n")
        table.writeheader()
        table.writerows(rows)
        _write(out, text.getvalue().encode())
        return []
    fields, notes = isaac_lab_fields(document)
    if not fields:
        raise HeftError(os.fspath(path), "has no viscous, coulomb or reflected_inertia column",
                        "identify with columns: [viscous, coulomb, reflected_inertia]")
    _write(out, (json.dumps(fields, indent=1) + "\n").encode())
    return notes


#: required keys of the entries of the lists in result.json, with their types
_COLUMN = {"name": str, "kind": str, "joints": list, "value": (int, float), "unit": str}
_CURVE = {"joint": str, "speed": list, "torque": list, "load": (int, float)}


def _refuse_constant(name: str) -> None:
    raise ValueError(name)  # NaN and Infinity, which Python reads, are not JSON


def _result(path: str | os.PathLike) -> dict:
    """Reads result.json and checks the lists that the conversion uses; HeftError names what is missing."""
    where, remedy = os.fspath(path), "name the result.json of heft identify"
    try:
        document = json.loads(Path(path).read_text(), parse_constant=_refuse_constant)
    except OSError as error:
        raise HeftError(where, f"cannot be read: {error.strerror}", remedy) from error
    except ValueError as error:
        raise HeftError(where, "is not JSON", remedy) from error
    if not isinstance(document, dict):
        raise HeftError(where, "is not a result of heft identify: it is not a JSON object", remedy)
    if "columns" not in document:
        schema = document.get("schema")
        raise HeftError(where, "is not a result of heft identify: it has no columns" +
                        (f"; its schema is {schema!r}, not 'heft-result-2'" if schema is not None and schema != "heft-result-2" else ""), remedy)
    for name, wanted in (("columns", _COLUMN), ("friction_curves", _CURVE)):
        _check_list(where, name, document.get(name, []), wanted, remedy)
    for index, curve in enumerate(document.get("friction_curves", [])):
        speed, torque = curve["speed"], curve["torque"]
        if len(speed) != len(torque):
            raise HeftError(where, f"friction_curves[{index}] has {len(speed)} speeds, but {len(torque)} torques", remedy)
        for value in (*speed, *torque):
            if not isinstance(value, (int, float)) or isinstance(value, bool):
                raise HeftError(where, f"friction_curves[{index}] contains {json.dumps(value)[:40]} instead of a number", remedy)
    return document


def _check_list(where: str, name: str, entries, wanted: dict, remedy: str) -> None:
    if not isinstance(entries, list):
        raise HeftError(where, f"is not a result of heft identify: {name} is not a list", remedy)
    for index, entry in enumerate(entries):
        place = f"{name}[{index}]"
        if not isinstance(entry, dict):
            raise HeftError(where, f"is not a result of heft identify: {place} is not an object", remedy)
        for key, kinds in wanted.items():
            if key not in entry:
                raise HeftError(where, f"is not a result of heft identify: {place} has no {key}", remedy)
            if not isinstance(entry[key], kinds) or isinstance(entry[key], bool):
                raise HeftError(where, f"is not a result of heft identify: {place}.{key} is {json.dumps(entry[key])[:40]}", remedy)
