"""Whether exported files keep their limits, as others read them: positions, velocities, accelerations, jerks and torques of
trajectory.csv at its rate by numpy and Pinocchio, clearances by Pinocchio and coal."""
import csv
import json
import pathlib
import subprocess
import sys

import numpy as np
import pinocchio

PEER = pathlib.Path(__file__).resolve().parents[2] / "tests" / "tools" / "clearance_peer.py"


def table(path):
    with open(path) as file:
        reader = csv.reader(file)
        head = next(reader)
        values = np.array([[float(x) for x in row] for row in reader])
    return {name: values[:, i] for i, name in enumerate(head)}


def friction(model, qd, width=0.08):
    """Of the file's <dynamics>, Coulomb friction smooth as Heft's is."""
    dry = model.upperDryFrictionLimit if hasattr(model, "upperDryFrictionLimit") else model.friction
    return model.damping * qd + dry * np.tanh(qd / width)


def worst_ratio(urdf, folder, skip_torque=False):
    """The largest of |value| / limit over all limits of design.json, and which it is; torques as the file has them, friction too."""
    design = json.loads((folder / "design.json").read_text())
    columns = table(folder / "trajectory.csv")
    step = columns["t"][1] - columns["t"][0]
    model = pinocchio.buildModelFromUrdf(str(urdf))
    data = model.createData()
    joints = [model.names[i] for i in range(1, model.njoints)]
    worst = (0.0, "")
    torque = None
    for use in design["limits"]:
        joint, name, limit = use["joint"], use["name"], use["limit"]
        if limit is None or limit == 0:
            continue
        if name == "jerk":  # the mean over a step is no more than the largest; twelve digits of the file are lost in it
            value = np.abs(np.diff(columns["qdd_" + joint])) / step - 2e-11 * np.abs(columns["qdd_" + joint]).max() / step
        elif name == "torque":
            if skip_torque or any(f"q_{j}" not in columns for j in joints) or model.nq != model.nv:
                continue
            if torque is None:
                q, qd, qdd = (np.column_stack([columns[stem + j] for j in joints]) for stem in ("q_", "qd_", "qdd_"))
                torque = np.array([pinocchio.rnea(model, data, *state) for state in zip(q, qd, qdd)]) + friction(model, qd)
            value = np.abs(torque[:, joints.index(joint)])
        else:
            value = np.abs(columns[{"position": "q_", "velocity": "qd_", "acceleration": "qdd_"}[name] + joint] - use.get("middle", 0))
        ratio = float(value.max() / limit)
        if ratio > worst[0]:
            worst = (ratio, f"{name} of {joint}")
    return worst


def clearance(urdf, folder, package, every, floor=None):
    """{"value", "pair", "at_s"} by coal."""
    words = [sys.executable, PEER, urdf, folder / "trajectory.csv", "--package-path", package, "--every", every, "--within", 0.03]
    if floor is not None:
        words += ["--floor", floor]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)
