"""What motions are worth: simulated Pandas that are unlike their file, whose torques Pinocchio computes, identified by numpy.

A robot's bodies, friction and rotors are 25 % off what is believed, in the metric of the prior, which allows 50 %; it has Stribeck friction that no column models, and colored noise on its torques.
It is identified by the rows of Pinocchio with the prior; errors are those of base parameters, each in its standard deviation by the prior, and
of torques at random states, in residual rms. Many base parameters are there by structure alone: a quarter stays what was believed
whatever a motion of ten seconds does, and adds the same to the error of all. So errors are also those of the base parameters in reach,
which as many states drawn at random all over the limits, none like the one before, would tell to half of what is believed."""
import csv

import numpy as np
import pinocchio

import setup

SAMPLE_RATE = 100.0
SECONDS = 10.0
OFF = 0.25


def read_motion(path, rate=SAMPLE_RATE):
    """(t, q, qd, qdd) of trajectory.csv, decimated to about `rate`."""
    with open(path) as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    every = max(1, round(1 / rate / (rows[1]["t"] - rows[0]["t"])))
    rows = rows[::every]
    t = np.array([row["t"] for row in rows])
    return (t, *(np.array([[row[stem + joint] for joint in setup.ARM] for row in rows]) for stem in ("q_", "qd_", "qdd_")))


def random_fourier(judge, random, each_joint=False, duration=10.0, harmonics=5):
    """A random series about the middle of the positions, as large as the limits allow: all joints scaled by one factor, or each up to its
    own limits and then all together up to their torques."""
    model = judge.model
    t = np.arange(int(SAMPLE_RATE * duration) + 1) / SAMPLE_RATE
    w = 2 * np.pi / duration
    sines, cosines = random.normal(size=(2, harmonics, 7)) / np.sqrt(np.arange(1, harmonics + 1))[:, None]
    values = [np.zeros((len(t), 7)) for _ in range(4)]
    for h in range(1, harmonics + 1):
        s, c, k = np.sin(h * w * t)[:, None], np.cos(h * w * t)[:, None], h * w
        for order, (ds, dc) in enumerate(((s, c), (k * c, -k * s), (-k**2 * s, -k**2 * c), (-k**3 * c, k**3 * s))):
            values[order] += ds * sines[h - 1] + dc * cosines[h - 1]
    middle = (model.lowerPositionLimit + model.upperPositionLimit) / 2
    values[0] -= (values[0].max(0) + values[0].min(0)) / 2
    values = [value * (model.upperPositionLimit - middle) for value in values]
    limits = (0.95 * (model.upperPositionLimit - middle), 0.9 * model.velocityLimit, 0.67 * setup.ACCELERATION, 0.1 * setup.JERK)
    most = np.max([np.abs(value).max(0) / limit for value, limit in zip(values, limits)], axis=0)
    values = [value / (most if each_joint else most.max()) for value in values]
    share = 1.0
    while np.max(np.abs(judge.torques(middle + share * values[0], share * values[1], share * values[2])) / (0.85 * model.effortLimit)) > 1:
        share *= 0.97
    return t, middle + share * values[0], share * values[1], share * values[2]


def scattered(judge, random, duration=10.0):
    """As many states as a motion of that length has, drawn independently within the limits; no motion has such states."""
    model, count = judge.model, int(SAMPLE_RATE * duration) + 1
    middle = (model.lowerPositionLimit + model.upperPositionLimit) / 2
    return (np.arange(count) / SAMPLE_RATE, middle + 0.95 * (model.upperPositionLimit - middle) * random.uniform(-1, 1, (count, 7)),
            0.4 * 0.9 * model.velocityLimit * random.normal(size=(count, 7)), 0.3 * 0.67 * setup.ACCELERATION * random.normal(size=(count, 7)))


class Robots:
    """Draws from the prior, and the results of identifying them."""

    def __init__(self, judge, robots, seed=0):
        self.judge = judge
        self.root = np.linalg.cholesky(np.linalg.inv(judge.prior))
        random = np.random.default_rng(seed)
        self.random = random
        self.truths = [self.draw(OFF / setup.DEVIATION) for _ in range(robots)]
        model = judge.model
        middle = (model.lowerPositionLimit + model.upperPositionLimit) / 2
        count = 400
        q = middle + 0.95 * (model.upperPositionLimit - middle) * random.uniform(-1, 1, (count, 7))
        qd = 0.4 * 0.9 * model.velocityLimit * random.normal(size=(count, 7))
        qdd = 0.3 * 0.67 * setup.ACCELERATION * random.normal(size=(count, 7))
        self.held_out = judge.rows(q, qd, qdd)
        # base parameters, as [Gautier 1991]: the first columns that are independent, and what the others add to them
        information = sum(Y.T / setup.NOISE**2 @ Y for Y in self.held_out)
        scale = np.sqrt(np.diag(information))
        scale[scale < 1e-9 * scale.max()] = 1  # what no joint feels
        unit = information / np.outer(scale, scale)
        independent = []
        for i in range(91):
            rest = unit[i, i]
            if independent:
                rest -= unit[i, independent] @ np.linalg.solve(unit[np.ix_(independent, independent)], unit[independent, i])
            if rest > 1e-8:
                independent.append(i)
        self.base = np.linalg.solve(unit[np.ix_(independent, independent)], unit[independent]) * scale / scale[independent][:, None]
        self.spread = np.linalg.norm(self.base @ self.root, axis=1)
        best = np.linalg.inv(judge.prior + setup.RATE * SECONDS / count * information)
        self.in_reach = np.sqrt(np.einsum("ij,jk,ik->i", self.base, best, self.base)) < 0.5 * self.spread

    def draw(self, size):
        """Parameters that differ from those of the file by `size` standard deviations; bodies stay consistent."""
        while True:
            off = size * self.root @ self.random.normal(size=91)
            bodies = self.judge.believed + off
            if all(np.linalg.eigvalsh(setup.pseudo_inertia(bodies[10 * b:10 * b + 10]))[0] > 0 for b in range(7)):
                return off

    def noise(self, count, rate):
        white = self.random.normal(size=(count, 7))
        # of N samples N (1 - a) / (1 + a) are independent: RATE a second
        a = (1 - setup.RATE / rate) / (1 + setup.RATE / rate)
        colored = np.empty_like(white)
        colored[0] = white[0]
        for i in range(1, count):
            colored[i] = a * colored[i - 1] + np.sqrt(1 - a * a) * white[i]
        return setup.NOISE * colored

    def errors(self, motion):
        """Mean errors over robots of base parameters, of the identifiable ones, and of torques."""
        t, q, qd, qdd = motion
        rows = self.judge.rows(q, qd, qdd)
        seconds = t[-1] - t[0]
        weight = setup.RATE * seconds / len(t)
        information = self.judge.prior + weight * sum(Y.T / setup.NOISE**2 @ Y for Y in rows)
        base, in_reach, torque = [], [], []
        for truth in self.truths:
            # Stribeck: 20 % more Coulomb friction near rest
            unmodeled = 0.2 * setup.COULOMB * np.exp(-(qd / 0.1)**2) * np.tanh(qd / setup.WIDTH)
            y = np.einsum("tij,j->ti", rows, truth) + unmodeled + self.noise(len(t), (len(t) - 1) / seconds)
            found = np.linalg.solve(information, weight * np.einsum("tij,ti->j", rows, y / setup.NOISE**2))
            error = found - truth
            of_base = (self.base @ error / self.spread)**2
            base.append(np.sqrt(np.mean(of_base)))
            in_reach.append(np.sqrt(np.mean(of_base[self.in_reach])))
            torque.append(np.sqrt(np.mean((self.held_out @ error / setup.NOISE)**2)))
        return float(np.mean(base)), float(np.mean(in_reach)), float(np.mean(torque))


def exceeding(judge, motion, count, size, limit, seed=3):
    """The number of robots that exceed a torque limit, if they differ from their file by `size` in the metric of the prior."""
    robots = Robots(judge, 0, seed)
    rows = judge.rows(*motion[1:])
    number = 0
    for _ in range(count):
        off = robots.draw(size / setup.DEVIATION)
        off[70:77] = 0  # friction and rotors as in the file, which has none; bodies are off
        off[77:] = 0
        tau = rows @ (judge.believed + off)
        number += int(np.any(np.abs(tau) > limit))
    return number
