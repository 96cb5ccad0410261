"""The set-up in which designs are compared: a Panda of seven joints, its beliefs and noise, and log det by Pinocchio and numpy.

Limits: 95 % of positions, 90 % of velocities, 67 % of the maker's accelerations, 10 % of its jerks, 85 % of torques. Beliefs: bodies
within 50 % in the metric tr(J0^-1 A J0^-1 B), friction and rotors as below, 20 independent samples a second."""

import csv
import pathlib
import re

import numpy as np
import pinocchio

ARM = [f"panda_joint{i}" for i in range(1, 8)]
ACCELERATION = np.array([15, 7.5, 10, 12.5, 15, 20, 20.0])
JERK = np.array([7500, 3750, 5000, 6250, 7500, 10000, 10000.0])
VISCOUS = np.array([0.5, 0.5, 0.4, 0.4, 0.2, 0.2, 0.15])
COULOMB = np.array([0.6, 0.6, 0.5, 0.5, 0.4, 0.3, 0.3])
ROTOR = np.array([0.3, 0.3, 0.25, 0.25, 0.12, 0.12, 0.1])
NOISE = np.array([0.9, 0.9, 0.7, 0.6, 0.25, 0.2, 0.15])
WIDTH, RATE, DEVIATION = 0.08, 20.0, 0.5
ROBOTS = pathlib.Path("cmeel.prefix/share/example-robot-data/robots")

# the same as the YAML below says to Heft
GIVEN_LIMITS = {"scales": {"position": 0.95, "velocity": 0.9, "acceleration": 0.67, "jerk": 0.1, "torque": 0.85},
                "acceleration": ACCELERATION, "jerk": JERK}
LIMITS = f"""limits:
  position: {{scale: 0.95}}
  velocity: {{scale: 0.9}}
  acceleration: {{scale: 0.67, values: {ACCELERATION.tolist()}}}
  jerk: {{scale: 0.1, values: {JERK.tolist()}}}
  torque: {{scale: 0.85, deviations: 0}}
beliefs:
  noise: {NOISE.tolist()}
  viscous: {VISCOUS.tolist()}
  coulomb: {COULOMB.tolist()}
  rotor: {ROTOR.tolist()}
columns: [viscous, {{coulomb: {{tanh_width: {WIDTH}}}}}, reflected_inertia]
"""


def robots_folder():
    """Folder of PyPI's example-robot-data, as Python finds it; None if it is not installed."""
    import site
    for folder in site.getsitepackages():
        if (pathlib.Path(folder) / ROBOTS).is_dir():
            return pathlib.Path(folder) / ROBOTS
    return None


def with_fixed_fingers(text):
    """The Panda with its hand closed: seven joints."""
    def fixed(match):
        return re.sub(r"<(limit|axis|mimic)[^>]*/>", "", match.group(1) + '"fixed"' + match.group(2))
    return re.sub(r'(<joint name="panda_finger_joint[12]" type=)"prismatic"(.*?</joint>)', fixed, text, flags=re.DOTALL)


def pseudo_inertia(pi):
    tensor = np.array([[pi[4], pi[5], pi[7]], [pi[5], pi[6], pi[8]], [pi[7], pi[8], pi[9]]])
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    J[:3, 3] = J[3, :3] = pi[1:4]
    J[3, 3] = pi[0]
    return J


def possible(J):
    """Makes the eigenvalues of the covariance about the center of mass at least 2 % of the largest, and at least those of a centimeter."""
    m, c = J[3, 3], J[:3, 3] / J[3, 3]
    values, axes = np.linalg.eigh(J[:3, :3] - m * np.outer(c, c))
    values = np.maximum(values, max(0.02 * values.max(), m * 1e-4))
    result = J.copy()
    result[:3, :3] = axes @ np.diag(values) @ axes.T + m * np.outer(c, c)
    return result


class Setup:
    def __init__(self, urdf):
        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        self.prior = np.zeros((91, 91))
        for b in range(7):
            inverse = np.linalg.inv(possible(pseudo_inertia(self.model.inertias[b + 1].toDynamicParameters())))
            turned = [inverse @ pseudo_inertia(unit) for unit in np.eye(10)]
            self.prior[10 * b:10 * b + 10, 10 * b:10 * b + 10] = [[np.trace(x @ y) / DEVIATION**2 for y in turned] for x in turned]
        self.believed = np.concatenate([self.model.inertias[b + 1].toDynamicParameters() for b in range(7)] + [np.zeros(21)])
        for kind, size in enumerate((VISCOUS, COULOMB, ROTOR)):
            for k in range(7):
                self.prior[70 + 7 * kind + k, 70 + 7 * kind + k] = 1 / size[k] ** 2

    def rows(self, q, qd, qdd):
        """Rows of torque for bodies, viscous and Coulomb friction, and rotors: states x 7 x 91."""
        return np.array([np.hstack([pinocchio.computeJointTorqueRegressor(self.model, self.data, position, velocity, acceleration),
                                    np.diag(velocity), np.diag(np.tanh(velocity / WIDTH)), np.diag(acceleration)])
                         for position, velocity, acceleration in zip(q, qd, qdd)])

    def torques(self, q, qd, qdd):
        """Of the file's bodies alone."""
        return np.array([pinocchio.rnea(self.model, self.data, *state) for state in zip(q, qd, qdd)])

    def log_det(self, path):
        """For trajectory.csv: log det in nats, and the largest ratios of q, qd, qdd at its samples and of rigid torques to their limits."""
        with open(path) as file:
            rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
        q, qd, qdd = (np.array([[row[stem + joint] for joint in ARM] for row in rows]) for stem in ("q_", "qd_", "qdd_"))
        seconds = rows[-1]["t"] - rows[0]["t"]
        information = self.prior.copy()
        for Y in self.rows(q, qd, qdd):
            information += RATE * seconds / len(rows) * (Y.T / NOISE**2) @ Y
        tau = self.torques(q, qd, qdd)
        middle = (self.model.lowerPositionLimit + self.model.upperPositionLimit) / 2
        half = 0.95 * (self.model.upperPositionLimit - middle)
        ratios = [np.abs(q - middle) / half, np.abs(qd) / (0.9 * self.model.velocityLimit), np.abs(qdd) / (0.67 * ACCELERATION),
                  np.abs(np.diff(qdd, axis=0)) / (seconds / (len(rows) - 1)) / (0.1 * JERK), np.abs(tau) / (0.85 * self.model.effortLimit)]
        return np.linalg.slogdet(information)[1], max(ratio.max() for ratio in ratios)
