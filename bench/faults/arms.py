"""Logs of simulated arms by Pinocchio: a robot that is not quite its URDF, friction, noise, an encoder. Not by Heft's simulator."""

import numpy as np
import pinocchio

RATE_HZ, TRAIN_S, HELD_OUT_S = 250, 20.0, 10.0
HARMONICS = 5
CONFIGURATION = """robot: {gravity: [0, 0, -9.81]}
conditioning: {lowpass_hz: 10, keep_every: 2}
columns: [viscous, coulomb: {tanh_width: 0.05}, offset, reflected_inertia]
"""


def perturbed(model, random, size=0.1):
    """The same robot with every body's mass, centre of mass and inertia off by about `size`, all still physical."""
    model = model.copy()
    for k in range(1, model.njoints):
        pseudo = pinocchio.PseudoInertia.FromInertia(model.inertias[k]).toMatrix()
        change = np.eye(4) + size * random.standard_normal((4, 4)) * np.array([[1, 1, 1, .05]] * 3 + [[0, 0, 0, 1]])
        inertia = pinocchio.PseudoInertia.FromMatrix(change @ pseudo @ change.T).toInertia()
        model.inertias[k] = inertia
    return model


def motion(model, duration, random):
    """q, qd, qdd by a Fourier series at rest on average, within nine tenths of the limits of position and two thirds of speed."""
    t = np.arange(int(duration * RATE_HZ)) / RATE_HZ
    q, qd, qdd = (np.zeros((len(t), model.nq)) for _ in range(3))
    for k in range(model.nq):
        a, b = random.standard_normal((2, HARMONICS))
        for h in range(1, HARMONICS + 1):
            w = 2 * np.pi * h / 10.0
            q[:, k] += (a[h - 1] * np.sin(w * t) + b[h - 1] * np.cos(w * t)) / h
            qd[:, k] += w * (a[h - 1] * np.cos(w * t) - b[h - 1] * np.sin(w * t)) / h
            qdd[:, k] -= w * w * (a[h - 1] * np.sin(w * t) + b[h - 1] * np.cos(w * t)) / h
        lower, upper = model.lowerPositionLimit[k], model.upperPositionLimit[k]
        lower, upper = max(lower, -2.5), min(upper, 2.5)
        reach = 0.45 * (upper - lower)
        speed = min(model.velocityLimit[k], 3.0)
        scale = min(reach / np.ptp(q[:, k]) * 2, 0.67 * speed / np.abs(qd[:, k]).max())
        middle = 0.5 * (lower + upper) - 0.5 * scale * (q[:, k].max() + q[:, k].min())
        q[:, k] = middle + scale * q[:, k]
        qd[:, k] *= scale
        qdd[:, k] *= scale
    return t, q, qd, qdd


class Arm:
    """A robot file and the robot that moves by it."""

    def __init__(self, urdf, seed):
        self.urdf = urdf
        self.nominal = pinocchio.buildModelFromUrdf(str(urdf))
        random = np.random.default_rng(seed)
        self.joints = [self.nominal.names[k] for k in range(1, self.nominal.njoints)]
        self.true = perturbed(self.nominal, random)
        size = self.gravity_scale()
        self.coulomb = size * random.uniform(.02, .06, self.true.nq)
        self.viscous = size * random.uniform(.02, .06, self.true.nq)
        self.rotor = random.uniform(.02, .2, self.true.nq) * size / 50

    def gravity_scale(self):
        data = self.nominal.createData()
        random = np.random.default_rng(1)
        poses = random.uniform(np.maximum(self.nominal.lowerPositionLimit, -2.5),
                               np.minimum(self.nominal.upperPositionLimit, 2.5), (20, self.nominal.nq))
        torques = [np.abs(pinocchio.computeGeneralizedGravity(self.nominal, data, q)) for q in poses]
        return np.maximum(np.mean(torques, axis=0), 0.5)

    def log(self, duration, random, moves=motion):
        """A table: header and numbers."""
        model = self.true
        data = model.createData()
        t, q, qd, qdd = moves(model, duration, random)
        torque = np.array([pinocchio.rnea(model, data, *row) for row in zip(q, qd, qdd)])
        torque += self.viscous * qd + self.coulomb * np.tanh(qd / 0.03) + self.rotor * qdd
        torque += 0.01 * torque.std(axis=0) * random.standard_normal(torque.shape)
        q = q + 2e-5 * random.standard_normal(q.shape)
        header = ["t"] + [f"q_{j}" for j in self.joints] + [f"tau_{j}" for j in self.joints]
        return header, np.column_stack([t, q, torque])
