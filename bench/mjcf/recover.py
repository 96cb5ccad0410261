#!/usr/bin/env python3
"""Robots simulated by MuJoCo with other inertia, armature, damping and frictionloss than their files: do the intervals contain the truth?

Usage: PYTHONPATH=python bench/mjcf/recover.py [--models 20] [--seconds 12] [--list FILE] [--json FILE]

Takes models with a fixed base and 2 to 9 turning or sliding joints from the packages that run.py names. Truth: arrays of the MjModel that
simulates. Counts base parameters and columns that the log determines. Exit codes: 0 all musts reached, 1 missed, 77 nothing to run on.
"""
import argparse
import pathlib
import sys
import time
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402
import run as comparison  # noqa: E402

NOISE = 0.005  # of a joint's rms torque


def is_suitable(read):
    model = read.model
    kinds = {joint.type for joint in read.joints if joint.moves}
    return (not read.floating_base and "floating" not in kinds and model.neq == 0 and 2 <= model.nv <= 9
            and all(joint.mjcf == joint.name for joint in read.joints if joint.moves)
            and not model.jnt_actgravcomp.any() and not read.lifts)


def changed(path, random):
    """The model with random inertia of moving bodies, armature, damping and frictionloss."""
    import mujoco

    mujoco.set_mju_user_warning(lambda words: None)  # else MuJoCo writes a file to the working directory
    model = mujoco.MjModel.from_xml_path(str(path))
    for body in range(1, model.nbody):
        if model.body_weldid[body] == body:
            factor = random.uniform(0.8, 1.25)
            model.body_mass[body] *= factor
            model.body_inertia[body] *= factor
            if not model.body_simple[body]:  # MuJoCo keeps a simple body simple
                size = (model.body_inertia[body].max() / model.body_mass[body]) ** 0.5
                model.body_ipos[body] += random.uniform(-0.1, 0.1, 3) * size
    for array, least in ((model.dof_armature, 0.0), (model.dof_damping, 0.01), (model.dof_frictionloss, 0.02)):
        array[:] = random.uniform(0.7, 1.4, model.nv) * (array + least * model.dof_M0)
    model.opt.timestep = 0.002
    for flag in ("CONTACT", "LIMIT", "ACTUATION"):
        model.opt.disableflags |= int(getattr(mujoco.mjtDisableBit, f"mjDSBL_{flag}"))
    mujoco.mj_setConst(model, mujoco.MjData(model))
    return model


def swung(model, seconds, random):
    """States and generalized forces of computed-torque control along sums of sines."""
    import mujoco
    import numpy as np

    data, count = mujoco.MjData(model), int(seconds / model.opt.timestep)
    states = [np.zeros((count, model.nv)) for _ in range(4)]
    w, phase = 2 * np.pi * random.uniform(0.15, 1.3, (model.nv, 5)), random.uniform(0, 2 * np.pi, (model.nv, 5))
    middle, size = np.zeros(model.nv), np.full(model.nv, 0.9)
    for joint in range(model.njnt):
        if model.jnt_limited[joint]:
            low, high = model.jnt_range[joint]
            middle[joint], size[joint] = 0.5 * (low + high), min(0.45 * (high - low), 0.9)
    amplitude = size[:, None] * np.array([0.4, 0.25, 0.15, 0.12, 0.08])
    push = np.zeros(model.nv)
    for k in range(count):
        angle = w * k * model.opt.timestep + phase
        q, qd = middle + (amplitude * np.sin(angle)).sum(1), (amplitude * w * np.cos(angle)).sum(1)
        qdd = -(amplitude * w * w * np.sin(angle)).sum(1)
        if k == 0:
            data.qpos[:], data.qvel[:] = q, qd
        data.qfrc_applied[:] = 0
        mujoco.mj_forward(model, data)
        mujoco.mj_mulM(model, data, push, qdd + 100 * (q - data.qpos) + 20 * (qd - data.qvel))
        data.qfrc_applied[:] = push + data.qfrc_bias - data.qfrc_passive + model.dof_frictionloss * np.tanh(data.qvel / 0.01)
        mujoco.mj_forward(model, data)
        for array, values in zip(states, (data.qpos, data.qvel, data.qacc, data.qfrc_applied)):
            array[k] = values
        mujoco.mj_step(model, data)
    return states


def true_values(read, model, robot):
    """Base parameters of the simulated model, and its columns by name."""
    import heft_robot as heft
    import mujoco
    from heft_robot.mjcf import _names, _text, _torques, _tree, _urdf

    tree = _tree.Tree(mujoco, model, _names.Names(mujoco, model, _text.NoText()))
    urdf = _urdf.write("truth", tree.links, {body.link: body for body in tree.bodies if body.link}, tree.joints)
    parameters = heft.Robot.from_urdf_text(urdf).prior.reshape(-1)
    priors = _torques.passive(mujoco, model, tree).priors
    for joint in robot.joints:
        key = f"reflected_inertia {joint}"
        priors[f"{_torques.CHANGE} {joint}"] = priors.get(key, 0.0) - read.priors.get(key, 0.0)
    return heft.observe(robot, channels=False).base_matrix @ parameters, priors


def recover(name, path, seconds, seed):
    """(quantities inside, quantities, seconds of identification, relative error) of one model; None where it is not suitable."""
    import heft_robot as heft
    import numpy as np
    from heft_robot import mjcf

    read = mjcf.read(path)
    if not is_suitable(read):
        return None
    random = np.random.default_rng(seed)
    model = changed(path, random)
    states = swung(model, seconds, random)
    if not np.isfinite(states[2]).all() or np.abs(states[2]).max() > 1e4:
        return None
    states[3] += NOISE * np.sqrt((states[3] ** 2).mean(0)) * random.normal(size=states[3].shape)
    robot = heft.Robot.from_mjcf(path)
    log = heft.Log.from_mujoco(model, *states)
    began = time.perf_counter()
    result = heft.identify(robot, log)
    took = time.perf_counter() - began
    base, columns = true_values(read, model, robot)
    quantities = result.to_dict()["uncertainty"]["base_parameters"]
    truth = [*base, *(columns.get(column["name"], 0.0) for column in result.to_dict()["columns"])]
    told = [(q, value) for q, value in zip(quantities, truth, strict=True) if q["half_width"] is not None]
    outside = [q["name"] for q, value in told if abs(q["estimate"] - value) > q["half_width"]]
    return len(told) - len(outside), len(told), took, outside


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=12)
    parser.add_argument("--list", help="file for one line a model")
    parser.add_argument("--json")
    options = parser.parse_args()
    heft_bench.require(["mujoco", "numpy", "heft_robot"], remedy="pip install mujoco, and the module in python/")
    import heft_robot as heft
    from heft_robot.mjcf import is_mjcf

    warnings.simplefilter("ignore")
    inside = total = 0
    lines, times, seen = [], [], set()
    for name, path in comparison.shipped():
        if len(lines) == options.models or not is_mjcf(path):
            continue
        content = path.read_bytes()
        try:
            found = None if content in seen else recover(name, path, options.seconds, len(lines))
        except heft.HeftError as error:
            print(f"left out: {name}: {error.what}")
            found = None
        seen.add(content)
        if found is not None:
            inside, total = inside + found[0], total + found[1]
            times.append(found[2])
            lines.append(f"{name}: {found[0]} of {found[1]}, {found[2]:.2f} s, outside: {', '.join(found[3])}\n")
    if not lines:
        print("nothing to run on: no suitable model is installed")
        return heft_bench.NOTHING_TO_RUN_ON
    if options.list:
        pathlib.Path(options.list).write_text("".join(lines))
    rows = heft_bench.Report()
    rows.add("models simulated with changed dynamics", len(lines), "", must=options.models)
    rows.add("identifiable quantities", total, "")
    rows.add("truth inside the 95 % interval", 100 * inside / max(total, 1), "%", must=90, goal=95)
    rows.add("identification, longest", max(times), "s")
    return rows.finish(options.json)


if __name__ == "__main__":
    sys.exit(main())
