"""Payloads: the program's results from the same logs, arrays in closed form, and statements of results about themselves."""
import json
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import heft_robot as heft
from conftest import ARM, SOURCE, run_program, without_timings

sys.path.insert(0, str(SOURCE / "tools" / "demo"))
import loaded_arm  # noqa: E402
import payload_log  # noqa: E402


@pytest.fixture(scope="module")
def hammer(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hammer")
    subprocess.run([sys.executable, SOURCE / "tools" / "demo" / "payload_log.py", folder], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="module")
def weighed(hammer):
    return heft.payload(hammer / "shaken.csv", method=["auto", "wls"])


def test_it_says_what_the_program_says(hammer, tmp_path):
    """Tables, options and errors; tests/tools/payload.py compares with the truth."""
    log = hammer / "shaken.csv"
    weighed = heft.payload(log)
    run_program("payload", "--log", log, "--out", tmp_path / "theirs")
    theirs = json.loads((tmp_path / "theirs" / "result.json").read_text())
    assert without_timings(weighed.to_dict()) == without_timings(theirs)
    assert weighed.mass == theirs["payload"]["mass"] and weighed.com.tolist() == theirs["payload"]["com"]
    weighed.save(tmp_path / "ours")
    assert sorted(os.listdir(tmp_path / "ours")) == sorted(os.listdir(tmp_path / "theirs"))
    table = heft.read_log(log).read()
    assert heft.payload(table).mass == pytest.approx(weighed.mass, rel=1e-9)
    # options as a dictionary: a sensor that says the opposite
    turned = {key: -x if key in ("fx", "fy", "fz", "nx", "ny", "nz") else x for key, x in table.items()}
    assert heft.payload(turned, config={"payload": {"sign": -1}}).mass == pytest.approx(weighed.mass, rel=1e-9)
    with pytest.raises(heft.HeftError, match="unknown method"):
        heft.payload(table, method="best")
    with pytest.raises(heft.HeftError, match="config.*gravty"):
        heft.payload(table, config={"payload": {"gravty": 9.81}})
    with pytest.raises(heft.HeftError, match="places nothing"):
        heft.payload(table, pose=[0, 0, 0, 0, 0, 0])
    with pytest.raises(heft.Stopped):
        heft.payload(table, progress=lambda stage, fraction: False)


def test_what_a_result_says(hammer, weighed, tmp_path):
    truth = json.loads((hammer / "truth.json").read_text())
    low, high = weighed.mass_interval
    assert low <= truth["mass"] <= high and high - low < 0.02
    assert all(low <= x <= high for x, (low, high) in zip(truth["com"], weighed.com_intervals))
    assert np.allclose(weighed.bias, payload_log.BIAS, atol=0.05)
    assert np.linalg.eigvalsh(weighed.inertia).min() > 0
    assert np.allclose(weighed.parameters[1:4], weighed.mass * weighed.com, rtol=1e-12)
    assert weighed.certified and weighed.verdict["level"] == "green" and list(weighed.methods) == ["auto", "wls"]
    assert weighed.frame == "sensor" and weighed.stretches == [] and str(weighed) == weighed.summary() and "mass" in str(weighed)
    html = weighed._repr_html_()
    assert f"{weighed.mass:.5g} kg" in html and "wls" in html and "green" in html
    page = weighed.report(tmp_path / "page", open=False)
    assert page.name == "report.html" and page.exists()
    poses = heft.payload(hammer / "poses.csv")
    assert poses.doubts[0]["id"] == "tensor-at-rest" and poses.doubts[0]["words"] in poses._repr_html_()


def test_results_pickle(weighed):
    again = pickle.loads(pickle.dumps(weighed))
    assert again.to_dict() == weighed.to_dict() and str(again) == str(weighed) and again._repr_html_() == weighed._repr_html_()
    assert pickle.loads(pickle.dumps(again)).to_dict() == weighed.to_dict()
    with pytest.raises(heft.HeftError, match="weigh it again"):
        again.save("nowhere")


def test_a_tool_is_calibrated_and_bodies_change(hammer, tmp_path):
    tool = heft.payload(hammer / "shaken.csv", zero=True)
    assert any(path.endswith("zero.yaml") for path in tool.save(tmp_path / "zero"))
    for known in (tool, tool.as_tool):
        ball = heft.payload(hammer / "gripped.csv", known_tool=known)
        assert ball.mass == pytest.approx(payload_log.BALL, rel=0.01)
    of_file = heft.payload(hammer / "gripped.csv", config=tmp_path / "zero" / "zero.yaml")
    assert of_file.mass == pytest.approx(ball.mass, rel=1e-9)
    for changes in ("auto", [6.0]):
        both = heft.payload(hammer / "grasped.csv", changes=changes)
        assert both.stretches[1]["added"]["mass"] == pytest.approx(payload_log.BALL, rel=0.01)
    with pytest.raises(heft.HeftError, match="cannot be combined with a file"):
        heft.payload(hammer / "gripped.csv", known_tool=tool, config=tmp_path / "zero" / "zero.yaml")
    with pytest.raises(heft.HeftError, match="given twice"):
        heft.payload(hammer / "grasped.csv", changes="auto", config={"payload": {"changes": [6]}})


def test_a_sensor_on_a_link(arm, simulation, tmp_path):
    held = tmp_path / "held.csv"
    subprocess.run([sys.executable, SOURCE / "tools" / "demo" / "sensor_on_arm.py", simulation.directory / "held_out.csv", held], check=True)
    config = {"conditioning": {"lowpass_hz": 12}}
    ours = heft.payload(held, robot=arm, sensor_link="gripper", config=config)
    assert ours.mass == pytest.approx(1.2, rel=5e-3)
    (tmp_path / "both.yaml").write_text("conditioning: {lowpass_hz: 12}\n")
    run_program("payload", "--log", held, "--robot", ARM, "--sensor-link", "gripper", "--config", tmp_path / "both.yaml", "--out",
                tmp_path / "theirs")
    assert ours.to_dict()["payload"] == json.loads((tmp_path / "theirs" / "result.json").read_text())["payload"]
    with pytest.raises(heft.HeftError, match="gripper"):
        heft.payload(held, robot=arm, sensor_link="griper")
    with pytest.raises(heft.HeftError, match="is missing"):
        heft.payload(held, robot=arm)


def test_by_the_torques_of_joints(tmp_path):
    (tmp_path / "loaded.urdf").write_text(loaded_arm.loaded_arm())
    simulated = {"duration": 8, "held_out": 1, "perturbation": 0}
    empty = heft.simulate(ARM, tmp_path / "empty", **simulated)
    loaded = heft.simulate(tmp_path / "loaded.urdf", tmp_path / "loaded", trajectory_seed=2, **simulated)
    model = heft.identify(ARM, empty.train, config=SOURCE / "tools" / "demo" / "arm.yaml")
    carrying = heft.CarryingRobot(model, "gripper")
    held = heft.payload(loaded.train, model=carrying)
    assert held.mass == pytest.approx(loaded_arm.MASS, rel=0.02) and held.frame == "gripper" and held.bias is None
    model.save(tmp_path / "model")
    for same in (heft.payload(loaded.train, model=model, link="gripper"), heft.payload(loaded.train, model=tmp_path / "model", link="gripper")):
        assert same.to_dict()["payload"] == held.to_dict()["payload"]
    # arrays of the joints are a log as well
    table = loaded.train.read()
    joints = heft.Robot.from_urdf(ARM).joints
    log = heft.Log(table["t"], *(np.column_stack([table[f"{what}_{joint}"] for joint in joints]) for what in ("q", "tau")))
    assert heft.payload(log, model=carrying).mass == pytest.approx(held.mass, rel=1e-9)
    with pytest.raises(heft.HeftError, match="is missing"):
        heft.payload(loaded.train, model=model)
    with pytest.raises(heft.HeftError, match="cannot be combined with model"):
        heft.payload(loaded.train, model=carrying, robot=ARM, sensor_link="gripper")


def test_poses_to_take(arm, hammer):
    fresh = heft.payload_plan(poses=3)
    assert fresh.gravity.shape == (3, 3) and np.allclose(np.linalg.norm(fresh.gravity, axis=1), 9.81)
    assert fresh.postures == [] and "nothing yet" in str(fresh) and fresh.to_dict()["schema"] == "heft-payload-plan-1"
    taken = heft.payload_plan(hammer / "poses.csv", poses=1)
    assert taken.to_dict()["taken"] == 6
    assert list(heft.payload_plan(poses=2, robot=arm, sensor_link="gripper").postures[0]) == arm.joints
    with pytest.raises(heft.HeftError, match="1 to 100"):
        heft.payload_plan(poses=0)


class Shaken:
    """Four point masses on a sensor that rotates and shakes, in closed form: the force on each is its mass times its acceleration. `noise`
    [N] of forces; that of torques is a twentieth of it [N m]."""

    def __init__(self, seed, n=300, noise=0.01):
        rng = np.random.default_rng(seed)
        self.masses, self.places = rng.uniform(0.2, 0.8, 4), rng.uniform(-0.1, 0.1, (4, 3))
        t = self.t = 0.01 * np.arange(n)
        phase, rate = rng.uniform(0, 6, (2, 3)), np.array([2.3, 3.1, 4.3])
        self.w = np.sin(rate * t[:, None] + phase[0])
        self.wd = rate * np.cos(rate * t[:, None] + phase[0])
        self.u = np.array([5, 9, 6]) * np.sin(np.array([1.1, 0.7, 1.7]) * t[:, None] + phase[1])
        force, torque = np.zeros((n, 3)), np.zeros((n, 3))
        for m, p in zip(self.masses, self.places):
            carried = m * (self.u + np.cross(self.wd, p) + np.cross(self.w, np.cross(self.w, p)))
            force, torque = force + carried, torque + np.cross(p, carried)
        self.wrench = np.column_stack([force, torque])
        self.wrench += noise * rng.standard_normal(self.wrench.shape) * np.repeat([1, 0.05], 3)

    @property
    def arrays(self):
        return self.t, self.w, self.wd, self.u, self.wrench

    @property
    def mass(self):
        return self.masses.sum()

    @property
    def com(self):
        return self.masses @ self.places / self.mass


def test_a_batch_of_arrays():
    objects = [Shaken(seed) for seed in range(5)]
    config = {"payload": {"bias": "none"}}
    stacked = [np.array([getattr(o, name) for o in objects]) for name in ("w", "wd", "u", "wrench")]
    batch = heft.payload_batch(objects[0].t, *stacked, config=config, threads=2)
    assert batch.certified.all() and batch.failure == [None] * 5 and batch.parameters.shape == (5, 10)
    assert np.allclose(batch.mass, [o.mass for o in objects], rtol=1e-3)
    assert np.allclose(batch.com, [o.com for o in objects], atol=1e-3)
    # lists of arrays of any length, one after another; neighbors and threads change nothing
    again = heft.payload_batch([o.t for o in objects[:2]], *([getattr(o, name) for o in objects[:2]] for name in ("w", "wd", "u", "wrench")),
                               config=config, threads=1)
    assert np.array_equal(again.parameters, batch.parameters[:2])
    # a sensor that says the opposite, one object of which cannot be weighed
    stacked[3] = -stacked[3]
    stacked[3][3] *= -1
    turned = heft.payload_batch(objects[0].t, *stacked, config={"payload": {"bias": "none", "sign": -1}})
    assert turned.failure[3] and np.isnan(turned.parameters[3]).all() and not turned.certified[3]
    assert np.array_equal(np.delete(turned.parameters, 3, 0), np.delete(batch.parameters, 3, 0))
    with pytest.raises(heft.Stopped):
        heft.payload_batch(objects[0].t, *stacked, progress=lambda stage, fraction: False)


def test_a_batch_on_a_device():
    """With a device it solves there; without one, `cuda` is an error and `auto` is the CPU."""
    objects = [Shaken(seed) for seed in range(3)]
    arrays = [[getattr(o, name) for o in objects] for name in ("t", "w", "wd", "u", "wrench")]
    here = heft.payload_batch(*arrays)
    assert here.solves == []
    try:
        there = heft.payload_batch(*arrays, backend="cuda")
    except heft.HeftError as error:
        assert "CUDA" in str(error) and error.remedy
        there = heft.payload_batch(*arrays, backend="auto")
        assert there.solves == [] and np.array_equal(there.parameters, here.parameters)
    else:
        assert "cuda" in there.solves[0]["by"] and there.solves[0]["problems"] >= 3
        assert there.certified.all() and np.allclose(there.mass, here.mass, rtol=1e-6)
    with pytest.raises(heft.HeftError, match="backend: unknown choice 'gpu'.*\n.*one of: auto, cpu, cuda"):
        heft.payload_batch(*arrays, backend="gpu")


def test_arrays_that_are_none():
    o = Shaken(1)
    with pytest.raises(heft.HeftError, match=r"wd\[0\].*\(300, 2\).*\(n, 3\)"):
        heft.payload_batch(o.t, [o.w], [o.wd[:, :2]], [o.u], [o.wrench])
    with pytest.raises(heft.HeftError, match=r"object 0: u.*\(299, 3\).*\(300,\)"):
        heft.payload_batch(o.t, [o.w], [o.wd], [o.u[1:]], [o.wrench])
    with pytest.raises(heft.HeftError, match="2 objects, wrench has 1"):
        heft.payload_batch(o.t, [o.w, o.w], [o.wd], [o.u], [o.wrench])
    with pytest.raises(heft.HeftError, match="2 entries for 1 objects"):
        heft.payload_batch(o.t, [o.w], [o.wd], [o.u], [o.wrench], shape=["a.stl", "b.stl"])
    with pytest.raises(heft.HeftError, match="a.stl"):
        heft.payload_batch(o.t, [o.w], [o.wd], [o.u], [o.wrench], shape="a.stl")
    missing = o.w.copy()
    missing[5] = np.nan
    with pytest.raises(heft.HeftError, match="object 0.*finite"):
        heft.payload_batch(o.t, [missing], [o.wd], [o.u], [o.wrench])
    with pytest.warns(heft.ConversionNote, match="u is not float64"):
        heft.payload_batch(o.t, o.w[None], o.wd[None], o.u[None].astype(np.float32), o.wrench[None])


def test_a_follower():
    o = Shaken(7, 600, noise=0.1)
    follower = heft.PayloadFollower(100, config={"payload": {"bias": "none"}})
    with pytest.raises(heft.HeftError, match="not enough samples"):
        follower.update()
    for k in range(50):
        follower.add(*(array[k] for array in o.arrays))
    early = follower.update()
    follower.add(*(array[50:] for array in o.arrays))
    late = follower.update()
    assert (early.num_samples, late.num_samples) == (50, 600) and late.t == pytest.approx(5.99) and late.certified
    assert late.mass == pytest.approx(o.mass, rel=5e-3) and np.allclose(late.com, o.com, atol=2e-3)
    assert late.mass_interval[0] <= o.mass <= late.mass_interval[1]
    assert np.ptp(late.mass_interval) < np.ptp(early.mass_interval) and late.com_intervals.shape == (3, 2)
    assert np.linalg.eigvalsh(late.inertia).min() > 0
    with pytest.raises(heft.HeftError, match="does not increase"):
        follower.add(*(array[599] for array in o.arrays))
    with pytest.raises(heft.HeftError, match=r"w.*\(1, 2\).*\(n, 3\)"):
        follower.add(7.0, o.w[0, :2], o.wd[0], o.u[0], o.wrench[0])


def test_known_tools_are_taken_off_arrays():
    both, tool = Shaken(3), Shaken(3)
    m, p = tool.masses[0], tool.places[0]
    I = m * (p @ p * np.eye(3) - np.outer(p, p))
    known = {"parameters": [m, *(m * p), I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]]}
    config = {"payload": {"bias": "none", "known_tool": known}}
    batch = heft.payload_batch(both.t, both.w[None], both.wd[None], both.u[None], both.wrench[None], config=config)
    assert batch.mass[0] == pytest.approx(both.masses[1:].sum(), rel=1e-3)
    follower = heft.PayloadFollower(100, config=config)
    follower.add(*both.arrays)
    assert follower.update().mass == pytest.approx(both.masses[1:].sum(), rel=2e-3)
