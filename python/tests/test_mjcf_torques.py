"""Torques beyond rigid bodies: simulated logs and limits of designed motions against mj_inverse, gravcomp at other masses."""
import csv
import json

import numpy as np
import pytest

mujoco = pytest.importorskip("mujoco")

import heft_robot as heft  # noqa: E402
from conftest import run_program  # noqa: E402

VERSION = tuple(int(part) for part in mujoco.__version__.split(".")[:2])
DAMPING = "0.1 0.2 0.05" if VERSION >= (4, 0) else "0.1"  # higher coefficients are of MuJoCo 4
ARM = f"""<mujoco model="arm"><option gravity="0 0.5 -3.7"/>
  <default><joint armature="0.05" damping="0.3" frictionloss="0.2"/></default>
  <worldbody>
    <body name="upper" pos="0 0 1">
      <joint name="shoulder" axis="0 1 0" range="-170 170" stiffness="3" springref="20"/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.4 0 0"/>
      <body name="fore" pos="0.4 0 0" gravcomp="0.7">
        <joint name="elbow" axis="0 1 0.3" range="-150 150" damping="{DAMPING}" actuatorfrcrange="-6 6"/>
        <inertial pos="0.1 0 0" mass="1.2" diaginertia="0.01 0.02 0.02"/>
      </body>
    </body>
  </worldbody>
</mujoco>"""
EXACT = {"duration": 6, "held-out": 3, "rate": 200, "torque-noise": 0, "encoder-counts": 0}
HARMONICS = 2 * np.pi / 10 * np.arange(1, 6)  # of simulated motions


@pytest.fixture
def arm(tmp_path):
    path = tmp_path / "arm.xml"
    path.write_text(ARM)
    return path


def true_model(path, truth):
    """The model with the bodies and linear damping of truth.json, constraints off."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    for body in range(1, model.nbody):
        m, *values = (truth[f"{model.body(body).name}.{key}"] for key in heft.PARAMETERS)
        com, (xx, xy, yy, xz, yz, zz) = np.array(values[:3]) / m, values[3:]
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (com @ com * np.eye(3) - np.outer(com, com))
        moments, axes = np.linalg.eigh(tensor)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, (axes * np.sign(np.linalg.det(axes))).ravel())
        model.body_mass[body], model.body_ipos[body], model.body_inertia[body], model.body_iquat[body] = m, com, moments, quaternion
        model.body_sameframe[body] = model.body_simple[body] = 0
    for joint in range(model.njnt):
        model.dof_damping[model.jnt_dofadr[joint]] = truth[f"viscous {model.joint(joint).name}"]
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def read_columns(path, prefix, joints):
    with open(path, newline="") as file:
        rows = list(csv.reader(file))
    return np.array([[float(row[rows[0].index(f"{prefix}_{joint}")]) for joint in joints] for row in rows[1:]])


def fitted_rates(t, q):
    """Returns qd and qdd of the Fourier series through exact positions."""
    s, c = np.sin(np.outer(t, HARMONICS)), np.cos(np.outer(t, HARMONICS))
    coefficients, *_ = np.linalg.lstsq(np.hstack([np.ones((len(t), 1)), s, c]), q, rcond=None)
    zero, w = np.zeros((len(t), 1)), HARMONICS
    return np.hstack([zero, w * c, -w * s]) @ coefficients, np.hstack([zero, -w * w * s, -w * w * c]) @ coefficients


def check_log(path, xml, q=None, qd=None, qdd=None):
    """Torques of a log without noise are MuJoCo's for truth.json, and Coulomb friction."""
    truth = {name: entry["value"] for name, entry in json.loads((path.parent / "truth.json").read_text())["parameters"].items()}
    model = true_model(xml, truth)
    joints = [model.joint(k).name for k in range(model.njnt)]
    tau = read_columns(path, "tau", joints)
    if q is None:
        q = read_columns(path, "q", joints)
        with open(path) as file:
            t = np.loadtxt(file, delimiter=",", skiprows=1)[:, 0]
        qd, qdd = fitted_rates(t, q)
    data, wanted = mujoco.MjData(model), np.zeros_like(tau)
    for k in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], qdd[k]
        mujoco.mj_inverse(model, data)
        wanted[k] = data.qfrc_inverse
    wanted += np.tanh(qd / 0.05) * [truth[f"coulomb {joint}"] for joint in joints]
    assert np.isfinite(wanted).all() and np.ptp(wanted) > 0
    np.testing.assert_allclose(tau, wanted, rtol=0, atol=3e-6 * np.abs(wanted).max())
    return truth


def simulate(xml, out, **options):
    words = [word for key, value in {**EXACT, **options}.items() for word in (f"--{key.replace('_', '-')}", value)]
    done = run_program("simulate", "--robot", xml, "--out", out, *words)
    assert done.returncode == 0, done.stderr
    return done


def test_simulated_torques_are_those_of_the_model(arm, tmp_path):
    simulate(arm, tmp_path / "logs")
    for name in ("train.csv", "held_out.csv"):
        truth = check_log(tmp_path / "logs" / name, arm)
    assert truth["armature change elbow"] == 0 and truth["fore.m"] != 1.2


def test_simulated_torques_in_python(arm, tmp_path):
    robot = heft.Robot.from_mjcf(arm)
    heft.simulate(robot, tmp_path / "logs", duration=6, held_out=3, rate=200, torque_noise=0.0, encoder_counts=0.0, speed=0.3)
    for name in ("train.csv", "held_out.csv"):
        check_log(tmp_path / "logs" / name, arm)


def test_simulated_motion_of_a_file(arm, tmp_path):
    t = 0.01 * np.arange(300)
    w = np.array([2.0, 3.0])
    q, qd, qdd = np.sin(np.outer(t, w)), w * np.cos(np.outer(t, w)), -w**2 * np.sin(np.outer(t, w))
    names = [f"{prefix}_{joint}" for prefix in ("q", "qd", "qdd") for joint in ("shoulder", "elbow")]
    np.savetxt(tmp_path / "motion.csv", np.column_stack([t, q, qd, qdd]), delimiter=",", header=",".join(["t", *names]), comments="",
               fmt="%.12g")
    simulate(arm, tmp_path / "logs", motion=tmp_path / "motion.csv")
    check_log(tmp_path / "logs" / "train.csv", arm, q, qd, qdd)


def test_simulated_latency(arm, tmp_path):
    """Rows are exact at the earlier times of their positions."""
    simulate(arm, tmp_path / "late", latency=0.02, rate=100)
    simulate(arm, tmp_path / "fine", rate=2000)
    late, fine = (np.loadtxt(tmp_path / name / "train.csv", delimiter=",", skiprows=1) for name in ("late", "fine"))
    for row in late[5:]:
        near = fine[(fine[:, 0] > row[0] - 0.0202) & (fine[:, 0] < row[0] + 6e-4)]
        same = near[((near[:, 1:3] - row[1:3]) ** 2).sum(1).argmin()]
        np.testing.assert_allclose(row[3:], same[3:], atol=6e-3)


def test_identify_finds_what_was_simulated(arm, tmp_path):
    """With armature, a spring and another gravity in both, only noise remains."""
    arm.write_text(ARM.replace(' gravcomp="0.7"', ""))
    simulation = heft.simulate(heft.Robot.from_mjcf(arm), tmp_path / "logs", duration=15, held_out=5, rate=200, seed=3)
    result = heft.identify(heft.Robot.from_mjcf(arm), simulation.train, simulation.held_out)
    document = result.to_dict()
    # noise is 1 % of the rms torque, of which the filter leaves a part
    assert document["training"]["overall_relative"] < 0.01
    assert result.bodies["fore"].parameters[1] == pytest.approx(simulation.truth[11], rel=0.05)


def test_designed_motion_has_a_true_note(arm, tmp_path):
    """The torque of the elbow is limited to 6 N m; armature raises it toward the limit, and without a limit there is no message."""
    arm.write_text(ARM.replace('armature="0.05"', 'armature="1.5"').replace(' gravcomp="0.7"', ""))
    words = ("--duration", 4, "--starts", 1, "--quiet")
    done = run_program("excite", "--robot", arm, "--out", tmp_path / "design", *words)
    assert done.returncode == 0, done.stderr
    joints = ("shoulder", "elbow")
    q, qd, qdd = (read_columns(tmp_path / "design" / "trajectory.csv", prefix, joints) for prefix in ("q", "qd", "qdd"))
    model = mujoco.MjModel.from_xml_path(str(arm))
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONSTRAINT)
    data, most = mujoco.MjData(model), 0.0
    for k in range(len(q)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], qdd[k]
        mujoco.mj_inverse(model, data)
        most = max(most, abs(data.qfrc_inverse[1] + 0.2 * np.sign(qd[k, 1])))
    (note,) = (line for line in done.stderr.splitlines() if "torque of elbow" in line)
    told = float(note.split("reaches about ")[1].split(" %")[0]) / 100
    limits = json.loads((tmp_path / "design" / "design.json").read_text())["limits"]
    worst = next(entry["worst_ratio"] for entry in limits if entry["name"] == "torque" and entry["joint"] == "elbow")
    # two standard deviations of the bodies come on top
    assert most > 0 and most / 6 <= told + 0.01 and told <= most / 6 + worst and "leaves out" not in done.stderr
    arm.write_text(ARM.replace(' actuatorfrcrange="-6 6"', "").replace(' gravcomp="0.7"', ""))
    free = run_program("excite", "--robot", arm, "--out", tmp_path / "free", *words)
    assert free.returncode == 0 and "note" not in free.stderr


LIFTED = """<mujoco><worldbody><body name="a"><joint name="j1" axis="0 1 0"/><inertial pos="0.2 0 0" mass="2" diaginertia=".02 .03 .04"/>
<body name="b" pos="0.4 0 0" gravcomp="1"><joint name="j2" axis="0 1 0.2"/><inertial pos="0.2 0.03 0" mass="1" diaginertia=".01 .02 .02"/>
</body></body></worldbody></mujoco>"""


def lifted_states(path):
    """States of the robot with another mass of b, torques of the actuators and of gravcomp."""
    model = mujoco.MjModel.from_xml_path(str(path))
    model.body_mass[2] = 1.4
    mujoco.mj_setConst(model, mujoco.MjData(model))
    data, t = mujoco.MjData(model), 0.004 * np.arange(3000)
    w, phase = np.array([[2.0, 5.1], [3.1, 4.3]]), np.array([[0.3, 1.1], [0.9, 2.2]])
    angle = t[:, None, None] * w + phase
    q, qd, qdd = 0.5 * np.sin(angle).sum(2), 0.5 * (w * np.cos(angle)).sum(2), -0.5 * (w**2 * np.sin(angle)).sum(2)
    tau, lift = np.zeros_like(q), np.zeros_like(q)
    for k in range(len(t)):
        data.qpos[:], data.qvel[:], data.qacc[:] = q[k], qd[k], qdd[k]
        mujoco.mj_inverse(model, data)
        tau[k], lift[k] = data.qfrc_inverse, data.qfrc_gravcomp
    return model, q, qd, qdd, tau, lift


def test_gravcomp_that_differs_is_refused(tmp_path):
    """Its torques depend on masses that are identified; the remedies work."""
    path, copy = tmp_path / "lifted.xml", tmp_path / "copy.xml"
    path.write_text(LIFTED)
    copy.write_text(LIFTED.replace(' gravcomp="1"', ""))
    model, q, qd, qdd, tau, lift = lifted_states(path)
    log = heft.Log.from_mujoco(model, q, qd, qdd, tau)
    with pytest.warns(heft.ModelNote, match="gravcomp"):
        robot = heft.Robot.from_mjcf(path)
    with pytest.raises(heft.HeftError, match="qfrc_gravcomp") as error:
        heft.identify(robot, log)
    assert error.value.where == f"{path}:2"
    done = run_program("identify", "--robot", path, "--log", "none.csv")
    assert done.returncode == 1 and "--gravcomp file" in done.stderr
    result = heft.identify(heft.Robot.from_mjcf(copy), heft.Log.from_mujoco(model, q, qd, qdd, tau + lift))
    assert result.bodies["b"].parameters[1] == pytest.approx(1.4 * 0.2, rel=1e-3)
    with pytest.warns(heft.ModelNote):
        accepted = heft.Robot.from_mjcf(path, gravcomp="file")
    heft.identify(accepted, log)
    # the user's own torques replace the model's
    heft.identify(robot, log, config={"known_torque": {"j1": "0*q1", "j2": "0*q2"}})
    with pytest.raises(heft.HeftError, match="gravcomp"):
        heft.Robot.from_mjcf(path, gravcomp="identified")


def test_simulation_that_is_refused_leaves_no_log(tmp_path):
    """Bodies that are fixed to each other have different gravcomp: their true masses are merged."""
    path = tmp_path / "mixed.xml"
    path.write_text(LIFTED.replace("</body></body>", '<body name="c" pos=".1 0 0"><inertial pos="0 0 0" mass=".3" diaginertia=".01 .01 .01"/>'
                                   "</body></body></body>"))
    done = run_program("simulate", "--robot", path, "--out", tmp_path / "logs")
    assert done.returncode == 1 and "same gravcomp" in done.stderr and not (tmp_path / "logs").exists()
    with pytest.raises(heft.HeftError, match="gravcomp"), pytest.warns(heft.ModelNote):
        heft.simulate(heft.Robot.from_mjcf(path), tmp_path / "python")
    assert not (tmp_path / "python").exists()


def test_gravcomp_of_the_file_is_accepted_by_the_command(tmp_path):
    path = tmp_path / "lifted.xml"
    path.write_text(LIFTED)
    simulate(path, tmp_path / "logs", perturbation=0)
    done = run_program("identify", "--robot", path, "--log", tmp_path / "logs" / "train.csv", "--out", tmp_path / "out", "--gravcomp", "file")
    assert done.returncode in (0, 4), done.stderr
    bodies = {body["name"]: body["parameters"] for body in json.loads((tmp_path / "out" / "result.json").read_text())["bodies"]}
    assert bodies["b"]["mcx"] == pytest.approx(0.2, rel=0.02)


def test_help_names_mjcf():
    done = run_program("identify", "--help")
    assert done.returncode == 0 and "MJCF" in done.stdout and "--gravcomp" in done.stdout and "--validate" in done.stdout
