"""Faults of logs: each makes one thing wrong in a table, in place; which joint and how much, the seed says.

A table is (header, numbers); columns are t, q.. and tau.. in the order of the joints, under whatever names.
"""

import dataclasses
import re

import numpy as np


class Table:
    """Positions, torques and time of a log, which faults change in place. A fault is `strength` times the quantity that its name states:
    the logarithm of a factor, a delay, an angle, a share. `arm` computes the effect of a force at the last link (arms.Kinematics)."""

    def __init__(self, header, numbers, columns, strength=1.0, arm=None):
        self.header, self.numbers = header, numbers.copy()
        self.time, self.position, self.torque = columns
        self.strength, self.arm = strength, arm

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
    remedy: bool = True      # an option of the configuration corrects it
    of_robot: callable = None  # (URDF's text, joint's name) -> text: what is wrong is the file, not the log
    of_gravity: tuple = None   # what is wrong is how the robot is said to stand
    of_legs: bool = False      # for robots with like groups of joints, and those alone
    of_slides: bool = False    # of joints that slide; robots without any are skipped


def scaled(factor):
    def apply(table, joint, random):
        table.tau(joint)[:] *= factor**table.strength
    return apply


def in_unit(factor):
    """A unit has one size, whatever the seed."""
    def apply(table, joint, random):
        table.tau(joint)[:] *= factor
    return apply


def all_scaled(factor):
    def apply(table, joint, random):
        for k in range(len(table.torque)):
            table.tau(k)[:] *= factor**table.strength
    return apply


def constants_differ(table, joint, random):
    factors = np.exp(table.strength * np.random.default_rng(int(1e6 * joint + 7)).normal(0, .35, len(table.torque)))
    for k, factor in enumerate(factors):
        table.tau(k)[:] *= factor


def clipped(share, noise=0.0):
    def apply(table, joint, random):
        tau = table.tau(joint)
        limit = share**table.strength * np.abs(tau).max()
        size = noise * tau.std()
        np.clip(tau, -limit, limit, out=tau)
        tau += size * random.standard_normal(len(tau))
    return apply


def delayed(seconds, every_joint):
    def apply(table, joint, random):
        t = table.seconds()
        for k in range(len(table.torque)):
            if every_joint or k == joint:
                table.tau(k)[:] = np.interp(t - table.strength * seconds, t, table.tau(k).copy())
    return apply


def coarse_stamps(first, step, lost=0):
    """Stamps of a clock whose ticks are about as long as the period, and rows lost by a full buffer."""
    def apply(table, joint, random):
        t = table.seconds()
        t[:] = step * np.floor((t - t[0] + first) / step + 1e-6)
        at = np.sort(random.choice(len(t), lost, replace=False))
        table.numbers = np.delete(table.numbers, at, axis=0)
    return apply


def late_rows(seconds, rate):
    """Rows at `rate`, each sampled up to this time before its stamp."""
    def apply(table, joint, random):
        t = table.seconds().copy()
        sampled = t - table.strength * seconds * random.uniform(size=len(t))
        for k in set(range(table.numbers.shape[1])) - {table.time}:
            table.numbers[:, k] = np.interp(sampled, t, table.numbers[:, k])
        table.numbers = table.numbers[::max(1, round(1 / (rate * np.median(np.diff(t)))))]
    return apply


def frozen(noise):
    def apply(table, joint, random):
        tau = table.tau(joint)
        first, rows = int(.4 * len(tau)), int(.15 * table.strength * len(tau))
        tau[first:first + rows] = tau[first] + noise * tau.std() * random.standard_normal(rows)
    return apply


def spikes(table, joint, random):
    tau = table.tau(joint)
    at = random.choice(len(tau), 60, replace=False)
    tau[at] += 10 * tau.std() * random.choice([-1, 1], 60)


def zero(degrees):
    def apply(table, joint, random):
        table.q(joint)[:] += np.radians(table.strength * degrees)
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
        tau += table.strength * share * np.sqrt(np.mean(tau**2)) * np.linspace(-1, 1, len(tau))
    return apply


def contact(table, joint, random):
    """A push at the last link during a tenth of the log, by one force in the axes of the base."""
    rows = np.arange(int(.6 * len(table.numbers)), int(.7 * len(table.numbers)))
    direction = np.random.default_rng(joint).standard_normal(3)
    torques = table.arm.by_force(table.numbers[np.ix_(rows, table.position)], direction)
    usual = np.sqrt(np.mean(table.numbers[:, table.torque].std(axis=0)**2))
    torques *= .8 * table.strength * usual / np.sqrt(np.mean(torques**2))
    table.numbers[np.ix_(rows, table.torque)] += torques


def slow_drive(table, joint, random):
    """A drive that reports torque through a low-pass of 2 Hz."""
    tau, t = table.tau(joint), table.seconds()
    share = 1 - np.exp(-2 * np.pi * 2 / table.strength * np.median(np.diff(t)))
    value = tau[0]
    for k in range(len(tau)):
        value += share * (tau[k] - value)
        tau[k] = value


def milliseconds(table, joint, random):
    table.seconds()[:] *= 1000


def stamps_times(factor):
    def apply(table, joint, random):
        table.seconds()[:] *= factor**table.strength
    return apply


def clocks_apart(table, joint, random):
    """Torques that lag the motion by 4 ms more every second, from the beginning on."""
    t = table.seconds()
    late = .004 * table.strength * (t - t[0])
    for k in range(len(table.torque)):
        table.tau(k)[:] = np.interp(t - late, t, table.tau(k).copy())


def in_degrees(table, joint, random):
    table.q(joint)[:] = np.degrees(table.q(joint))


def geared(table, joint, random):
    table.q(joint)[:] *= 100**table.strength


def in_turns(table, joint, random):
    table.q(joint)[:] /= 2 * np.pi


def all_in_turns(table, joint, random):
    for k in range(len(table.position)):
        table.q(k)[:] /= 2 * np.pi


def in_ticks(table, joint, random):
    """All joints with 12-bit encoders whose zero is in the middle."""
    for k in range(len(table.position)):
        table.q(k)[:] = np.round(table.q(k) * 4096 / (2 * np.pi) + 2048)


def in_millimeters(table, joint, random):
    table.q(joint)[:] *= 1000


def wrapped(table, joint, random):
    """An encoder that counts from none to one turn."""
    table.q(joint)[:] %= 2 * np.pi


def dead(table, joint, random):
    table.tau(joint)[:] = 0


def coarse(table, joint, random):
    """A torque in steps of a fifth of its rms."""
    tau = table.tau(joint)
    step = .2 * np.sqrt(np.mean(tau**2))
    tau[:] = step * np.round(tau / step)


def halves(table, joint, random):
    """Another torque constant from the middle of the log on."""
    tau = table.tau(joint)
    tau[len(tau) // 2:] *= 1.4**table.strength


def same_position(table, joint, random):
    table.q(joint)[:] = table.q((joint + 1) % len(table.position))


def nothing(table, joint, random):
    pass


def longer(factor):
    """The frame of a joint in its parent so much further away."""
    def change(text, joint):
        def further(match):
            return match[1] + " ".join(f"{factor * float(x):.9g}" for x in match[2].split()) + match[3]
        return re.sub(r'(<joint[^>]*name="' + re.escape(joint) + r'"(?:(?!</joint>).)*?<origin[^>]*xyz=")([^"]*)(")', further, text,
                      count=1, flags=re.S)
    return change


def flipped(text, joint):
    """The axis of a joint points the other way."""
    def other_way(match):
        return match[1] + " ".join(f"{-float(x):g}" for x in match[2].split()) + match[3]
    return re.sub(r'(<joint[^>]*name="' + re.escape(joint) + r'"(?:(?!</joint>).)*?<axis[^>]*xyz=")([^"]*)(")', other_way, text,
                  count=1, flags=re.S)


def offset(table, joint, random):
    table.tau(joint)[:] += .3 * table.tau(joint).std()


def without_gravity(table, joint, random):
    """A controller that subtracts the gravity of the robot's file, or most of it."""
    positions = table.numbers[:, table.position]
    table.numbers[:, table.torque] -= min(1.0, table.strength) * table.arm.gravity(positions)


def external(table, joint, random):
    """A controller that subtracts its whole model: noise and a push are left."""
    for k in range(len(table.torque)):
        tau = table.tau(k)
        tau[:] = .01 * tau.std() * random.standard_normal(len(tau))
    contact(table, joint, random)


def second_publisher(every, home):
    """Rows of another node after every so many of the robot's: zeros, or one posture."""
    def apply(table, joint, random):
        other = np.zeros(table.numbers.shape[1])
        if home:
            other[table.position] = np.round(random.uniform(-1, 1, len(table.position)), 2)
        rows = np.arange(1, len(table.numbers), every)
        numbers = np.tile(other, (len(rows), 1))
        t = table.seconds()
        numbers[:, table.time] = t[rows - 1] + .4 * (t[rows] - t[rows - 1])
        table.numbers = np.insert(table.numbers, rows, numbers, axis=0)
    return apply


def legs_of(joints):
    """Groups of joints by the first word of their names, of robots that have several of one size: columns of a table's joints."""
    groups = {}
    for k, name in enumerate(joints):
        groups.setdefault(name.split("_")[0], []).append(k)
    sizes = {len(group) for group in groups.values()}
    return list(groups.values()) if len(groups) > 1 and sizes.isdisjoint({1}) and len(sizes) == 1 else []


def legs_in_order(order):
    def apply(table, joint, random):
        legs = legs_of([table.header[k].split("_", 1)[1] for k in table.torque])
        to = [k for leg in legs for k in leg]
        of = [k for place in order[:len(legs)] for k in legs[place]]
        for columns in (np.array(table.position), np.array(table.torque)):
            table.numbers[:, columns[to]] = table.numbers[:, columns[of]]
    return apply


FAULTS = [
    Fault("gain 1.2", scaled(1.2), ("torque-scale",)),
    Fault("gain 1.5", scaled(1.5), ("torque-scale",)),
    Fault("gain 0.7", scaled(0.7), ("torque-scale",)),
    Fault("gain 2 in one joint", scaled(2), ("torque-scale",)),
    Fault("constants differ", constants_differ, ("torque-scale", "total-scale", "channel-suspicious", "error-large")),
    Fault("all x 1.5", all_scaled(1.5), ("total-scale",), counts=False),
    Fault("N mm in one joint", in_unit(1000), ("torque-unit", "torque-beyond-effort", "torque-scale")),
    Fault("motor side", scaled(.01), ("torque-motor-side", "torque-scale", "torque-below-gravity")),
    Fault("clipped at 60 %", clipped(.6), ("torque-saturated",), remedy=False),
    Fault("clipped at 60 %, noise", clipped(.6, .02), ("torque-saturated",), remedy=False),
    Fault("delay of all 20 ms", delayed(.02, True), ("torque-delay",)),
    Fault("delay of all 60 ms", delayed(.06, True), ("torque-delay",)),
    Fault("delay of all 100 ms", delayed(.1, True), ("torque-delay",)),
    Fault("delay of all 200 ms", delayed(.2, True), ("torque-delay",)),
    Fault("delay of all 400 ms", delayed(.4, True), ("torque-delay",)),
    Fault("delay of one 150 ms", delayed(.15, False), ("torque-delay",)),
    Fault("positions 100 ms late", delayed(-.1, True), ("torque-delay",)),
    Fault("stamps in ticks of 1/128 s", coarse_stamps(0, 1 / 128), ("time-quantized",)),
    Fault("stamps in ticks of 1/128 s, 5 rows lost", coarse_stamps(0, 1 / 128, 5), ("time-quantized",)),
    Fault("rows up to 12 ms late at 30 Hz", late_rows(.012, 30), ("stamps-late",), remedy=False),
    Fault("rows up to 4 ms late at 125 Hz", late_rows(.004, 125), ("stamps-late",), remedy=False),
    Fault("delay of one 20 ms", delayed(.02, False), ("torque-delay",)),
    Fault("delay of one 60 ms", delayed(.06, False), ("torque-delay",)),
    Fault("frozen 15 %", frozen(0), ("signal-stuck", "torque-quiet"), remedy=False),
    Fault("frozen 15 %, noise", frozen(.01), ("signal-stuck", "torque-quiet"), remedy=False),
    Fault("60 spikes", spikes, ("signal-spikes", "torque-jumps"), remedy=False),
    Fault("zero 3 degrees", zero(3), ("joint-zero",)),
    Fault("zero 6 degrees", zero(6), ("joint-zero",)),
    Fault("zero 10 degrees", zero(10), ("joint-zero",)),
    Fault("torque reversed", reversed_torque, ("torque-reversed", "joint-reversed", "position-reversed")),
    Fault("position reversed", reversed_position, ("position-reversed", "joint-reversed", "torque-reversed")),
    Fault("torques swapped", swapped, ("torques-swapped", "joints-swapped", "positions-swapped")),
    Fault("drift 30 %", drift(.3), ("torque-trend",), remedy=False),
    Fault("contact", contact, ("contact",)),
    Fault("drive low-pass 2 Hz", slow_drive, ("torque-lowpass",), remedy=False),
    Fault("time in ms", milliseconds, ("time-in-milliseconds",)),
    Fault("offset", offset, ("torque-offset",), counts=False),
    Fault("stamps 10 % fast", stamps_times(1.1), ("clock-ratio",)),
    Fault("stamps 5 % slow", stamps_times(.95), ("clock-ratio",)),
    Fault("clocks 4 ms a second apart", clocks_apart, ("clock-drift",), remedy=False),
    Fault("one joint in degrees", in_degrees, ("position-in-degrees", "velocity-in-degrees")),
    Fault("position of the motor", geared, ("position-motor-side",)),
    Fault("one joint in turns", in_turns, ("position-turns", "velocity-mismatch")),
    Fault("all joints in turns", all_in_turns, ("position-turns", "velocity-mismatch")),
    Fault("all joints in ticks", in_ticks, ("position-ticks",)),
    Fault("a sliding joint in millimeters", in_millimeters, ("position-millimeters",), of_slides=True),
    Fault("position wrapped", wrapped, ("position-wrapped",)),
    Fault("torque dead", dead, ("torque-dead", "signal-stuck", "torque-quiet"), remedy=False),
    Fault("torque in coarse steps", coarse, ("torque-saturated", "error-large"), counts=False, remedy=False),
    Fault("gain 1.4 from the middle on", halves, ("halves-differ", "stretches-differ"), remedy=False),
    Fault("position of the next joint", same_position, ("position-of-other-joint", "positions-swapped", "joints-swapped"), remedy=False),
    Fault("link 5 % longer", nothing, ("kinematics",), of_robot=longer(1.05), remedy=False),
    Fault("link 15 % longer", nothing, ("kinematics",), of_robot=longer(1.15), remedy=False),
    Fault("axis flipped", nothing, ("kinematics", "position-reversed", "joint-reversed", "torque-reversed"), of_robot=flipped,
          remedy=False),
    Fault("hung from the ceiling", nothing, ("gravity-direction",), of_gravity=(0, 0, 9.81)),
    Fault("on a wall", nothing, ("gravity-direction",), of_gravity=(9.81, 0, 0)),
    Fault("gravity subtracted", without_gravity, ("torque-without-gravity",)),
    Fault("model subtracted", external, ("torque-external",), remedy=False),
    Fault("every other row of zeros", second_publisher(1, False), ("rows-foreign",)),
    Fault("every 20th row of another node", second_publisher(20, True), ("rows-foreign",)),
    Fault("legs in another order", legs_in_order([1, 0, 3, 2]), ("joints-permuted",), of_legs=True),
]
