"""Logs of the demo arm, with a dynamics that is not ours: Pinocchio's, friction and encoders added here. Prints JSON.

    simulated.py FOLDER encoders BITS SEED
    simulated.py FOLDER judged RESULT [bounds]
    simulated.py FOLDER contact SECONDS EVERY NEWTONS BITS SEED

Exit code 77: no Pinocchio.
"""

import json
import pathlib
import sys

try:
    import numpy as np
    import pinocchio
except ImportError:
    sys.exit(77)

ARM = pathlib.Path(__file__).resolve().parents[2] / "tools" / "demo" / "arm.urdf"
VISCOUS, COULOMB, WIDTH = 0.8, 2.0, 0.05  # of the first joint; outward ones have less
TORQUE_NOISE = 0.01  # of the rms torque of a joint


def friction_scale(joints):
    return 1 / (1 + np.arange(joints))


def motion(rng, joints, seconds, rate, fastest=0.5):
    """Series of five sines per joint: t, q, qd, qdd."""
    t = np.arange(int(seconds * rate)) / rate
    q, v, a = (np.zeros((len(t), joints)) for _ in range(3))
    for k in range(joints):
        for h in range(1, 6):
            w = 2 * np.pi * fastest * h / 5 * rng.uniform(0.8, 1.0)
            size, phase = rng.normal() * 0.8 / h, rng.uniform(0, 2 * np.pi)
            q[:, k] += size * np.sin(w * t + phase)
            v[:, k] += size * w * np.cos(w * t + phase)
            a[:, k] -= size * w * w * np.sin(w * t + phase)
    return t, q, v, a


def torques(model, q, v, a, push=None):
    """The motor torques, where `push` (a force on the last frame in the world's axes, sample by sample) helps or hinders."""
    data = model.createData()
    scale = friction_scale(model.nv)
    tau = np.empty_like(q)
    hand = model.njoints - 1
    for i in range(len(q)):
        tau[i] = pinocchio.rnea(model, data, q[i], v[i], a[i])
        if push is not None and np.any(push[i]):
            J = pinocchio.computeJointJacobian(model, data, q[i], hand)
            R = data.oMi[hand].rotation
            tau[i] -= J[:3].T @ (R.T @ push[i])
    return tau + scale * (VISCOUS * v + COULOMB * np.tanh(v / WIDTH))


def encoded(q, bits):
    step = 2 * np.pi / 2**bits
    return step * np.round(q / step)


def write(path, t, q, tau, names):
    header = ",".join(["t", *(f"q_{n}" for n in names), *(f"tau_{n}" for n in names)])
    np.savetxt(path, np.column_stack([t, q, tau]), delimiter=",", header=header, comments="", fmt="%.9g")


def log(path, model, rng, seconds, bits, push=None, rate=1000, noise=TORQUE_NOISE, of=None):
    """One log; `push(t, rng)` gives forces. Returns t and the noise-free torque."""
    t, q, v, a = of if of is not None else motion(rng, model.nv, seconds, rate)
    tau = torques(model, q, v, a, push)
    noisy = tau + noise * tau.std(axis=0) * rng.standard_normal(tau.shape)
    write(path, t, encoded(q, bits) if bits else q, noisy, model.names[1:])
    return t, tau


def predicted_by(result_folder, q, v, a):
    """Torques of a result: identified.urdf in Pinocchio, with friction added here."""
    folder = pathlib.Path(result_folder)
    result = json.loads((folder / "result.json").read_text())
    model = pinocchio.buildModelFromUrdf(str(folder / "identified.urdf"))
    data = model.createData()
    predicted = np.array([pinocchio.rnea(model, data, *state) for state in zip(q, v, a)])
    features = {"viscous": v, "coulomb": np.tanh(v / WIDTH), "offset": np.ones_like(v)}
    for column in result["columns"]:
        joint = model.names.tolist().index(column["joints"][0]) - 1
        predicted[:, joint] += column["value"] * features[column["kind"]][:, joint]
    return predicted


def relative(predicted, torque):
    return 100 * np.linalg.norm(predicted - torque) / np.linalg.norm(torque)


def lowpassed(x, cutoff, rate=1000):
    """Butterworth of order four forward and backward, as its response in the frequencies of the signal mirrored at both ends."""
    mirrored = np.concatenate([2 * x[0] - x[:0:-1], x, 2 * x[-1] - x[-2::-1]])
    response = 1 / (1 + (np.fft.rfftfreq(len(mirrored), 1 / rate) / cutoff) ** 8)
    smooth = np.fft.irfft(np.fft.rfft(mirrored, axis=0) * response[:, None], len(mirrored), axis=0)
    return smooth[len(x) - 1:2 * len(x) - 1]


def read_log(path, cutoff=12):
    """The log as recorded, with noise and encoders: q, qd, qdd below a frequency, and the torque unchanged."""
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    joints = (table.shape[1] - 1) // 2
    t, q = table[:, 0], lowpassed(table[:, 1:1 + joints], cutoff)
    v = np.gradient(q, t, axis=0)
    return q, v, np.gradient(v, t, axis=0), table[:, 1 + joints:]


def held_out_below(predicted, torque, cutoff):
    """Both sides of a log's equation below a frequency."""
    inner = slice(500, -500)
    return relative(lowpassed(predicted, cutoff)[inner], lowpassed(torque, cutoff)[inner])


def bounds_over(log, predicted, cutoff=12):
    """Errors on the log itself over those of a prediction: of the robot that was simulated, and of the parameters that fit this log
    best."""
    inner = slice(500, -500, 4)
    q, v, a = (x[inner] for x in log[:3])
    torque = lowpassed(log[3], cutoff)[inner]
    model = pinocchio.buildModelFromUrdf(str(ARM))
    data = model.createData()
    joints = model.nv
    rows = np.zeros((len(q), joints, 10 * joints + 3 * joints))
    for i, state in enumerate(zip(q, v, a)):
        rows[i, :, :10 * joints] = pinocchio.computeJointTorqueRegressor(model, data, *state)
    for joint in range(joints):
        for k, feature in enumerate((v, np.tanh(v / WIDTH), np.ones_like(v))):
            rows[:, joint, 10 * joints + 3 * joint + k] = feature[:, joint]
    matrix = rows.reshape(-1, rows.shape[2])
    best = np.linalg.lstsq(matrix, torque.ravel(), rcond=None)[0]
    error = relative(predicted[inner], torque)
    return {"truth": relative(torques(model, q, v, a), torque) / error, "least": relative(matrix @ best, torque.ravel()) / error}


def encoders(folder, bits, seed):
    """train.csv and held_out.csv through encoders; exact.npz is the held-out motion without."""
    model = pinocchio.buildModelFromUrdf(str(ARM))
    rng = np.random.default_rng(seed)
    log(folder / "train.csv", model, rng, 40, bits)
    t, q, v, a = of = motion(rng, model.nv, 30, 1000)
    _, torque = log(folder / "held_out.csv", model, rng, 30, bits, of=of)
    few = slice(500, -500, 10)
    np.savez(folder / "exact.npz", q=q[few], v=v[few], a=a[few], torque=torque[few])
    return {}


def judged(folder, answer, with_bounds):
    exact = np.load(folder / "exact.npz")
    log = read_log(folder / "held_out.csv")
    predicted = predicted_by(answer, *log[:3])
    return {"error": relative(predicted_by(answer, exact["q"], exact["v"], exact["a"]), exact["torque"]),
            **(bounds_over(log, predicted) if with_bounds else {}),
            **{f"below_{cutoff}_hz": held_out_below(predicted, log[3], cutoff) for cutoff in (6, 3)}}


def contact(folder, seconds, every, newtons, bits, seed):
    """contact.csv: every `every` seconds (0: never) a push of 0.3 s in a random direction on the hand. Returns the times at which they
    begin."""
    model = pinocchio.buildModelFromUrdf(str(ARM))
    rng = np.random.default_rng(seed)
    t, q, v, a = of = motion(rng, model.nv, seconds, 1000)
    push = np.zeros((len(t), 3))
    begins = np.arange(3.0, seconds - 2, every).tolist() if every > 0 else []
    for begin in begins:
        direction = rng.standard_normal(3)
        push[(t >= begin) & (t < begin + 0.3)] = newtons * direction / np.linalg.norm(direction)
    log(folder / "contact.csv", model, rng, seconds, bits, push=push, of=of)
    return {"begins": begins, "lasts": 0.3}


def main():
    folder, what, *numbers = pathlib.Path(sys.argv[1]), *sys.argv[2:]
    if what == "judged":
        answer = judged(folder, numbers[0], "bounds" in numbers[1:])
    else:
        answer = {"encoders": encoders, "contact": contact}[what](folder, *(float(x) if "." in x else int(x) for x in numbers))
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
