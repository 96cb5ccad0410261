"""Messages about MJCF files: places in included files, remedies, arrays that are not a log; files of a second run."""
import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

import heft_robot as heft  # noqa: E402
from heft_robot import mjcf  # noqa: E402

BODY = '<mujoco>\n<worldbody>\n<body name="a">\n<joint name="j" {}/>\n{}</body>\n</worldbody>\n</mujoco>'
GEOM = '<geom size=".1"/>'
INCLUDE = '<mujoco>\n<include file="parts/p.xml"/>\n{}</mujoco>'
#: (main file, included file, place) of models that MuJoCo refuses
PLACES = {
    "attribute": (INCLUDE.format(""), "\n\n" + BODY.format('foo="1"', GEOM), "parts/p.xml:6"),
    "axis": (INCLUDE.format(""), BODY.format('axis="0 0 0"', GEOM), "parts/p.xml:4"),
    "number": (INCLUDE.format(""), BODY.format('axis="0 x 0"', GEOM), "parts/p.xml:4"),
    "class": (INCLUDE.format(""), BODY.format('class="none"', GEOM), "parts/p.xml:4"),
    "element": (INCLUDE.format(""), BODY.format("", GEOM + "\n<wheel/>"), "parts/p.xml:6"),
    "mass": (INCLUDE.format(""), BODY.format("", ""), "parts/p.xml:3"),
    "inertia": (INCLUDE.format(""), BODY.format("", '<inertial pos="0 0 0" mass="1" diaginertia="5 1 1"/>'), "parts/p.xml:3"),
    "mesh": (INCLUDE.format(""), '<mujoco>\n\n<asset>\n<mesh name="m" file="none.stl"/>\n</asset></mujoco>', "parts/p.xml:4"),
    "tag": (INCLUDE.format(""), "<mujoco>\n<worldbody>\n<body>\n</worldbody></mujoco>", "parts/p.xml:4"),
    "repeated": (INCLUDE.format('<worldbody>\n<body name="a">' + GEOM + "</body></worldbody>"), BODY.format("", GEOM), "main.xml:4"),
    "target": (INCLUDE.format('<actuator>\n<motor name="m" joint="z"/></actuator>'), BODY.format("", GEOM), "main.xml:4"),
    "nothing": (INCLUDE.format("").replace("p.xml", "none.xml"), BODY.format("", GEOM), "main.xml:2"),
}


@pytest.mark.parametrize("name", PLACES)
def test_place_of_what_does_not_compile(name, tmp_path):
    main, part, place = PLACES[name]
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "p.xml").write_text(part)
    (tmp_path / "main.xml").write_text(main)
    with pytest.raises(heft.HeftError, match="cannot compile") as error:
        mjcf.read(tmp_path / "main.xml")
    assert error.value.where == str(tmp_path / place) and "line 0" not in error.value.what


@pytest.mark.parametrize("change, words", [
    (lambda a: [x[:0] for x in a], "no rows"), (lambda a: [*a, np.zeros(5)], "increase after row 0"),
    (lambda a: [*a, np.arange(4.0)], "shape"), (lambda a: [*a, np.array([0, 1, np.nan, 3, 4])], "finite in row 2"),
    (lambda a: [*a, np.array([0.0, 1, 3, 2, 4])], "increase after row 2")])
def test_arrays_that_are_no_log(change, words, tmp_path):
    path = tmp_path / "one.xml"
    path.write_text(BODY.format("", GEOM))
    with pytest.raises(heft.HeftError, match=words):
        arrays = change([np.zeros((5, 1))] * 4)
        heft.Log.from_mujoco(str(path), *arrays[:4], t=arrays[4] if len(arrays) > 4 else None)


def result_of(read, factor):
    """A result that multiplies every inertia, as result.json has it."""
    robot = mjcf.robot_of(read)
    return {"columns": [], "bodies": [{"name": name, "merged_links": [], "parameters": dict(zip(heft.PARAMETERS, factor * robot.prior[k]))}
                                      for k, name in enumerate(robot.bodies)]}


def test_names_of_includes_stay_in_a_second_run(tmp_path):
    (tmp_path / "p.xml").write_text(BODY.format("", GEOM))
    (tmp_path / "main.xml").write_text('<mujoco><include file="p.xml"/></mujoco>')
    path, mass = tmp_path / "main.xml", mjcf.read(tmp_path / "main.xml").model.body_mass[1]
    for run in range(3):
        read = mjcf.read(path)
        path, _ = mjcf.write(read, result_of(read, 1.1), tmp_path / f"run{run}")
        assert sorted(file.name for file in path.parent.iterdir()) == ["identified.xml", "identified_p.xml"]
    assert mjcf.read(path).model.body_mass[1] == pytest.approx(1.1**3 * mass, rel=1e-12)


def test_includes_are_not_overwritten(tmp_path):
    """A model that includes identified_p.xml, written to its own folder."""
    part = tmp_path / "identified_p.xml"
    part.write_text(BODY.format("", GEOM))
    (tmp_path / "main.xml").write_text('<mujoco><include file="identified_p.xml"/></mujoco>')
    read = mjcf.read(tmp_path / "main.xml")
    mjcf.write(read, result_of(read, 1.1), tmp_path)
    assert part.read_text() == BODY.format("", GEOM) and (tmp_path / "identified_identified_p.xml").exists()


def test_remedy_names_the_body_of_the_result(tmp_path):
    """MuJoCo names a body without a joint; the result names its carrier."""
    from heft_robot.mjcf._write import _remedy

    (tmp_path / "m.xml").write_text(BODY.format("", GEOM + f'<body name="tool"><body name="tip">{GEOM}</body></body>'))
    remedy = _remedy(mjcf.read(tmp_path / "m.xml"), "Error: mass is small\nElement name 'tip', id 3, line 0")
    assert "body 'a', of which 'tip' is part," in remedy
