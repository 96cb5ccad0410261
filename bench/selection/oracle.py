"""Robots with known effects of drives, in NumPy and Pinocchio: the oracle of bench/selection/simulated.py.

Torques of the bodies are those of Pinocchio's `rnea`, or of the Newton-Euler of bench/coverage/robots.py without Pinocchio; friction,
memory, gains and delays follow the equations of the papers named below. No code is shared with Heft. Errors of a log are
those of `heft simulate` by default: 1 kHz, torque noise of 1 % of a joint's rms torque, an encoder of 1e6 counts per revolution.

    motor torque = rigid(q, qd, qdd) + viscous qd + coulomb tanh(qd / 0.05) + effects      measured(t) = (1 + g) motor torque(t - delay)
"""
import dataclasses
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "coverage"))
import robots  # noqa: E402

try:
    import pinocchio
except ModuleNotFoundError:
    pinocchio = None

RATE, SECONDS = 1000, 12
NOISE, COUNTS = 0.01, 1e6
SHARE = (0.02, 0.10)  # rms of an effect relative to the rms torque of its joint
CAD_ERROR = 0.2
LONGEST_DELAY = 0.015  # s


@dataclasses.dataclass
class Motion:
    """One joint's motion and the torque of the bodies there, with random numbers of the joint."""
    q: np.ndarray
    qd: np.ndarray
    load: np.ndarray
    numbers: np.ndarray  # five, uniform in 0 .. 1


def between(low, high, u):
    return low * (high / low) ** u


def dahl(s):
    """[Dahl 1968] with exponent 1: dz/dq = (1 - z sign(dq)) / width, exact over a step without reversal; starts anywhere."""
    width = between(0.0008, 0.006, s.numbers[0])
    z, state = np.empty(len(s.q)), 2 * s.numbers[1] - 1
    z[0] = state
    steps = np.diff(s.q)
    for k, step in enumerate(steps):
        if step:
            toward = 1.0 if step > 0 else -1.0
            state = toward + (state - toward) * np.exp(-abs(step) / width)
        z[k + 1] = state
    return z


def maxwell(s):
    """[Iwan 1966], [Lampaert, Swevers, Al-Bender 2002]: three elastoplastic elements in parallel."""
    yields = [between(*bounds, u) for bounds, u in zip(((0.0005, 0.001), (0.001, 0.004), (0.004, 0.015)), s.numbers)]
    stiffness = [share / y for share, y in zip((0.3, 0.4, 0.3), yields)]
    torque = np.zeros(len(s.q))
    for k, y in zip(stiffness, yields):
        steps, stretch, path = np.diff(s.q), 0.0, np.zeros(len(s.q))
        for i, step in enumerate(steps):
            stretch = min(y, max(-y, stretch + step))
            path[i + 1] = stretch
        torque += k * path
    return torque


def sign(s):
    return np.tanh(s.qd / 0.01)


# effect -> torque of a joint, up to its coefficient, and the options of `--columns auto` that describe it
EFFECTS = {
    "square-root friction": (lambda s: np.sqrt(abs(s.qd)) * np.sign(s.qd)),
    "quadratic friction": (lambda s: s.qd * abs(s.qd)),  # drag
    # [Armstrong-Helouvry 1994]: friction falls from its value at rest over the Stribeck velocity
    "stribeck": (lambda s: sign(s) * np.exp(-(s.qd / between(0.04, 0.4, s.numbers[0])) ** 2)),
    "asymmetric viscous friction": (lambda s: abs(s.qd)),
    "spring": (lambda s: s.q - 0.5 * (s.numbers[0] - 0.5)),
    "cosine": (lambda s: np.cos(s.q + 2 * np.pi * s.numbers[0])),  # an unbalance that the URDF lacks, a cable
    "harmonics": (lambda s: sign(s) * np.cos(s.q + 2 * np.pi * s.numbers[0])),  # friction of an eccentric gear
    # [Hamon, Gautier, Garrec 2010]: friction in proportion to the load, in either direction of power
    "load-dependent friction": (lambda s: abs(s.load) * sign(s)),
    # [Giberti, Cinquemani, Legnani 2010]: an efficiency that is lower where the load drives the motor
    "backdrive": (lambda s: abs(s.load) * sign(s) * (s.load * s.qd < 0)),
    "dahl": dahl,
    "maxwell": maxwell,
}
GAIN, DELAY, COUPLING = "gain", "torque delay", "neighbor friction"
# effects whose predictions a search cannot distinguish: each may be found in place of another
GROUPS = {
    "speed": ("square-root friction", "quadratic friction", "stribeck"),
    "direction": ("asymmetric viscous friction",),
    "position": ("spring", "cosine", "harmonics"),  # harmonics have sin(q) and cos(q) among their columns
    "load": ("load-dependent friction", "backdrive"),
    "memory": ("dahl", "maxwell"),
    "coupling": (COUPLING,),  # viscous friction between motors that a belt or a differential couples
    "gain": (GAIN,),
    "delay": (DELAY,),
}
FREE_SIGN = {"asymmetric viscous friction", "spring", "cosine", COUPLING, "quadratic friction"}


def random_robot(random, seed):
    """A serial arm of 3 to 7 joints, or for every sixth seed a tree: a trunk with two arms."""
    def limb(size, parent, start, mass, root):
        parents, offsets, axes, bodies = robots.chain(random, size, parent, start, mass, root=root)
        for k in range(1, size):
            if random.random() < 0.4:  # an axis across the one before it; otherwise they alternate
                across = np.linalg.svd(axes[k - 1][None])[2][1:]
                axes[k] = across[random.integers(2)]
            if random.random() < 0.15:
                axes[k] = axes[k - 1]
        return parents, offsets, axes, bodies
    if seed % 6 == 0:
        trunk = limb(1, -1, 0, 12.0, (0, 0, 0.4))
        left = 2 + seed // 6 % 2
        arms = [limb(left, 0, 1, 5.0, (0.15, 0, 0.4)), limb(2, 0, 1 + left, 5.0, (-0.15, 0, 0.4))]
        return robots.assembled(random, [trunk, *arms])
    return robots.assembled(random, [limb(3 + seed % 5, -1, 0, 10.0, (0, 0, 0.3))])


def payload_of(random):
    """Mass, center of mass and tensor about it of a weighed block."""
    mass, size = random.uniform(1.5, 3), random.uniform(0.05, 0.12, 3)
    tensor = mass / 12 * np.diag(size @ size - size ** 2)
    return mass, np.array([0.02, -0.01, 0.08]) + 0.02 * random.uniform(-1, 1, 3), tensor


def carrying(robot, payload):
    mass, com, tensor = payload
    parameters = robot.parameters.copy()
    parameters[-1] += robots.parameters_of(mass, com, tensor)
    return dataclasses.replace(robot, parameters=parameters)


def bodies_torque(robot, q, qd, qdd):
    """Torques of the bodies alone."""
    bare = dataclasses.replace(robot, viscous=0 * robot.viscous, coulomb=0 * robot.coulomb)
    if pinocchio is None:
        return robots.torques(bare, q, qd, qdd)
    model = pinocchio.buildModelFromXML(robots.urdf(robot, robot.parameters).replace('type="continuous"', 'type="revolute"').replace(
        "<axis", '<limit lower="-9" upper="9" effort="1e3" velocity="99"/><axis'))
    data = model.createData()
    at = [model.joints[model.getJointId(f"j{k + 1}")].idx_v for k in range(robot.size)]
    order = np.argsort(at)  # Pinocchio sorts joints by name within a parent
    result = np.empty_like(q)
    for i in range(len(q)):
        result[i] = pinocchio.rnea(model, data, q[i, order], qd[i, order], qdd[i, order])[at]
    return result


def rms(x):
    return float(np.sqrt(np.mean(np.square(x))))


class Simulation:
    """One robot with its effects, logs and truth.  `only`: the effects, instead of random ones."""

    def __init__(self, seed, folder, only=None):
        self.random = random = np.random.default_rng([56, seed])
        self.robot = random_robot(random, seed)
        n = self.robot.size
        groups = random.choice(sorted(GROUPS), 2, replace=False)
        chosen = [str(random.choice(GROUPS[group])) for group in groups]
        self.effects = {effect: random.uniform(*SHARE) for effect in (chosen if only is None else only)}
        self.numbers = {effect: random.uniform(size=(n, 5)) for effect in EFFECTS}
        self.signs = {effect: random.choice([-1.0, 1.0], n) if effect in FREE_SIGN else np.ones(n) for effect in (*EFFECTS, COUPLING)}
        self.gains = np.zeros(n)
        gains = random.uniform(*SHARE, n) * random.choice([-1.0, 1.0], n)
        if GAIN in self.effects:
            self.gains = gains
        self.has_load = GAIN in self.effects or random.random() < 0.3
        self.payload = payload_of(random)
        self.coefficients, self.delay, self.scale, self.coupling = None, 0.0, None, [None] * n
        names = ("train", "held_out", "loaded") if self.has_load else ("train", "held_out")
        for name in names:
            robot = carrying(self.robot, self.payload) if name == "loaded" else self.robot
            self.write(folder / f"{name}.csv", robot)
        self.urdf = folder / "robot.urdf"
        self.urdf.write_text(robots.urdf(self.robot, robots.cad_of(self.robot, random, CAD_ERROR)))
        self.configuration = folder / "robot.yaml"
        self.configuration.write_text(self.options())
        self.logs = [folder / f"{name}.csv" for name in names if name != "held_out"]
        self.held_out = folder / "held_out.csv"
        self.masses = {f"l{k + 1}.m": body[0] for k, body in enumerate(self.robot.parameters)}

    def options(self):
        text = ('log: {position: "q_{joint}", torque: "tau_{joint}"}\n'
                "conditioning: {lowpass_hz: 40, trim: 60, keep_every: 4}\n"
                "candidates:\n  - harmonics: {order: 1}\n")
        if self.has_load:  # without one, gains have no scale, and load-dependent friction with gains is backdrive
            text += "  - gain: {sd: 0.1}\n"
            mass, com, tensor = self.payload
            inertia = [float(tensor[place]) for place in robots.TENSOR]
            text += (f"payloads:\n  - {{logs: [loaded.csv], link: l{self.robot.size}, mass: {mass:.12g}, com: {[float(x) for x in com]}, "
                     f"inertia: {inertia}}}\n")
        return text

    def write(self, path, robot):
        random, n = self.random, robot.size
        t, q, qd, qdd = robots.motion(random, n, SECONDS, RATE)
        load = bodies_torque(robot, q, qd, qdd)
        plain = load + robot.viscous * qd + robot.coulomb * np.tanh(qd / robots.TANH_WIDTH)
        if self.scale is None:
            self.scale = [rms(plain[:, k]) for k in range(n)]
        shapes = {effect: np.column_stack([
            EFFECTS[effect](Motion(q[:, k], qd[:, k], load[:, k], self.numbers[effect][k]))
            for k in range(n)]) for effect in self.effects if effect in EFFECTS}
        if self.coefficients is None:  # the shares refer to the first log, the training log without a load
            self.coefficients = {effect: np.array([
                self.effects[effect] * self.signs[effect][k] * self.scale[k] / max(rms(shape[:, k]), 1e-12) for k in range(n)])
                for effect, shape in shapes.items()}
        motor = plain + sum((self.coefficients[effect] * shape for effect, shape in shapes.items()), 0)
        for k in range(n - 1 if COUPLING in self.effects else 0):
            if self.coupling[k] is None:  # the share is that of the joint with the smaller torque
                pair = [self.scale[j] / rms(qd[:, 2 * k + 1 - j]) for j in (k, k + 1)]
                self.coupling[k] = self.effects[COUPLING] * self.signs[COUPLING][k] * min(pair)
            motor[:, k] += self.coupling[k] * qd[:, k + 1]
            motor[:, k + 1] += self.coupling[k] * qd[:, k]
        if DELAY in self.effects:
            if not self.delay:
                rate_of = np.gradient(motor, t, axis=0)
                wanted = self.effects[DELAY] * rms(motor) / rms(rate_of)
                self.delay = float(np.clip(wanted, 0.002, LONGEST_DELAY))
            motor = np.column_stack([np.interp(t - self.delay, t, motor[:, k]) for k in range(n)])
        tau = (1 + self.gains) * motor
        tau = tau + NOISE * np.sqrt(np.mean(tau ** 2, axis=0)) * random.normal(size=tau.shape)
        step = 2 * np.pi / COUNTS
        header = ",".join(["t", *(f"q_j{k + 1}" for k in range(n)), *(f"tau_j{k + 1}" for k in range(n))])
        np.savetxt(path, np.column_stack([t, np.round(q / step) * step, tau]), fmt="%.9g", delimiter=",", header=header, comments="")


def check(seeds):
    """The largest difference between Pinocchio and Newton-Euler, relative to the rms torque."""
    worst = 0.0
    for seed in seeds:
        random = np.random.default_rng(seed)
        robot = random_robot(random, seed)
        _, q, qd, qdd = robots.motion(random, robot.size, 0.5, 100)
        bare = dataclasses.replace(robot, viscous=0 * robot.viscous, coulomb=0 * robot.coulomb)
        expected = robots.torques(bare, q, qd, qdd)
        worst = max(worst, np.abs(bodies_torque(robot, q, qd, qdd) - expected).max() / rms(expected))
    return worst
