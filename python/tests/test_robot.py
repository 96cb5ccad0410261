"""Robots and their rows, compared with a pendulum in closed form and with the program."""
import copy
import pickle

import numpy as np
import pytest

import heft_robot as heft
from conftest import ARM, GRAVITY, LENGTH, MASS, run_program


def test_names(arm):
    assert arm.name == "heft_demo_arm"
    assert arm.joints == [f"joint_{i}" for i in range(1, 8)]
    assert len(arm.bodies) == 7 and arm.channels == arm.joints
    assert arm.prior.shape == (7, 10)


def test_rows_of_a_pendulum(pendulum, swing):
    """A point mass m at (l, 0, 0) has m, m l, and m l^2 about y and z."""
    rows = pendulum.regressor(swing.q[:, None], swing.qd, swing.qdd)
    assert rows.shape == (len(swing.t), 1, 10) and rows.dtype == np.float64
    point = np.zeros(10)
    point[[0, 1, 6, 9]] = MASS, MASS * LENGTH, MASS * LENGTH**2, MASS * LENGTH**2
    expected = swing.tau - 0.3 * swing.qd
    assert np.abs(rows[:, 0] @ point - expected).max() < 1e-13 * np.abs(expected).max()


def test_one_state_and_any_number_of_threads(arm):
    rng = np.random.default_rng(1)
    q, qd, qdd = rng.normal(size=(3, 1000, 7))
    rows = arm.regressor(q, qd, qdd, threads=1)
    assert np.array_equal(rows, arm.regressor(q, qd, qdd, threads=5))
    assert np.array_equal(rows[17], arm.regressor(q[17], qd[17], qdd[17]))
    fortran = [np.asfortranarray(array) for array in (q, qd, qdd)]
    assert np.array_equal(rows, arm.regressor(*fortran))
    assert np.array_equal(rows[::2], arm.regressor(q[::2], qd[::2], qdd[::2]))


def test_energies(pendulum, swing):
    point = np.zeros(10)
    point[[0, 1, 6, 9]] = MASS, MASS * LENGTH, MASS * LENGTH**2, MASS * LENGTH**2
    kinetic = pendulum.rows("kinetic", swing.q[:, None], swing.qd, swing.qdd)[:, 0] @ point
    assert np.allclose(kinetic, 0.5 * MASS * (LENGTH * swing.qd) ** 2, rtol=1e-13, atol=1e-13)


ROWS = ["torque", "kinetic", "potential", "power", "momentum", "coriolis_transpose", "gravity", "world_wrench", "world_gravity",
        "world_momentum"]


@pytest.mark.parametrize("floating", [False, True], ids=["fixed", "floating"])
def test_rows_are_the_program_s(tmp_path, floating):
    """The rows are the program's, bit for bit; tests/tools/charts_and_rows.py compares those with Pinocchio."""
    robot = heft.Robot.from_urdf(ARM, floating_base=floating)
    rng = np.random.default_rng(2)
    q, qd, qdd = (rng.normal(size=(20, extra * floating + 7)) for extra in (7, 6, 6))
    if floating:
        q[:, 3:7] /= np.linalg.norm(q[:, 3:7], axis=1, keepdims=True)
    np.save(tmp_path / "states.npy", np.hstack([q, qd, qdd]))
    for kind in ROWS:
        done = run_program("rows", "--robot", ARM, "--states", tmp_path / "states.npy", "--kind", kind, "--out", tmp_path / "rows.npy",
                           *(["--floating"] if floating else []))
        assert done.returncode == 0, done.stderr
        assert np.array_equal(robot.rows(kind, q, qd, qdd), np.load(tmp_path / "rows.npy")), kind
    assert np.array_equal(robot.regressor(q, qd, qdd), robot.rows("torque", q, qd, qdd))


def test_floating_base():
    robot = heft.Robot.from_urdf(ARM, floating_base=True)
    assert robot.floating_base and len(robot.channels) == 13
    q = np.zeros(14)
    q[6] = 1
    rows = robot.regressor(q, np.zeros(13), np.zeros(13))
    assert rows.shape == (13, 80)
    # at rest the base carries the weight, upwards
    force = rows @ np.concatenate([robot.prior[i] for i in range(8)])
    assert np.isclose(np.abs(force[2]), robot.prior[:, 0].sum() * GRAVITY)
    q[6] = 2
    with pytest.raises(heft.HeftError, match="quaternion"):
        robot.regressor(q, np.zeros(13), np.zeros(13))


def test_pickle_and_copy(arm):
    again = pickle.loads(pickle.dumps(arm))
    assert again.bodies == arm.bodies and np.array_equal(again.prior, arm.prior)
    assert copy.deepcopy(arm) is arm


def test_wrong_shapes_name_both(arm):
    with pytest.raises(heft.HeftError) as error:
        arm.regressor(np.zeros((5, 7)), np.zeros((5, 6)), np.zeros((5, 7)))
    assert error.value.where == "qd" and "(5, 6)" in error.value.what and "(5, 7)" in error.value.what
    with pytest.raises(heft.HeftError) as error:
        arm.regressor(np.zeros((5, 7)), np.zeros((4, 7)), np.zeros((5, 7)))
    assert "(4, 7)" in error.value.what and "(5, 7)" in error.value.what
    with pytest.raises(heft.HeftError, match="torque"):
        arm.rows("torqe", np.zeros((1, 7)), np.zeros((1, 7)), np.zeros((1, 7)))


def test_missing_file_and_broken_text():
    with pytest.raises(heft.HeftError) as error:
        heft.Robot.from_urdf("nowhere.urdf")
    assert "nowhere.urdf" in error.value.where and error.value.remedy
    with pytest.raises(heft.HeftError, match="broken.urdf"):
        heft.Robot.from_urdf_text("<robot", name="broken.urdf")


@pytest.mark.parametrize("kind", ["torque", "gravity", "momentum", "coriolis_transpose", "kinetic", "potential", "power",
                                  "world_momentum"])
def test_many_states_are_each_alone(arm, kind):
    """Large arrays use other memory than small ones, and memory is reused: neither changes a number."""
    rng = np.random.default_rng(4)
    q, qd, qdd = rng.normal(size=(3, 3001, 7))
    few = np.concatenate([arm.rows(kind, q[i:i + 50], qd[i:i + 50], qdd[i:i + 50]) for i in range(0, 3001, 50)])
    for _ in range(3):
        many = arm.rows(kind, q, qd, qdd)
        assert np.array_equal(many, few)
        many[:] = np.nan  # the memory that the next one gets
        del many


def test_memory_that_is_in_use_is_not_used_again(arm):
    rng = np.random.default_rng(5)
    q, qd, qdd = rng.normal(size=(3, 3000, 7))
    first = arm.regressor(q, qd, qdd)
    kept = first.copy()
    view = first[10:20]
    del first
    arm.regressor(-q, qd, qdd)
    assert np.array_equal(view, kept[10:20])


def test_rows_of_bad_arrays(arm):
    rng = np.random.default_rng(6)
    q, qd, qdd = rng.normal(size=(3, 20, 7))
    expected = arm.regressor(q, qd, qdd)
    with pytest.warns(heft.ConversionNote, match="qd is not float64"):
        arm.regressor(q, qd.astype(np.float32), qdd)
    missing = q.copy()
    missing[3] = np.nan
    rows = arm.regressor(missing, qd, qdd)
    assert np.isnan(rows[3]).any() and np.array_equal(np.delete(rows, 3, 0), np.delete(expected, 3, 0))
    with pytest.raises(heft.HeftError, match="qdd"):
        arm.regressor(q, qd, qdd.astype(complex))
