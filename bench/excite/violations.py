"""Whether exported files keep their limits, checked by other programs: positions, velocities, accelerations, jerks and torques of
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


def limits_of(model, scales=None, acceleration=None, jerk=None):
    """Limits of the robot file, read by Pinocchio: joint -> {kind: (middle, limit)}. Where the file has none, Heft assumes those of
    docs/excitation.md: the velocity within 0.25 s, and that acceleration within 0.05 s."""
    scales = {"position": 1, "velocity": 1, "acceleration": 1, "jerk": 1, "torque": 1, **(scales or {})}
    limits = {}
    for k in range(model.nv):
        lower, upper = model.lowerPositionLimit[k], model.upperPositionLimit[k]
        velocity = model.velocityLimit[k]
        own = {"velocity": velocity, "acceleration": 4 * velocity if acceleration is None else acceleration[k]}
        own["jerk"] = 20 * own["acceleration"] if jerk is None else jerk[k]
        own["torque"] = model.effortLimit[k]
        limits[model.names[k + 1]] = {"position": ((lower + upper) / 2, scales["position"] * (upper - lower) / 2)} | {
            kind: (0.0, scales[kind] * size) for kind, size in own.items()}
    return limits


def worst_ratio(urdf, folder, **given):
    """The largest |value| / limit over all limits of the robot file, and its name; torques include the file's friction. `given`: as in
    limits_of. For robots whose joints each have one coordinate."""
    columns = table(folder / "trajectory.csv")
    step = columns["t"][1] - columns["t"][0]
    model = pinocchio.buildModelFromUrdf(str(urdf))
    data = model.createData()
    joints = [model.names[i] for i in range(1, model.njoints)]
    q, qd, qdd = (np.column_stack([columns[stem + joint] for joint in joints]) for stem in ("q_", "qd_", "qdd_"))
    torque = np.array([pinocchio.rnea(model, data, *state) for state in zip(q, qd, qdd)]) + friction(model, qd)
    # the mean over a step is no more than the largest; twelve digits of the file are lost in it
    jerk = np.maximum(0, np.abs(np.diff(qdd, axis=0)) - 2e-11 * np.abs(qdd).max(0)) / step
    values = {"position": q, "velocity": qd, "acceleration": qdd, "jerk": jerk, "torque": torque}
    worst = (0.0, "")
    for k, joint in enumerate(joints):
        for kind, (middle, limit) in limits_of(model, **given)[joint].items():
            ratio = float(np.abs(values[kind][:, k] - middle).max() / limit)
            if ratio > worst[0]:
                worst = (ratio, f"{kind} of {joint}")
    return worst


def clearance(urdf, folder, package, every, floor=None):
    """{"value", "pair", "at_s"} from coal."""
    words = [sys.executable, PEER, urdf, folder / "trajectory.csv", "--package-path", package, "--every", every, "--within", 0.03]
    if floor is not None:
        words += ["--floor", floor]
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(done.stderr)
    return json.loads(done.stdout)
