"""How narrow a 95 % interval of mass and center of mass can be: the bound of Cramer and Rao on logs of simulator.py.

Every sample has rows Y of the true motion and noise of covariance S in its wrench: that of the sensor and, with (a), what noise of wd and a
does to the wrench that a body would need (the functional model of errors in variables). The information about the ten parameters is
sum Y'S^-1 Y, with Y about its mean if six offsets are unknown. With (b) the kinematics are taken for exact, so its bound is
lower than what a filter's errors leave. Nothing is known of the shape. That the tensor is one of a possible body, which the true
one is, does not change the bound: it is of small errors, and the truth lies inside the cone.
"""
import numpy as np

import simulator

WRENCH_SD = np.array([0.1] * 3 + [0.005] * 3)
ACCELERATION_SD = np.array([0.5] * 3 + [0.05] * 3)  # wd, a


def cross_matrix(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def noise_covariance(x, condition):
    """6 x 6, of what a sample's wrench differs by from that of its logged motion."""
    S = np.diag(WRENCH_SD**2)
    if condition == "a":
        h, I = x[1:4], np.array([[x[4], x[5], x[7]], [x[5], x[6], x[8]], [x[7], x[8], x[9]]])
        effect = np.block([[-cross_matrix(h), x[0] * np.eye(3)], [I, cross_matrix(h)]])
        S += effect @ np.diag(ACCELERATION_SD**2) @ effect.T
    return S


def half_widths(x, speed, condition, bias, rng, samples=150):
    """(mass [% of its own], center of mass on its widest axis [m]), 1.96 standard errors at the bound."""
    run_in = int(2 * simulator.RATE)
    t = rng.uniform(0, 30) + np.arange(run_in + samples) / simulator.RATE
    motion = [part[run_in:] for part in simulator.motion(*simulator.joints(t, speed / simulator.SPEED_AT_1))]
    Y = np.stack([np.concatenate(simulator.wrench(unit, *motion), axis=1) for unit in np.eye(10)], axis=2)
    if bias != "none":
        Y = Y - Y.mean(axis=0)
    covariance = np.linalg.inv(np.einsum("nik,ij,njl->kl", Y, np.linalg.inv(noise_covariance(x, condition)), Y))
    sides = np.zeros((3, 10))
    for axis in range(3):
        sides[axis, [0, 1 + axis]] = -x[1 + axis] / x[0] ** 2, 1 / x[0]
    com = np.sqrt(np.einsum("ki,ij,kj->k", sides, covariance, sides)).max()
    return 1.96 * 100 * np.sqrt(covariance[0, 0]) / x[0], 1.96 * com
