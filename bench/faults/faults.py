"""Faults of logs: each makes one thing wrong in a table, in place; which joint, the seed says.

A table is (header, numbers); columns are t, q.. and tau.. in the order of the joints, under whatever names.
"""

import dataclasses

import numpy as np


class Table:
    """Positions, torques and time of a log, to be changed in place."""

    def __init__(self, header, numbers, columns):
        self.header, self.numbers = header, numbers.copy()
        self.time, self.position, self.torque = columns

    def q(self, joint):
        return self.numbers[:, self.position[joint]]

    def tau(self, joint):
        return self.numbers[:, self.torque[joint]]

    def seconds(self):
        return self.numbers[:, self.time]


@dataclasses.dataclass
class Fault:
    name: str
    apply: callable          # (table, joint, random) -> None
    ids: tuple               # doubts that name it rightly
    counts: bool = True      # False: no log can tell, or least squares absorbs it


def scaled(factor):
    def apply(table, joint, random):
        table.tau(joint)[:] *= factor
    return apply


def all_scaled(factor):
    def apply(table, joint, random):
        for k in range(len(table.torque)):
            table.tau(k)[:] *= factor
    return apply


def constants_differ(table, joint, random):
    factors = np.exp(np.random.default_rng(int(1e6 * joint + 7)).normal(0, .35, len(table.torque)))
    for k, factor in enumerate(factors):
        table.tau(k)[:] *= factor


def clipped(share, noise=0.0):
    def apply(table, joint, random):
        tau = table.tau(joint)
        limit = share * np.abs(tau).max()
        size = noise * tau.std()
        np.clip(tau, -limit, limit, out=tau)
        tau += size * random.standard_normal(len(tau))
    return apply


def delayed(seconds, every_joint):
    def apply(table, joint, random):
        t = table.seconds()
        for k in range(len(table.torque)):
            if every_joint or k == joint:
                table.tau(k)[:] = np.interp(t - seconds, t, table.tau(k).copy())
    return apply


def frozen(noise):
    def apply(table, joint, random):
        tau = table.tau(joint)
        first, rows = int(.4 * len(tau)), int(.15 * len(tau))
        tau[first:first + rows] = tau[first] + noise * tau.std() * random.standard_normal(rows)
    return apply


def spikes(table, joint, random):
    tau = table.tau(joint)
    at = random.choice(len(tau), 60, replace=False)
    tau[at] += 10 * tau.std() * random.choice([-1, 1], 60)


def zero(degrees):
    def apply(table, joint, random):
        table.q(joint)[:] += np.radians(degrees)
    return apply


def reversed_torque(table, joint, random):
    table.tau(joint)[:] *= -1


def reversed_position(table, joint, random):
    table.q(joint)[:] *= -1
    for k, name in enumerate(table.header):
        if name == "qd" + table.header[table.position[joint]][1:]:
            table.numbers[:, k] *= -1


def swapped(table, joint, random):
    other = (joint + 1) % len(table.torque)
    table.numbers[:, [table.torque[joint], table.torque[other]]] = \
        table.numbers[:, [table.torque[other], table.torque[joint]]]


def drift(share):
    def apply(table, joint, random):
        tau = table.tau(joint)
        tau += share * np.sqrt(np.mean(tau**2)) * np.linspace(-1, 1, len(tau))
    return apply


def contact(table, joint, random):
    """A push on the last four joints for a tenth of the log."""
    rows = slice(int(.6 * len(table.numbers)), int(.7 * len(table.numbers)))
    for k in range(max(0, len(table.torque) - 4), len(table.torque)):
        table.tau(k)[rows] += .8 * table.tau(k).std()


def slow_drive(table, joint, random):
    """A drive that reports torque through a low-pass of 2 Hz."""
    tau, t = table.tau(joint), table.seconds()
    share = 1 - np.exp(-2 * np.pi * 2 * np.median(np.diff(t)))
    value = tau[0]
    for k in range(len(tau)):
        value += share * (tau[k] - value)
        tau[k] = value


def milliseconds(table, joint, random):
    table.seconds()[:] *= 1000


def offset(table, joint, random):
    table.tau(joint)[:] += .3 * table.tau(joint).std()


FAULTS = [
    Fault("gain 1.2", scaled(1.2), ("torque-scale",)),
    Fault("gain 1.5", scaled(1.5), ("torque-scale",)),
    Fault("gain 0.7", scaled(0.7), ("torque-scale",)),
    Fault("constants differ", constants_differ, ("torque-scale", "total-scale", "channel-suspicious", "error-large")),
    Fault("all x 1.5", all_scaled(1.5), ("total-scale",), counts=False),
    Fault("N mm in one joint", scaled(1000), ("torque-unit", "torque-beyond-effort", "torque-scale")),
    Fault("motor side", scaled(.01), ("torque-motor-side", "torque-scale")),
    Fault("clipped at 60 %", clipped(.6), ("torque-saturated",)),
    Fault("clipped at 60 %, noise", clipped(.6, .02), ("torque-saturated",)),
    Fault("delay of all 20 ms", delayed(.02, True), ("torque-delay",)),
    Fault("delay of all 60 ms", delayed(.06, True), ("torque-delay",)),
    Fault("delay of one 20 ms", delayed(.02, False), ("torque-delay",)),
    Fault("delay of one 60 ms", delayed(.06, False), ("torque-delay",)),
    Fault("frozen 15 %", frozen(0), ("signal-stuck", "torque-quiet")),
    Fault("frozen 15 %, noise", frozen(.01), ("signal-stuck", "torque-quiet")),
    Fault("60 spikes", spikes, ("signal-spikes", "torque-jumps")),
    Fault("zero 3 degrees", zero(3), ("joint-zero",)),
    Fault("zero 10 degrees", zero(10), ("joint-zero",)),
    Fault("torque reversed", reversed_torque, ("torque-reversed", "joint-reversed", "position-reversed")),
    Fault("position reversed", reversed_position, ("position-reversed", "joint-reversed", "torque-reversed")),
    Fault("torques swapped", swapped, ("torques-swapped", "joints-swapped", "positions-swapped")),
    Fault("drift 30 %", drift(.3), ("torque-trend",)),
    Fault("contact", contact, ("stretches-differ", "joints-err-together", "halves-differ")),
    Fault("drive low-pass 2 Hz", slow_drive, ("torque-delay",)),
    Fault("time in ms", milliseconds, ("time-in-milliseconds",)),
    Fault("offset", offset, ("torque-offset",), counts=False),
]
