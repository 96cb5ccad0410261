"""convert-drives: friction and rotors of a result as fields of Isaac Lab and as a table; the same numbers in MJCF, read by MuJoCo."""
import csv
import json
import re

import pytest

import heft_robot as heft
from heft_robot.__main__ import convert_drives as main
from heft_robot.robot_files.drives import convert_drives

RESULT = {
    "columns": [
        {"name": "viscous joint.1", "kind": "viscous", "joints": ["joint.1"], "value": 1.5, "unit": "N m s/rad"},
        {"name": "viscous joint_2", "kind": "viscous", "joints": ["joint_2"], "value": 0.25, "unit": "N m s/rad"},
        {"name": "coulomb joint.1", "kind": "coulomb", "joints": ["joint.1"], "value": 3.0, "unit": "N m"},
        {"name": "reflected_inertia joint_2", "kind": "reflected_inertia", "joints": ["joint_2"], "value": 0.02, "unit": "kg m^2"},
        {"name": "drag joint_2", "kind": "expression", "joints": ["joint_2"], "value": 0.5, "unit": "N m"},
    ],
    "friction_curves": [
        {"joint": "joint.1", "speed": [-1.0, 0.0, 1.0], "torque": [-4.5, 0.0, 4.5], "load": 0.0},
        {"joint": "joint.1", "speed": [-1.0, 0.0, 1.0], "torque": [-5.5, 0.0, 5.5], "load": 12.5},
        {"joint": "joint_2", "speed": [-1.0, 0.0, 1.0], "torque": [-0.25, 0.0, 0.25], "load": 0.0},
        {"joint": "joint_2", "speed": [-1.0, 0.0, 1.0], "torque": [-0.15, 0.1, 0.35], "load": 0.0, "position": -0.5},
        {"joint": "joint_2", "speed": [-1.0, 0.0, 1.0], "torque": [-0.35, -0.1, 0.15], "load": 0.0, "position": 0.5},
        {"joint": "joint_3", "speed": [-1.0, 0.0, 1.0], "torque": [-2.0, 0.0, 2.0], "load": 0.0},
        {"joint": "joint_3", "speed": [-1.0, 0.0, 1.0], "torque": [-3.0, 0.0, 3.0], "load": 5.0},
        {"joint": "joint_3", "speed": [-1.0, 0.0, 1.0], "torque": [-3.5, 0.0, 3.5], "load": 5.0, "position": 0.4},
    ],
}


@pytest.fixture
def result(tmp_path):
    path = tmp_path / "result.json"
    path.write_text(json.dumps(RESULT))
    return path


def test_fields_of_isaac_lab(result, tmp_path):
    notes = convert_drives(result, tmp_path / "drives.json")
    fields = json.loads((tmp_path / "drives.json").read_text())
    assert set(fields) == {"viscous_friction", "friction", "dynamic_friction", "armature"}
    assert fields["armature"] == {"joint_2": 0.02}
    assert fields["friction"] == fields["dynamic_friction"] == {r"joint\.1": 3.0}
    # Isaac Lab matches names by regular expressions: a key must match its joint and no other
    for key in fields["viscous_friction"]:
        assert sum(bool(re.fullmatch(key, name)) for name in ("joint.1", "joint_1", "joint_2", "jointx1")) == 1
    assert notes == ["drag joint_2 = 0.5 N m has no field in Isaac Lab"]


def test_table(result, tmp_path):
    assert convert_drives(result, tmp_path / "drives.csv") == []
    with (tmp_path / "drives.csv").open() as file:
        rows = [(row["joint"], *(float(row[name]) for name in ("load", "position", "speed", "torque"))) for row in csv.DictReader(file)]
    # joint.1 does not depend on the position, joint_3 only with a load; grids have no second curve at zero
    grids = (("joint_2", 0.0), ("joint_3", 5.0))
    curves = [curve for curve in RESULT["friction_curves"] if (curve["joint"], curve["load"]) not in grids or "position" in curve]
    assert rows == [(curve["joint"], curve["load"], curve.get("position", 0), speed, torque) for curve in curves
                    for speed, torque in zip(curve["speed"], curve["torque"])]
    assert {row[2] for row in rows if row[0] == "joint_2"} == {-0.5, 0.5}
    assert {row[1:3] for row in rows if row[0] == "joint_3"} == {(0.0, 0.0), (5.0, 0.4)}


@pytest.mark.parametrize("text, out, words", [
    ("{}", "drives.json", "it has no columns"),
    ("[1, 2]", "drives.json", "it is not a JSON object"),
    ("null", "drives.csv", "it is not a JSON object"),
    ('{"schema": "heft-bench-1"}', "drives.json", "no columns; its schema is 'heft-bench-1', not 'heft-result-2'"),
    ('{"columns": {"a": 1}}', "drives.json", "columns is not a list"),
    ('{"columns": ["a"]}', "drives.csv", r"columns\[0\] is not an object"),
    ('{"columns": [{"name": "x", "kind": "viscous"}]}', "drives.json", r"columns\[0\] has no joints"),
    (json.dumps({"columns": [{**RESULT["columns"][0], "value": None}]}), "drives.json", r"columns\[0\].value is null"),
    (json.dumps({"columns": [], "friction_curves": [{"joint": "a"}]}), "drives.csv", r"friction_curves\[0\] has no speed"),
    ("not json", "drives.json", "is not JSON"),
    (None, "drives.json", "cannot be read"),
    (json.dumps(RESULT), "drives.xml", "neither .json nor .csv"),
    (json.dumps({"columns": []}), "drives.csv", "no friction_curves"),
    (json.dumps({"columns": [], "friction_curves": [{"joint": "a", "load": 0, "speed": [1, 2], "torque": [1]}]}), "drives.csv",
     r"friction_curves\[0\] has 2 speeds, but 1 torques"),
    (json.dumps({"columns": [], "friction_curves": [{"joint": "a", "load": 0, "speed": [1], "torque": ["x"]}]}), "drives.csv",
     r"friction_curves\[0\] contains \"x\" instead of a number"),
    (json.dumps({"columns": [], "friction_curves": [{"joint": "a", "load": 0, "speed": [1], "torque": [float("nan")]}]}), "drives.csv", "is not JSON"),
    (json.dumps({"columns": []}), "drives.json", "no viscous, coulomb or reflected_inertia")])
def test_refusals(tmp_path, text, out, words):
    path = tmp_path / "result.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(heft.HeftError, match=words):
        convert_drives(path, tmp_path / out)
    assert not (tmp_path / out).exists()


def test_command(result, tmp_path, capsys):
    assert main([str(result), str(tmp_path / "drives.json")]) == 0
    assert "note: drag joint_2" in capsys.readouterr().err
    assert main([str(tmp_path / "none.json"), str(tmp_path / "other.json")]) == 1
    assert "cannot be read: No such file or directory" in capsys.readouterr().err
    assert main(["--help"]) == 0 and "convert-drives" in capsys.readouterr().out
    assert main([]) == 105
