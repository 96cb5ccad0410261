"""Logs of simulated arms from Pinocchio, not from Heft's simulator: a robot that differs from its URDF, friction, noise, an encoder."""

import numpy as np
import pinocchio

RATE_HZ, TRAIN_S, HELD_OUT_S = 250, 20.0, 10.0
HARMONICS = 5
CONFIGURATION = """robot: {gravity: [0, 0, -9.81]}
conditioning: {lowpass_hz: 10, keep_every: 2}
columns: [viscous, coulomb: {tanh_width: 0.05}, offset, reflected_inertia]
"""


def perturbed(model, random, size=0.1):
    """The same robot with every body's mass, center of mass and inertia off by about `size`, all physically consistent."""
    model = model.copy()
    for k in range(1, model.njoints):
        pseudo = pinocchio.PseudoInertia.FromInertia(model.inertias[k]).toMatrix()
        change = np.eye(4) + size * random.standard_normal((4, 4)) * np.array([[1, 1, 1, .05]] * 3 + [[0, 0, 0, 1]])
        inertia = pinocchio.PseudoInertia.FromMatrix(change @ pseudo @ change.T).toInertia()
        model.inertias[k] = inertia
    return model


def motion(model, duration, random, rate_hz=RATE_HZ):
    """q, qd, qdd of a Fourier series, within nine tenths of the position limits and two thirds of the velocity limits."""
    t = np.arange(int(duration * rate_hz)) / rate_hz
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


class Kinematics:
    """Joint torques for a force at the last link and for gravity, by the robot's file."""

    def __init__(self, urdf, num_joints):
        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data, self.num_joints = self.model.createData(), num_joints

    def by_force(self, positions, force):
        """Torques, samples x joints, for positions of the first joints [rad]."""
        torques = []
        for row in positions:
            q = pinocchio.neutral(self.model)
            q[:self.num_joints] = row
            pinocchio.computeJointJacobians(self.model, self.data, q)
            jacobian = pinocchio.getJointJacobian(self.model, self.data, self.num_joints, pinocchio.LOCAL_WORLD_ALIGNED)
            torques.append((jacobian[:3].T @ force)[:self.num_joints])
        return np.array(torques)

    def gravity(self, positions):
        """Torques, samples x joints, for positions of the first joints [rad]."""
        torques = []
        for row in positions:
            q = pinocchio.neutral(self.model)
            q[:self.num_joints] = row
            torques.append(pinocchio.computeGeneralizedGravity(self.model, self.data, q)[:self.num_joints].copy())
        return np.array(torques)


def colored(shape, random, seconds=0.02, rate_hz=RATE_HZ):
    """Noise of variance one with this correlation time."""
    kept = np.exp(-1 / (rate_hz * seconds)) if seconds > 0 else 0
    noise = random.standard_normal(shape)
    for k in range(1, len(noise)):
        noise[k] = kept * noise[k - 1] + np.sqrt(1 - kept**2) * noise[k]
    return noise


class Arm:
    """A robot file and the robot that moves. With `friction_share`, the friction of every joint is a random share of its torque (rms) up to
    that, drawn by the seed."""

    def __init__(self, urdf, seed, friction_share=None, rate_hz=RATE_HZ):
        self.urdf, self.rate_hz = urdf, rate_hz
        self.nominal = pinocchio.buildModelFromUrdf(str(urdf))
        random = np.random.default_rng(seed)
        self.joints = [self.nominal.names[k] for k in range(1, self.nominal.njoints)]
        self.true = perturbed(self.nominal, random)
        size = self.gravity_scale()
        self.coulomb = size * random.uniform(.02, .06, self.true.nq)
        self.viscous = size * random.uniform(.02, .06, self.true.nq)
        self.rotor = random.uniform(.02, .2, self.true.nq) * size / 50
        if friction_share is not None:
            self.draw_friction(random.uniform(0, friction_share, self.true.nq), random)

    def draw_friction(self, share, random):
        """Coulomb and viscous friction with these shares of the torques' rms on a separate motion."""
        _, q, qd, qdd = motion(self.true, 10.0, random, 50)
        data = self.true.createData()
        bodies = np.array([pinocchio.rnea(self.true, data, *row) for row in zip(q, qd, qdd)]) + self.rotor * qdd
        size = share / np.sqrt(1 - share**2) * np.sqrt((bodies**2).mean(axis=0))
        of_coulomb = random.uniform(.4, .9, self.true.nq)
        self.coulomb = of_coulomb * size
        self.viscous = (1 - of_coulomb) * size / np.sqrt((qd**2).mean(axis=0))

    def gravity_scale(self):
        data = self.nominal.createData()
        random = np.random.default_rng(1)
        poses = random.uniform(np.maximum(self.nominal.lowerPositionLimit, -2.5),
                               np.minimum(self.nominal.upperPositionLimit, 2.5), (20, self.nominal.nq))
        torques = [np.abs(pinocchio.computeGeneralizedGravity(self.nominal, data, q)) for q in poses]
        return np.maximum(np.mean(torques, axis=0), 0.5)

    def torques(self, q, qd, qdd):
        data = self.true.createData()
        torque = np.array([pinocchio.rnea(self.true, data, *row) for row in zip(q, qd, qdd)])
        return torque + self.viscous * qd + self.coulomb * np.tanh(qd / 0.03) + self.rotor * qdd

    def log(self, duration, random, moves=motion):
        """A table: header and numbers."""
        return self.log_and_noise(duration, random, moves=moves)[0]

    def log_and_noise(self, duration, random, memory_s=0.0, moves=motion):
        """A table, and the noise in it: of positions and torques, the latter with this correlation time."""
        t, q, qd, qdd = moves(self.true, duration, random, self.rate_hz)
        torque = self.torques(q, qd, qdd)
        of_torque = 0.01 * torque.std(axis=0) * colored(torque.shape, random, memory_s, self.rate_hz)
        of_position = 2e-5 * random.standard_normal(q.shape)
        header = ["t"] + [f"q_{j}" for j in self.joints] + [f"tau_{j}" for j in self.joints]
        return (header, np.column_stack([t, q + of_position, torque + of_torque])), (of_position, of_torque)

    def noise_left(self, table, noise):
        """Relative rms of the torques' noise after the low-pass of CONFIGURATION, for the true robot."""
        from scipy.signal import butter, sosfiltfilt
        low_pass = butter(4, 10, fs=RATE_HZ, output="sos")
        n = len(self.joints)

        def residual(numbers):
            q, torque = (sosfiltfilt(low_pass, part, axis=0) for part in (numbers[:, 1:1 + n], numbers[:, 1 + n:]))
            qd = np.gradient(q, 1 / RATE_HZ, axis=0)
            return torque - self.torques(q, qd, np.gradient(qd, 1 / RATE_HZ, axis=0)), torque
        noisy, torque = residual(table[1])
        clean, _ = residual(table[1] - np.column_stack([np.zeros(len(table[1])), *noise]))
        inside = slice(RATE_HZ, -RATE_HZ)
        return np.sqrt(((noisy - clean)[inside]**2).sum() / (torque[inside]**2).sum())
