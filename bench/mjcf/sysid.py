#!/usr/bin/env python3
"""Heft and mujoco.sysid on the same log of the same arm: wall time, and torque error on a held-out log.

Usage: PYTHONPATH=python bench/mjcf/sysid.py --sysid-python PATH [--seconds 4] [--part 0.5] [--iterations 200] [--json FILE]

PATH: an interpreter with `pip install "mujoco[sysid]"`, of its own version. MuJoCo simulates an arm of seven joints whose masses,
centers of mass, inertias, armature, damping and frictionloss differ from its file; 0.5 % noise is added to the logged torques. Both
start from the file and see the same training log; mujoco.sysid simulates parts of it, --part seconds each. Bodies differ only in
mass, center of mass and one factor of inertia, which suits mujoco.sysid. Both answers are MJCF files, judged by MuJoCo alone:
mj_inverse at the held-out log's states against the true torques. Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on.
"""
import argparse
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402

#: axis, length [m], mass [kg], armature, damping, frictionloss of every joint and the body that it moves
JOINTS = (("0 0 1", 0.20, 3.5, 0.30, 1.0, 0.8), ("0 1 0", 0.25, 3.0, 0.30, 1.0, 0.8), ("0 0 1", 0.20, 2.4, 0.20, 0.8, 0.6),
          ("0 -1 0", 0.25, 2.2, 0.20, 0.8, 0.6), ("0 0 1", 0.15, 1.6, 0.10, 0.4, 0.3), ("0 1 0", 0.12, 1.3, 0.10, 0.4, 0.3),
          ("0 0 1", 0.10, 0.7, 0.05, 0.3, 0.2))
NOISE = 0.005  # of a joint's rms torque


def arm():
    """The file: bodies along z, with explicit inertia, motors, and sensors for mujoco.sysid."""
    bodies = "".join(
        f'<body name="link{k}" pos="0 0 {JOINTS[k - 2][1] if k > 1 else 0.1}"><joint name="j{k}" axis="{axis}" armature="{armature}" '
        f'damping="{damping}" frictionloss="{friction}"/><inertial pos="0.01 -0.02 {length / 2}" mass="{mass}" '
        f'diaginertia="{mass * length**2 / 9:.5f} {mass * length**2 / 10:.5f} {mass * length**2 / 15:.5f}"/>'
        for k, (axis, length, mass, armature, damping, friction) in enumerate(JOINTS, 1)) + len(JOINTS) * "</body>"
    names = [f"j{k}" for k in range(1, len(JOINTS) + 1)]
    motors = "".join(f'<motor name="m_{name}" joint="{name}"/>' for name in names)
    sensors = "".join(f'<joint{kind} name="{name}_{kind}" joint="{name}"/>' for kind in ("pos", "vel") for name in names)
    return (f'<mujoco model="arm"><option timestep="0.002"><flag contact="disable"/></option><worldbody>{bodies}</worldbody>'
            f"<actuator>{motors}</actuator><sensor>{sensors}</sensor></mujoco>")


def changed(text, random):
    """The robot as it is: another MjModel."""
    import mujoco

    model = mujoco.MjModel.from_xml_string(text)
    for body in range(1, model.nbody):
        factor = random.uniform(0.75, 1.3)
        model.body_mass[body] *= factor
        model.body_inertia[body] *= factor
        model.body_ipos[body] += random.uniform(-0.02, 0.02, 3)
    for array in (model.dof_armature, model.dof_damping, model.dof_frictionloss):
        array *= random.uniform(0.7, 1.4, model.nv)
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def simulate(model, seconds, random):
    """qpos, qvel, qacc, torque (n, 7) of computed-torque control along sums of sines."""
    import mujoco
    import numpy as np

    data, count, n = mujoco.MjData(model), int(seconds / model.opt.timestep), model.nv
    w, phase = 2 * np.pi * random.uniform(0.15, 1.3, (n, 5)), random.uniform(0, 2 * np.pi, (n, 5))
    amplitude, push = np.array([0.4, 0.25, 0.15, 0.12, 0.08]), np.zeros(n)
    states = [np.zeros((count, n)) for _ in range(4)]
    for k in range(count):
        angle = w * k * model.opt.timestep + phase
        q, qd, qdd = (amplitude * np.sin(angle)).sum(1), (amplitude * w * np.cos(angle)).sum(1), -(amplitude * w * w * np.sin(angle)).sum(1)
        if k == 0:
            data.qpos[:], data.qvel[:] = q, qd
        data.ctrl[:] = 0
        mujoco.mj_forward(model, data)
        mujoco.mj_mulM(model, data, push, qdd + 100 * (q - data.qpos) + 20 * (qd - data.qvel))
        data.ctrl[:] = push + data.qfrc_bias - data.qfrc_passive + model.dof_frictionloss * np.tanh(data.qvel / 0.01)
        mujoco.mj_forward(model, data)
        for array, values in zip(states, (data.qpos, data.qvel, data.qacc, data.qfrc_actuator)):
            array[k] = values
        mujoco.mj_step(model, data)
    return states


def torque_error(path, states):
    """|mj_inverse - true torque| / |true torque| over a log, of an MJCF file, in percent."""
    import mujoco
    import numpy as np

    model = mujoco.MjModel.from_xml_path(str(path))
    data, found = mujoco.MjData(model), np.zeros_like(states[3])
    for k, (qpos, qvel, qacc) in enumerate(zip(*states[:3])):
        data.qpos[:], data.qvel[:], data.qacc[:] = qpos, qvel, qacc
        mujoco.mj_inverse(model, data)
        found[k] = data.qfrc_inverse
    return 100 * float(np.linalg.norm(found - states[3]) / np.linalg.norm(states[3]))


def by_heft(folder, model, states):
    """Seconds from file and arrays to identified.xml, seconds of processors, and its path. The first of two calls loads
    libraries and does not count."""
    import heft_robot as heft
    from heft_robot import mjcf

    for _ in range(2):
        began, worked = time.perf_counter(), time.process_time()
        result = heft.identify(folder / "arm.xml", heft.Log.from_mujoco(model, *states))
        path, _ = mjcf.write(mjcf.read(folder / "arm.xml"), result.to_dict(), folder / "heft")
        took = time.perf_counter() - began, time.process_time() - worked
    return (*took, path)


def by_sysid(folder, python, part, iterations):
    """found.json of sysid_fit.py, or None and the reason."""
    command = [python, str(HERE / "sysid_fit.py"), str(folder), str(part), str(iterations)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    if done.returncode:
        return None, " ".join(done.stderr.strip().splitlines()[-1:])
    return json.loads((folder / "found.json").read_text()), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sysid-python")
    parser.add_argument("--seconds", type=float, default=4)
    parser.add_argument("--part", type=float, default=0.5)
    parser.add_argument("--iterations", type=int, default=200, help="the most that mujoco.sysid makes; 200 is its own limit")
    parser.add_argument("--json")
    options = parser.parse_args()
    heft_bench.require(["mujoco", "numpy", "heft_robot"], remedy="pip install mujoco, and the module in python/")
    if options.sysid_python is None:
        print('nothing to run on: name an interpreter that has mujoco.sysid (pip install "mujoco[sysid]"): --sysid-python PATH')
        return heft_bench.NOTHING_TO_RUN_ON
    import mujoco
    import numpy as np

    warnings.simplefilter("ignore")
    random = np.random.default_rng(1)
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "arm.xml").write_text(arm())
        truth = changed(arm(), random)
        train, held_out = (simulate(truth, options.seconds, random) for _ in range(2))
        train[3] += NOISE * np.sqrt((train[3] ** 2).mean(0)) * random.normal(size=train[3].shape)
        t = truth.opt.timestep * np.arange(len(train[0]))
        np.savez(folder / "train.npz", t=t, qpos=train[0], qvel=train[1], torque=train[3])
        found, reason = by_sysid(folder, options.sysid_python, options.part, options.iterations)
        if found is None or "seconds" not in found:
            print(f"nothing to run on: mujoco.sysid of {options.sysid_python}: {reason or found}")
            return heft_bench.NOTHING_TO_RUN_ON
        ours, worked, path = by_heft(folder, mujoco.MjModel.from_xml_path(str(folder / "arm.xml")), train)
        errors = [torque_error(file, held_out) for file in (folder / "arm.xml", path, folder / "found.xml")]
    for way, words in found["tried"].items():
        print(f"mujoco.sysid {found['version']} cannot apply inertias of the type {way}: {words}")
    print(f"mujoco.sysid {found['version']} fits {found['parameters']} parameters, inertias of the type {found['inertia']}")
    rows = heft_bench.Report()
    rows.add("mujoco.sysid", found["seconds"], "s")
    rows.add("Heft", ours, "s")
    rows.add("Heft is faster", found["seconds"] / ours, "times", must=50, goal=200)
    rows.add("mujoco.sysid, time of processors", found["cpu_seconds"], "s")
    rows.add("Heft, time of processors", worked, "s")
    rows.add("held-out torque error, the file", errors[0], "%")
    rows.add("held-out torque error, mujoco.sysid", errors[2], "%")
    rows.add("held-out torque error, Heft", errors[1], "%", must=errors[2], smaller_is_better=True)
    return rows.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
