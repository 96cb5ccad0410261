"""heft.Watcher: what the program prints of the same log, arrays of any kind, snapshots, baselines, and input that is refused."""
import json
import runpy
import subprocess
import sys
import threading
import types

import numpy as np
import pytest

import heft_robot as heft
from conftest import SOURCE

TIMED = ("age_ms", "latency_us", "certified")  # of the solver's thread and the clock


def untimed(lines):
    return [{key: value for key, value in line.items() if key not in TIMED} for line in lines]


@pytest.fixture(scope="module")
def model(result, tmp_path_factory):
    folder = tmp_path_factory.mktemp("watched") / "model"
    result.save(folder)
    return folder


@pytest.fixture(scope="module")
def damaged(arrays):
    """The training log with a missing number, a repeated time and a gap."""
    t, q, tau = (array[:5000].copy() for array in arrays)
    tau[2000, 3] = np.nan
    t[2500] = t[2499]
    t[4000:] += 1
    return t, q, tau


def program_lines(model, joints, t, q, tau, *flags):
    header = ",".join(["t", *(f"q_{joint}" for joint in joints), *(f"tau_{joint}" for joint in joints)])
    rows = "\n".join(",".join(map(repr, map(float, row))) for row in np.column_stack([t, q, tau]))
    done = subprocess.run([sys.executable, "-m", "heft_robot", "watch", "--model", model, *map(str, flags)], input=f"{header}\n{rows}\n",
                          capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_it_says_what_the_program_says(model, result, damaged, arm):
    theirs = program_lines(model, arm.joints, *damaged, "--every", 700, "--forget", 5)
    assert {line["type"] for line in theirs} == {"state", "error"} and len(theirs) > 9
    for given in (model, result, str(model / "result.json")):
        watcher = heft.Watcher(given, every=700, forget=5)
        assert watcher.joints == arm.joints and watcher.channels == arm.joints
        ours = [line for sample in zip(*damaged) for line in watcher.push(*sample)]
        ours += watcher.finish()
        assert untimed(ours) == untimed(theirs)
        assert list(ours[0]) == list(theirs[0]) and ours[-1]["certified"] and theirs[-1]["certified"]
        assert "finished" in repr(watcher) and watcher.finish() == []


def test_one_sample_or_many(model, arrays):
    t, q, tau = (array[:2000] for array in arrays)
    one = heft.Watcher(model, every=500)
    lines = [line for sample in zip(t, q, tau) for line in one.push(*sample)]
    many = heft.Watcher(model, every=500)
    got = many.push(t[:7], q[:7], tau[:7])
    assert got == []
    got = many.push(list(t[7:]), np.asfortranarray(q[7:]), tau[7:].tolist())
    assert untimed(got) == untimed(lines) and len(lines) == 4


def test_a_snapshot_goes_on(model, arrays, tmp_path):
    t, q, tau = (array[:4000] for array in arrays)
    whole = heft.Watcher(model)
    whole.push(t, q, tau)
    with heft.Watcher(model, snapshot=tmp_path / "watch.bin") as first:
        first.push(t[:2000], q[:2000], tau[:2000])
    second = heft.Watcher(model, snapshot=tmp_path / "watch.bin")
    second.push(t[2000:], q[2000:], tau[2000:])
    assert untimed(whole.finish()) == untimed(second.finish())
    with pytest.raises(heft.HeftError, match="another robot, model or options"):
        heft.Watcher(model, snapshot=tmp_path / "watch.bin", forget=60)


def test_lines_compare_parameters_with_a_baseline(model, result, arrays, arm, tmp_path):
    """Intervals of a result so wide that all parameters are within, then one that the parameter has left."""
    log = tuple(array[:2000] for array in arrays)
    document = json.loads((model / "result.json").read_text())
    intervals = {entry["name"]: entry for entry in document["uncertainty"]["parameters"]}
    for entry in intervals.values():
        entry["interval"] = [-1e6, 1e6]
    file = tmp_path / "baseline.json"
    for moved, verdict, left in ((None, "within", []), ("coulomb joint_2", "left", ["coulomb joint_2"])):
        if moved:
            intervals[moved]["interval"] = [1e5, 1e6]
        file.write_text(json.dumps(document))
        for given in (model, result):
            watcher = heft.Watcher(given, baseline=file)
            last = (watcher.push(*log) + watcher.finish())[-1]
            assert (last["verdict"], last["left"]) == (verdict, left)
        theirs = program_lines(model, arm.joints, *log, "--baseline", file)[-1]
        assert (theirs["verdict"], theirs["left"]) == (verdict, left)
    assert "verdict" not in heft.Watcher(model).push(*log)[-1]
    file.write_text(json.dumps(document | {"robot": "ur5"}))
    with pytest.raises(heft.HeftError, match="belongs to the robot 'ur5'"):
        heft.Watcher(model, baseline=file)
    with pytest.raises(heft.HeftError, match="absent.json"):
        heft.Watcher(model, baseline=tmp_path / "absent.json")


def test_threads_take_turns(model, arrays):
    t, q, tau = (array[:4000] for array in arrays)
    watcher = heft.Watcher(model)
    watcher.push(t[:100], q[:100], tau[:100])
    threads = [threading.Thread(target=watcher.push, args=(t, q, tau)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert watcher.finish()[-1]["type"] == "state"


def test_what_is_refused(model, arrays, tmp_path):
    t, q, tau = (array[:100] for array in arrays)
    watcher = heft.Watcher(model)
    for sample, words in (((t[0], q[0, :6], tau[0]), r"q: has shape \(6,\); expected \(7,\)"), ((t[0], q[0], tau), "tau: has shape"),
                          ((t, q[:50], tau), r"q: has shape \(50, 7\); expected \(100, 7\)"), ((t[0], ["a"] * 7, tau[0]), "q: ")):
        with pytest.raises(heft.HeftError, match=words):
            watcher.push(*sample)
    assert watcher.push(t[0], q[0], tau[0]) == []
    with pytest.raises(heft.HeftError, match="too few samples"):
        watcher.finish()
    with pytest.raises(heft.HeftError, match="has finished"):
        watcher.push(t[1], q[1], tau[1])
    with heft.Watcher(model):
        pass  # nothing to write, no complaint
    with pytest.raises(heft.HeftError, match="do not advance"):
        heft.Watcher(model).push(np.zeros(100), q, tau)
    for options, words in (({"forget": -1}, "forget: "), ({"forget": float("nan")}, "forget: "), ({"every": -1}, "every: ")):
        with pytest.raises(heft.HeftError, match=words):
            heft.Watcher(model, **options)
    with pytest.raises(heft.HeftError, match="nowhere"):
        heft.Watcher(tmp_path / "nowhere")


class StandInNode:
    """What the example asks of rclpy's Node."""

    options = {}

    def __init__(self, name):
        self.published, self.said = [], []

    def declare_parameter(self, name, value):
        return types.SimpleNamespace(value=self.options.get(name, value))

    def create_publisher(self, kind, topic, depth):
        return types.SimpleNamespace(publish=lambda message: self.published.append((topic, json.loads(message.data))))

    def create_subscription(self, kind, topic, callback, depth):
        self.topic = topic

    def get_logger(self):
        return types.SimpleNamespace(error=lambda text, **_: self.said.append(text), warning=self.said.append)


def test_the_node_of_ros_takes_joint_states(model, arrays, monkeypatch):
    """ROS is not here: its names are stood in for. Joints come in another order, with a joint that the model lacks."""
    path = SOURCE / "examples" / "ros2_watch.py"
    assert len(path.read_text().splitlines()) <= 60 and "NOT TESTED WITH ROS" in path.read_text()
    message = types.SimpleNamespace
    for name, content in (("rclpy", {}), ("rclpy.executors", {"ExternalShutdownException": Exception}), ("rclpy.node", {"Node": StandInNode}),
                          ("sensor_msgs", {}), ("sensor_msgs.msg", {"JointState": message}), ("std_msgs", {}), ("std_msgs.msg", {"String": message})):
        module = types.ModuleType(name)
        module.__dict__.update(content)
        monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(StandInNode, "options", {"model": str(model), "every": 500})
    node = runpy.run_path(str(path))["WatchNode"]()
    t, q, tau = (array[:2000] for array in arrays)
    names = ["gripper", *reversed(node.watcher.joints)]
    for time, positions, torques in zip(t, q, tau):
        stamp = types.SimpleNamespace(sec=1700000000 + int(time), nanosec=round(1e9 * (time % 1)))
        node.take(message(name=names, position=[0.0, *positions[::-1]], effort=[0.0, *torques[::-1]], header=types.SimpleNamespace(stamp=stamp)))
    watcher = heft.Watcher(model, every=500)
    theirs = watcher.push(t, q, tau)
    assert {topic for topic, _ in node.published} == {"heft/watch"} and node.topic == "joint_states" and not node.said
    assert [line["t"] for _, line in node.published] == pytest.approx([line["t"] for line in theirs], abs=1e-9)
    for (_, ours), line in zip(node.published, theirs):
        assert ours["error_relative"] == pytest.approx(line["error_relative"], rel=1e-4)
    node.take(message(name=names[:4], position=[0.0] * 4, effort=[0.0] * 4, header=None))
    assert "joint_states without ['joint_1'" in node.said[0]
