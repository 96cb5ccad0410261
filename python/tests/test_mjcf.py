"""MJCF models against MuJoCo's own numbers: reading, refusals, identified.xml, logs, commands."""
import copy
import json
import pickle
import re

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

import heft_robot as heft  # noqa: E402
from conftest import run_program  # noqa: E402
from heft_robot import mjcf  # noqa: E402
from mjcf_models import BOX, ROD, TAKEN, model  # noqa: E402
from mjcf_refused import REFUSED  # noqa: E402
from mjcf_truth import DYNAMICS, Comparison, changed_arrays  # noqa: E402

#: principal axes of a fullinertia are exact to rounding from MuJoCo 4 on
VERSION = tuple(int(part) for part in mujoco.__version__.split(".")[:2])
TOLERANCE = 1e-10 if VERSION >= (4, 0) else 1e-5
NEW_ATTRIBUTES = ("springs", "armature_of_actuators")  # of MuJoCo 4

ARM = """<mujoco model="arm">
  <!-- a comment that stays -->
  <default><joint armature="0.05" damping="0.3" frictionloss="0.2"/></default>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 0 1" range="-170 170"/>
      <geom size="0.05 0.2" type="capsule" pos="0.1 0 0" euler="0 90 0"/>
      <body name="fore" pos="0.4 0 0">
        <joint name="elbow" axis="0 1 0" range="-120 120"/>
        <inertial pos="0.1 0 0" mass="1.2" diaginertia="0.01 0.02 0.02" euler="0 0 10"/>
        <frame pos="0.3 0 0">
          <body name="hand">
            <joint name="wrist" axis="0 1 0.2" range="-100 100"/>
            <geom size="0.1 0.06 0.03" type="box" pos="0.05 0 0"/>
            <body name="tool" pos="0 0 .1"><geom size=".04"/></body>
          </body>
        </frame>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


@pytest.fixture
def write(tmp_path):
    def written(text, name="robot.xml"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    return written


@pytest.mark.parametrize("name", TAKEN)
def test_equals_mujoco(name, write):
    if VERSION < (4, 0) and name in NEW_ATTRIBUTES:
        pytest.skip("attributes of MuJoCo 4")
    comparison = Comparison(write(TAKEN[name]))
    assert comparison.body_error() < 1e-12
    assert max(comparison.errors(count=6)) < 1e-12


@pytest.mark.parametrize("name", REFUSED)
def test_refuses_by_name(name, write):
    text, element, words = REFUSED[name]
    path = write(text)
    with pytest.raises(heft.HeftError) as error:
        mjcf.read(path)
    assert error.value.where.startswith(str(path)) and error.value.remedy
    assert element in error.value.what and words in str(error.value)
    if element:
        line = next(k for k, words in enumerate(text.splitlines(), 1) if f"<{element}" in words)
        assert error.value.where == f"{path}:{line}"


def test_names_are_those_of_the_file(write):
    robot = heft.Robot.from_mjcf(write(ARM))
    assert robot.joints == ["shoulder", "elbow", "wrist"] and robot.bodies == ["upper", "fore", "hand"]
    assert heft.observe(robot).num_base == heft.observe(heft.Robot.from_urdf_text(mjcf.read(robot.source).urdf)).num_base
    for twin in (pickle.loads(pickle.dumps(robot)), copy.deepcopy(robot)):
        assert twin.joints == robot.joints and twin._options == robot._options


def test_limits_and_efforts(write):
    path = write(model(f'<body name="a"><joint name="j" range="-90 45" axis="0 1 0"/>{ROD}'
                       f'<body name="b"><joint name="k" actuatorfrcrange="-3 3"/>{BOX}</body></body>',
                       '<actuator><motor joint="j" gear="20" forcerange="-2 1"/></actuator>'))
    joints = {joint.name: joint for joint in mjcf.read(path).joints}
    assert joints["j"].upper == pytest.approx(np.pi / 4, rel=1e-15) and joints["j"].effort == 40
    assert joints["k"].lower is None and joints["k"].effort == 3 and joints["k"].type == "continuous"


def test_effort_of_a_motor(write):
    """The range of controls of a motor without a range of force, times gain and gear; the smallest limit applies."""
    motor = '<actuator><general joint="j" gear="-20" gainprm="3" ctrlrange="-1 2"/></actuator>'
    joint, = (joint for joint in mjcf.read(write(model(f'<body name="a"><joint name="j"/>{ROD}</body>', motor))).joints)
    assert joint.effort == 120
    servo = '<actuator><position joint="j" kp="3" ctrlrange="-1 2"/></actuator>'
    assert mjcf.read(write(model(f'<body name="a"><joint name="j"/>{ROD}</body>', servo))).joints[0].effort is None


def test_inactive_equality_is_noted(write):
    assert "not active" in mjcf.read(write(TAKEN["inactive_loop"])).notes[0]


def test_is_mjcf(write):
    assert mjcf.is_mjcf(write("<?xml version='1.0'?>\n<!-- <robot> -->\n<mujoco/>"))
    assert not mjcf.is_mjcf(write("<robot name='mujoco'/>")) and not mjcf.is_mjcf("nowhere.xml")


def test_options_of_the_user_hold(write):
    joint = '<joint name="j" armature=".2" damping=".3" stiffness="2" axis="0 1 0"/>'
    robot = heft.Robot.from_mjcf(write(model(f'<body name="a">{joint}{ROD}</body>')))
    from heft_robot._config import options_of

    known = lambda config: json.loads(options_of(config, robot, []).json)["known_torque"]["j"]  # noqa: E731
    assert "0.2*qdd_j" in known(None) and "0.3*qd_j" not in known(None)
    assert "0.3*qd_j" in known({"columns": ["coulomb"]})
    assert "qdd" not in known({"columns": ["viscous", "reflected_inertia"]})
    assert known({"known_torque": {"j": "q1"}}) == "q1"


def test_locked_joints(write):
    """Columns and torques of a joint at rest are left out; the others use its position."""
    from heft_robot._config import options_of

    text = TAKEN["partial_gravity_compensation"].replace('name="j2"', 'name="j2" armature=".1"')
    text = text.replace('name="b"', 'name="b" gravcomp="1"')
    robot = heft.Robot.from_mjcf(write(text), gravcomp="file")
    options = json.loads(options_of({"joints": {"locked": {"j2": 0.5}}}, robot, []).json)
    assert set(options["known_torque"]) == {"j1", "s"} and "q_j2" not in json.dumps(options) and "(0.5)" in options["known_torque"]["j1"]
    assert not any("armature change" in json.dumps(column) for column in options["columns"])


def swung(path, true, seconds=8, noise=0.0, seed=0):
    """States of a MuJoCo simulation of the model `true` that follows sines, and its torques with noise."""
    data, random = mujoco.MjData(true), np.random.default_rng(seed)
    count = int(seconds / true.opt.timestep)
    states = [np.zeros((count, true.nv)) for _ in range(4)]
    w, phase = 2 * np.pi * random.uniform(0.2, 1.2, (true.nv, 4)), random.uniform(0, 6, (true.nv, 4))
    amplitude = 0.4 / np.arange(1, 5)
    stiffness = 400 * np.array([true.dof_M0[k] for k in range(true.nv)])
    for k in range(count):
        angle = w * k * true.opt.timestep + phase
        q, qd = (amplitude * np.sin(angle)).sum(1), (amplitude * w * np.cos(angle)).sum(1)
        data.qfrc_applied[:] = stiffness * (q - data.qpos) + 0.1 * stiffness * (qd - data.qvel)
        mujoco.mj_forward(true, data)
        for array, values in zip(states, (data.qpos, data.qvel, data.qacc, data.qfrc_applied + noise * random.normal(size=true.nv))):
            array[k] = values
        mujoco.mj_step(true, data)
    return states


def changed(path):
    """The model with other inertia, armature, damping and frictionloss."""
    true = mujoco.MjModel.from_xml_path(str(path))
    true.body_mass[1:] *= np.array([1.2, 0.9, 1.1, 1])[:true.nbody - 1]
    true.body_ipos[2] += [0.02, 0.01, 0]
    true.dof_armature[2], true.dof_damping[:], true.dof_frictionloss[:] = 0.02, [0.5, 0.2, 0.1], [0.4, 0.3, 0.1]
    mujoco.mj_setConst(true, mujoco.MjData(true))
    return true


@pytest.fixture(scope="module")
def swing(tmp_path_factory):
    path = tmp_path_factory.mktemp("mjcf") / "arm.xml"
    path.write_text(ARM)
    true = changed(path)
    with pytest.warns(heft.LogNote, match="soft frictionloss"):
        log = heft.Log.from_mujoco(true, *swung(path, true, noise=0.01))
    robot = heft.Robot.from_mjcf(path)
    return path, robot, log, heft.identify(robot, log)


def test_finds_friction_and_armature_of_a_simulation(swing):
    _, _, _, result = swing
    for joint, viscous, coulomb in zip(("shoulder", "elbow", "wrist"), (0.5, 0.2, 0.1), (0.4, 0.3, 0.1)):
        assert result.columns[f"viscous {joint}"] == pytest.approx(viscous, abs=0.01)
        assert result.columns[f"coulomb {joint}"] == pytest.approx(coulomb, abs=0.01)
    assert result.columns["armature change wrist"] == pytest.approx(0.02 - 0.05, abs=2e-3)
    assert result.bodies["hand"].parameters[1] == pytest.approx(1.1 * 1.44 * 0.05, rel=0.02)


def test_identified_xml(swing, tmp_path):
    path, robot, _, result = swing
    document = result.to_dict()
    written, notes = mjcf.write(mjcf.read(path), document, tmp_path)
    old, new = (mujoco.MjModel.from_xml_path(str(file)) for file in (path, written))
    total = sum(entry["parameters"]["m"] for entry in document["bodies"])
    assert new.body_subtreemass[0] == pytest.approx(total, rel=1e-12)
    check_same_mechanics(robot, result, written)
    assert changed_arrays(old, new) <= DYNAMICS
    original, edited = path.read_text().splitlines(), written.read_text().splitlines()
    assert [line for line in original if line not in edited] == [line for line in original if re.search("<joint n|<inertial", line)]
    assert "<!-- a comment that stays -->" in edited[1]


def check_same_mechanics(robot, result, written):
    """M and torques of the written model are those of the result."""
    check = Comparison(written)
    q, qd, qdd = check.states(5)
    of_result = robot.regressor(q, qd, qdd) @ result.parameters[:10 * len(robot.bodies)]
    of_file = check.robot.regressor(q, qd, qdd) @ check.robot.prior.reshape(-1)
    np.testing.assert_allclose(of_file, of_result, rtol=0, atol=TOLERANCE * np.abs(of_result).max())
    assert max(check.errors(5)) < 1e-12


def test_the_model_is_not_overwritten(swing, tmp_path):
    path, *_ = swing
    model = tmp_path / "identified.xml"
    model.write_bytes(path.read_bytes())
    done = run_program("identify", "--robot", model, "--log", tmp_path / "log.csv", "--out", tmp_path)
    assert done.returncode == 1 and "would be overwritten" in done.stderr and "--out" in done.stderr
    assert model.read_bytes() == path.read_bytes()


def test_save_does_not_overwrite_the_model(swing, tmp_path):
    path, _, _, result = swing
    model = tmp_path / "identified.xml"
    model.write_bytes(path.read_bytes())
    with pytest.raises(heft.HeftError, match="would be overwritten"):
        mjcf.write(mjcf.read(model), result.to_dict(), tmp_path)
    assert model.read_bytes() == path.read_bytes()


def test_the_content_tells_mjcf_not_the_ending(swing, tmp_path):
    path = tmp_path / "robot.urdf"
    path.write_bytes(swing[0].read_bytes())
    done = run_program("observe", "--robot", path)
    assert done.returncode == 0, done.stderr


BALL_BESIDE_ITS_NAMES = """<mujoco><worldbody><body name="a"><joint name="ba" type="ball" damping="0.1"/>
<geom type="box" size=".1 .2 .3"/><body name="b" pos="0 0 1"><joint name="ba.yaw" axis="0 1 0"/><geom type="box" size=".1 .1 .3"/>
</body></body></worldbody></mujoco>"""


def test_coordinates_of_a_ball_beside_a_joint_of_their_name(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(BALL_BESIDE_ITS_NAMES)
    model = mujoco.MjModel.from_xml_path(str(path))
    q = np.array([[1.0, 0, 0, 0, 0.3]] * 9)
    columns, _ = mjcf.log_columns(model, q, np.zeros((9, 4)), np.zeros((9, 4)), np.zeros((9, 4)))
    joints = heft.Robot.from_mjcf(path).joints
    assert {f"q_{name}" for name in joints} == {name for name in columns if name.startswith("q_")}
    assert columns["q_ba.yaw"][0] == 0.3


def test_torque_and_controls_are_not_given_together(tmp_path):
    path = tmp_path / "ball.xml"
    path.write_text(BALL_BESIDE_ITS_NAMES)
    still = np.zeros((9, 4))
    with pytest.raises(heft.HeftError, match="ctrl.*cannot be combined with torque"):
        mjcf.log_columns(str(path), np.array([[1.0, 0, 0, 0, 0.3]] * 9), still, still, still, ctrl=np.zeros((9, 0)))


def test_keeps_dynamics(swing, tmp_path):
    path, _, _, result = swing
    written, _ = mjcf.write(mjcf.read(path), result.to_dict(), tmp_path, keep_dynamics=True)
    old, new = (mujoco.MjModel.from_xml_path(str(file)) for file in (path, written))
    for key in ("dof_armature", "dof_damping", "dof_frictionloss"):
        np.testing.assert_array_equal(getattr(old, key), getattr(new, key))


def document_of(read, factor=1.5):
    """A result that multiplies every inertia, as result.json has it."""
    from heft_robot import PARAMETERS

    robot = mjcf.robot_of(read)
    merged = {body.name: [] for body in read.bodies}
    for body in read.bodies:
        if body.link not in robot.bodies:
            merged.get(body.parent, []).append(body.link)
    bodies = [{"name": name, "merged_links": merged.get(name, []), "parameters": dict(zip(PARAMETERS, factor * robot.prior[k]))}
              for k, name in enumerate(robot.bodies)]
    return {"bodies": bodies, "columns": []}


def test_includes_and_assets(write, tmp_path):
    write(model('<body name="inside"><joint name="j" axis="0 1 0"/><geom type="mesh" mesh="tetra"/></body>'), "model/parts/part.xml")
    write("<mujoco><default><geom density='500'/></default></mujoco>", "model/parts/defaults.xml")
    write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n", "model/meshes/tetra.obj")
    main = write("<mujoco><compiler meshdir='meshes'/><asset><mesh file='tetra.obj'/></asset>\n<include file='parts/defaults.xml'/>\n"
                 "<include file='parts/part.xml'/></mujoco>", "model/main.xml")
    out = tmp_path / "out" / "deep"
    read = mjcf.read(main)
    written, _ = mjcf.write(read, document_of(read), out)
    assert sorted(path.name for path in out.iterdir()) == ["identified.xml", "identified_part.xml"]
    new = mujoco.MjModel.from_xml_path(str(written))
    assert new.body_mass[1] == pytest.approx(1.5 * read.model.body_mass[1], rel=1e-12)
    assert "<include file=" in written.read_text() and "<inertial" not in written.read_text()


@pytest.mark.parametrize("attribute", ['inertiafromgeom="true"', 'settotalmass="3"', 'boundmass=".1"', 'boundinertia=".1"'])
def test_refuses_options_that_undo(attribute, write, tmp_path):
    path = write(model(f'<body name="a"><joint name="j"/>{ROD}</body>', head=f"\n<compiler {attribute}/>"))
    with pytest.raises(heft.HeftError, match=attribute.partition("=")[0]) as error:
        mjcf.write(mjcf.read(path), document_of(mjcf.read(path)), tmp_path / "out")
    assert error.value.where == f"{path}:2" and not (tmp_path / "out").exists()


def test_refuses_generated_bodies(write, tmp_path):
    path = write(TAKEN["frames_and_replicate"])
    with pytest.raises(heft.HeftError, match="replicate"):
        mjcf.write(mjcf.read(path), document_of(mjcf.read(path)), tmp_path / "out")


@pytest.mark.parametrize("name", ["classes", "unnamed", "inertial_beside_geoms", "fixed_inside", "rotated_base", "ball",
                                  "joints_in_one_body", "names", "free_base"])
def test_written_masses(name, write, tmp_path):
    read = mjcf.read(write(TAKEN[name]))
    written, _ = mjcf.write(read, document_of(read), tmp_path / "out")
    check = Comparison(written)
    np.testing.assert_allclose(check.robot.prior, 1.5 * mjcf.robot_of(read).prior, rtol=TOLERANCE, atol=1e-12)
    assert not changed_arrays(read.model, mujoco.MjModel.from_xml_path(str(written)))
    assert max(check.errors(3)) < 1e-12


def test_light_tool_gives_way(write, tmp_path):
    """A body without a joint keeps its inertia only as far as its carrier stays consistent."""
    read = mjcf.read(write(TAKEN["fixed_inside"]))
    written, notes = mjcf.write(read, document_of(read, 0.3), tmp_path)
    assert "flange" in notes[0]
    np.testing.assert_allclose(Comparison(written).robot.prior, 0.3 * mjcf.robot_of(read).prior, rtol=TOLERANCE, atol=1e-12)


def test_bodies_on_a_locked_joint(write, tmp_path):
    """The written model moves as the result at the locked position."""
    from heft_robot import PARAMETERS

    path = write(TAKEN["joints_in_one_body"].replace('name="j" axis="0 1 0"', 'name="j" axis="0 1 1"'))
    read, locked = mjcf.read(path), {"j": 0.4}
    robot = heft.Robot.from_urdf_text(read.urdf, locked=locked)
    bodies = [{"name": name, "merged_links": ["arm"] if name == "base" else [], "parameters": dict(zip(PARAMETERS, 1.5 * prior))}
              for name, prior in zip(robot.bodies, robot.prior)]
    document = {"columns": [], "provenance": {"options": {"joints": {"locked": locked}}}, "bodies": bodies}
    written, _ = mjcf.write(read, document, tmp_path / "out")
    again = heft.Robot.from_urdf_text(mjcf.read(written).urdf, locked=locked)
    np.testing.assert_allclose(again.prior, 1.5 * robot.prior, rtol=TOLERANCE, atol=1e-12)
    assert mjcf.read(written).model.body_mass[2] == read.model.body_mass[2]


def test_log_of_ball_and_follower(write):
    """The work of the log's torques equals that of MuJoCo's."""
    for name in ("ball", "couplings", "free_object"):
        comparison = Comparison(write(TAKEN[name]))
        q, qd, qdd = comparison.states(4)
        rows = [comparison.in_mujoco(*state) for state in zip(q, qd, qdd)]
        torque = np.random.default_rng(1).normal(size=(4, comparison.model.nv))
        table = heft.Log.from_mujoco(comparison.model, *(np.array([row[k] for row in rows]) for k in range(3)), torque).read()
        for prefix, values in (("q", q), ("qd", qd), ("qdd", qdd), ("tau", np.array([row[3].T @ tau for row, tau in zip(rows, torque)]))):
            read = np.column_stack([table[f"{prefix}_{joint}"] for joint in comparison.robot.joints])
            turns = 2 * np.pi * np.round((read - values) / (2 * np.pi)) if prefix == "q" else 0
            np.testing.assert_allclose(read - turns, values, atol=1e-9, err_msg=f"{name} {prefix}")


def test_log_of_moving_base(write):
    """The specific force and angular velocity of the base predict its torques."""
    comparison = Comparison(write(TAKEN["free_base"]))
    q, qd, qdd = comparison.states(400, seed=3)
    qpos, qvel, qacc, _ = (np.array(part) for part in zip(*(comparison.in_mujoco(*state) for state in zip(q, qd, qdd))))
    torque = np.zeros_like(qvel)
    for k in range(len(q)):
        comparison.data.qpos[:], comparison.data.qvel[:], comparison.data.qacc[:] = qpos[k], qvel[k], qacc[k]
        mujoco.mj_inverse(comparison.model, comparison.data)
        torque[k] = comparison.data.qfrc_inverse
    log = heft.Log.from_mujoco(comparison.model, qpos, qvel, qacc, torque)
    result = heft.identify(comparison.robot, log, config={"columns": []})
    np.testing.assert_allclose(result.parameters[:20], comparison.robot.prior.reshape(-1), rtol=0, atol=1e-4)


def test_controls_become_torques(write):
    path = write(model(f'<body name="a"><joint name="j" axis="0 1 0"/>{ROD}</body>',
                       '<actuator><position joint="j" kp="3" gear="2"/></actuator>'))
    zero = np.zeros((3, 1))
    table = heft.Log.from_mujoco(str(path), zero + 0.1, zero, zero, ctrl=zero + 0.5).read()
    np.testing.assert_allclose(table["tau_j"], 2 * 3 * (0.5 - 2 * 0.1))


def test_arrays_of_another_model(write):
    path = write(ARM)
    with pytest.raises(heft.HeftError, match=r"qpos.*\(n, 3\)"):
        heft.Log.from_mujoco(str(path), *[np.zeros((4, 2))] * 4)


def test_identify_command(swing, tmp_path):
    path, *_ = swing
    assert run_program("simulate", "--robot", path, "--out", tmp_path / "logs", "--duration", 8).returncode == 0
    config = tmp_path / "my.yaml"
    config.write_text("conditioning: {lowpass_hz: 12}\n")
    done = run_program("identify", "--robot", path, "--config", config, "--log", tmp_path / "logs" / "train.csv", "--out", tmp_path / "out")
    assert done.returncode in (0, 4), done.stderr
    assert "model:  " in done.stdout
    document = json.loads((tmp_path / "out" / "result.json").read_text())
    assert document["robot"]["path"] == str(path) if "path" in document["robot"] else str(path) in json.dumps(document)
    assert "/tmp/heft-" not in json.dumps(document)
    written = mujoco.MjModel.from_xml_path(str(tmp_path / "out" / "identified.xml"))
    assert written.body_subtreemass[0] == pytest.approx(sum(entry["parameters"]["m"] for entry in document["bodies"]), rel=1e-12)


def test_observe_command(write, tmp_path):
    fixed = run_program("observe", write(TAKEN["rotated_base"]))
    assert fixed.returncode == 0 and "identifiable combinations of" in fixed.stdout
    floating = run_program("observe", write(TAKEN["free_base"], "free.xml"))
    assert floating.returncode == 0 and "of 20 parameters" in floating.stdout


def test_check_command(write):
    path = write(TAKEN["rotated_base"])
    checked = run_program("check", path)
    assert checked.returncode == 0 and str(path) in checked.stdout


CONCAVE = """<mujoco><compiler boundmass="1e-9"/>
<asset><mesh name="l" vertex="0 0 0 .2 0 0 .2 .02 0 .02 .02 0 .02 .3 0 0 .3 0 0 0 .1 .2 0 .1 .2 .02 .1 .02 .02 .1 .02 .3 .1 0 .3 .1"
 face="0 2 1 0 3 2 0 5 3 3 5 4 6 7 8 6 8 9 6 9 11 9 10 11 0 1 7 0 7 6 1 2 8 1 8 7 2 3 9 2 9 8 3 4 10 3 10 9 4 5 11 4 11 10 5 0 6 5 6
 11"/></asset>
<worldbody><body name="a"><joint name="j"/><geom type="mesh" mesh="l"/>
<body name="b"><joint name="k"/><geom size=".1" contype="0" conaffinity="0"/></body></body></worldbody></mujoco>
"""


def test_findings_of_mjcf(write, tmp_path):
    path, found = write(CONCAVE), tmp_path / "found.json"
    done = run_program("check", path, "--json", found)
    findings = {finding["name"]: finding for finding in json.loads(found.read_text())["findings"]}
    assert findings["mass-from-visuals"]["where"] == f"{path}:6" and findings["mass-from-visuals"]["subject"] == "b"
    assert findings["compiler-changes-mass"]["where"] == f"{path}:1"
    if "mesh-inertia-legacy" in findings:  # MuJoCo decides what legacy gives
        assert findings["mesh-inertia-legacy"]["subject"] == "a"
    assert done.returncode == 0 and "mass-from-visuals" in done.stdout
    assert run_program("check", path, "--strict").returncode == 1


def test_refusal_of_command(write):
    done = run_program("identify", "--robot", write(REFUSED["loop"][0], "loop.xml"), "--log", "no.csv")
    assert done.returncode == 1 and "loop.xml:" in done.stderr and "remedy" in done.stderr


def test_errors_name_the_mjcf_file(write):
    path = write(ARM)
    done = run_program("identify", "--robot", path, "--log", "nowhere.csv")
    assert done.returncode == 1 and "nowhere.csv" in done.stderr and ".urdf" not in done.stderr


def test_without_mujoco(write):
    """Without MuJoCo the module can be imported, and the error says what to install."""
    code = ("import sys; sys.modules['mujoco'] = None\nimport heft_robot as heft\n"
            f"try:\n    heft.Robot.from_mjcf({str(write(ARM))!r})\nexcept heft.MissingPackage as error:\n    print(error.remedy)")
    import subprocess
    import sys

    assert "pip install mujoco" in subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout



def test_fleet_command(swing, tmp_path):
    path, *_ = swing
    heft.simulate(heft.Robot.from_urdf_text(mjcf.read(path).urdf), tmp_path, duration=5, held_out=1)
    (tmp_path / "fleet.csv").write_text(f"robot_id,robot,log\na/1,{path},train.csv\n")
    done = run_program("fleet", "run", tmp_path / "fleet.csv", "--store", tmp_path / "store", "--no-pages")
    assert done.returncode == 0, done.stderr
    document = json.loads((tmp_path / "store" / "results" / "a%2F1" / "result.json").read_text())
    written = mujoco.MjModel.from_xml_path(str(tmp_path / "store" / "results" / "a%2F1" / "identified.xml"))
    assert written.body_subtreemass[0] == pytest.approx(sum(entry["parameters"]["m"] for entry in document["bodies"]), rel=1e-12)
    assert "armature change wrist" in [column["name"] for column in document["columns"]]


def test_save_writes_identified_xml(swing, tmp_path):
    path, _, _, result = swing
    before = path.read_bytes()
    for name, one in (("result", result), ("pickled", pickle.loads(pickle.dumps(result))), ("small", result.without_moments()),
                      ("solved", heft.solve(result.moments, robot=path))):
        paths = one.save(tmp_path / name)
        assert paths["model"] == str(tmp_path / name / "identified.xml")
        mass = mujoco.MjModel.from_xml_path(paths["model"]).body_subtreemass[0]
        assert mass == pytest.approx(sum(body.mass for body in one.bodies.values()), rel=1e-12)
    assert path.read_bytes() == before
    assert "model" not in heft.read_result(tmp_path / "result").save(tmp_path / "again")


@pytest.mark.parametrize("attribute, words", [('settotalmass="4"', "settotalmass"), ("", "has changed")])
def test_save_says_why_no_xml(attribute, words, swing, tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM.replace("<default>", f"<compiler {attribute}/><default>"))
    result = heft.identify(path, swing[2])
    if not attribute:
        path.write_text(ARM.replace('mass="1.2"', 'mass="1.3"'))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "identified.xml").write_text("of an earlier result")
    with pytest.warns(heft.ModelNote, match=words):
        paths = result.save(tmp_path / "out")
    assert "model" not in paths and (tmp_path / "out" / "identified.urdf").exists()
    assert not (tmp_path / "out" / "identified.xml").exists()
