"""Random robots, their motion and their torques, in numpy alone: the oracle of bench/coverage.

Newton-Euler of a tree of revolute joints, for all samples at once and in world coordinates. Ten parameters of a body are
m, m c, and the tensor about the origin of its joint (Ixx, Ixy, Iyy, Ixz, Iyz, Izz). No line is shared with Heft.
"""
import dataclasses

import numpy as np

NAMES = ("m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
TENSOR = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))  # places of the last six in the tensor
GRAVITY = np.array([0.0, 0.0, -9.81])
TANH_WIDTH = 0.05  # of Coulomb friction, rad/s


@dataclasses.dataclass
class Robot:
    """A tree: joint k turns body k about `axes[k]` on body `parents[k]` (-1: the world), at `offsets[k]`."""
    parents: list
    offsets: np.ndarray
    axes: np.ndarray
    parameters: np.ndarray  # bodies x 10
    viscous: np.ndarray
    coulomb: np.ndarray

    @property
    def size(self):
        return len(self.parents)


def parameters_of(mass, com, tensor_about_com):
    tensor = tensor_about_com + mass * (com @ com * np.eye(3) - np.outer(com, com))
    return np.array([mass, *(mass * com), *(tensor[place] for place in TENSOR)])


def parts_of(parameters):
    """Mass, center of mass and the tensor about it."""
    mass, com = parameters[0], parameters[1:4] / parameters[0]
    tensor = np.zeros((3, 3))
    for value, (i, j) in zip(parameters[4:], TENSOR):
        tensor[i, j] = tensor[j, i] = value
    return mass, com, tensor - mass * (com @ com * np.eye(3) - np.outer(com, com))


def random_body(random, mass, reach):
    """A body of density that is not uniform between its joint and `reach`, the place of the next one."""
    half = 0.5 * np.maximum(np.abs(reach), 0.08 + 0.04 * random.random(3))
    com = 0.5 * reach + 0.25 * half * random.uniform(-1, 1, 3)
    turn = np.linalg.qr(random.normal(size=(3, 3)))[0]
    turn = turn if random.random() < 0.3 else np.eye(3)
    covariance = turn @ np.diag(mass * half ** 2 / 3 * random.uniform(0.6, 1.2, 3)) @ turn.T
    return parameters_of(mass, com, np.trace(covariance) * np.eye(3) - covariance)


def chain(random, num_joints, parent=-1, start=0, mass=8.0, length=0.35, root=(0, 0, 0.3)):
    """Parents, offsets, axes and parameters of a serial chain of joints with alternating axes."""
    parents, offsets, axes, bodies = [], [], [], []
    for k in range(num_joints):
        parents.append(parent if k == 0 else start + k - 1)
        offsets.append(np.array(root, float) if k == 0 else reach)
        axes.append(np.eye(3)[2 if k % 2 == 0 else 1])
        reach = length * 0.8 ** k * np.array([0.3, 0.25, 1.0]) * random.uniform(0.6, 1.2, 3)
        bodies.append(random_body(random, mass * 0.72 ** k * random.uniform(0.7, 1.3), reach))
    return parents, offsets, axes, bodies


def assembled(random, chains):
    parents, offsets, axes, bodies = (sum((list(part[k]) for part in chains), []) for k in range(4))
    size = len(parents)
    load = np.array([bodies[k][0] for k in range(size)])
    for k in range(size - 1, -1, -1):  # friction grows with what a joint carries
        if parents[k] >= 0:
            load[parents[k]] += load[k]
    return Robot(parents, np.array(offsets), np.array(axes), np.array(bodies),
                 0.08 * load * random.uniform(0.5, 1.5, size), 0.15 * load * random.uniform(0.5, 1.5, size))


def arm(random, num_joints):
    return assembled(random, [chain(random, num_joints)])


def thin_arm(random):
    """An arm of sheets and rods: the inertia of every body is on the boundary of what is physical, or within 1e-4 of it."""
    robot = arm(random, 6)
    bodies = []
    for k, parameters in enumerate(robot.parameters):
        mass, com, tensor = parts_of(parameters)
        covariance = 0.5 * np.trace(tensor) * np.eye(3) - tensor
        values, axes = np.linalg.eigh(covariance)
        values[:1 + k % 2] *= 1e-4  # sheets: one thin direction; rods: two
        covariance = axes @ np.diag(values) @ axes.T
        bodies.append(parameters_of(mass, com, np.trace(covariance) * np.eye(3) - covariance))
    return dataclasses.replace(robot, parameters=np.array(bodies))


def humanoid(random):
    """A humanoid whose pelvis hangs on a crane: two legs and two arms of three joints."""
    limbs = [(0.1, 0, 0, 6.0, 0.4), (-0.1, 0, 0, 6.0, 0.4), (0.2, 0, 0.5, 2.5, 0.3), (-0.2, 0, 0.5, 2.5, 0.3)]
    return assembled(random, [chain(random, 3, start=3 * k, mass=mass, length=length, root=root)
                              for k, (*root, mass, length) in enumerate(limbs)])


def with_payload(robot, random):
    """The robot with a body of 2 kg in its hand, and the same as its CAD knows it: without."""
    mass, com, tensor = parts_of(robot.parameters[-1])
    load, at = 2.0, com + np.array([0.0, 0.0, 0.1]) + 0.05 * random.uniform(-1, 1, 3)
    center = (mass * com + load * at) / (mass + load)
    spread = [(m, c - center) for m, c in ((mass, com), (load, at))]
    whole = tensor + load * 0.04 ** 2 * np.eye(3) + sum(m * (d @ d * np.eye(3) - np.outer(d, d)) for m, d in spread)
    parameters = robot.parameters.copy()
    parameters[-1] = parameters_of(mass + load, center, whole)
    return dataclasses.replace(robot, parameters=parameters)


def cad_of(robot, random, error):
    """Parameters of the robot file: each body off by about `error`, some bodies by half and some by twice as much.

    The pseudo-inertia about the center of mass, in units of itself, is multiplied from both sides by 1 + error/2 N."""
    bodies = []
    for parameters in robot.parameters:
        mass, com, tensor = parts_of(parameters)
        root = np.linalg.cholesky(0.5 * np.trace(tensor) * np.eye(3) - tensor)
        change = np.eye(4) + 0.5 * error * random.choice([0.5, 1, 2]) * np.clip(random.normal(size=(4, 4)), -1.5, 1.5)
        frame = np.block([[root, np.zeros((3, 1))], [np.zeros((1, 3)), np.array([[np.sqrt(mass)]])]])
        J = frame @ change @ change.T @ frame.T
        heavy, center = J[3, 3], J[:3, 3] / J[3, 3]
        covariance = J[:3, :3] - heavy * np.outer(center, center)
        bodies.append(parameters_of(heavy, com + center, np.trace(covariance) * np.eye(3) - covariance))
    return np.array(bodies)


def motion(random, size, duration, rate, low=0.08, high=0.9, terms=6):
    """q, qd, qdd of sums of sines that rest at neither end, samples x joints."""
    t = np.arange(int(duration * rate)) / rate
    q, qd, qdd = (np.zeros((len(t), size)) for _ in range(3))
    for joint in range(size):
        for frequency in random.uniform(low, high, terms):
            w, phase = 2 * np.pi * frequency, random.uniform(0, 2 * np.pi)
            size_of = random.uniform(0.3, 1) * min(0.45, 0.5 / w)
            q[:, joint] += size_of * np.sin(w * t + phase)
            qd[:, joint] += size_of * w * np.cos(w * t + phase)
            qdd[:, joint] -= size_of * w * w * np.sin(w * t + phase)
    return t, q, qd, qdd


def turn_about(axis, angles):
    """Rotations about a fixed axis, samples x 3 x 3 (Rodrigues)."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    s, c = np.sin(angles)[:, None, None], np.cos(angles)[:, None, None]
    return np.eye(3) + s * K + (1 - c) * K @ K


def kinematics(robot, q, qd, qdd):
    """Per body: orientation, origin, axis of its joint, angular velocity and acceleration, acceleration of the origin minus gravity."""
    samples = len(q)
    still = (np.broadcast_to(np.eye(3), (samples, 3, 3)), np.zeros((samples, 3)), None, np.zeros((samples, 3)),
             np.zeros((samples, 3)), np.broadcast_to(-GRAVITY, (samples, 3)))
    bodies = []
    for k, parent in enumerate(robot.parents):
        R, p, _, w, wd, a = still if parent < 0 else bodies[parent]
        r = R @ robot.offsets[k]
        axis = R @ robot.axes[k]
        a_here = a + np.cross(wd, r) + np.cross(w, np.cross(w, r))
        rate = axis * qd[:, k:k + 1]
        bodies.append((R @ turn_about(robot.axes[k], q[:, k]), p + r, axis, w + rate,
                       wd + axis * qdd[:, k:k + 1] + np.cross(w, rate), a_here))
    return bodies


def wrench(body, parameters):
    """Force and moment about its own origin that move a body so, in world coordinates."""
    R, _, _, w, wd, a = body
    h = R @ parameters[1:4]
    tensor = np.zeros((3, 3))
    for value, (i, j) in zip(parameters[4:], TENSOR):
        tensor[i, j] = tensor[j, i] = value
    tensor = R @ tensor @ R.transpose(0, 2, 1)
    spin = np.einsum("nij,nj->ni", tensor, w)
    return (parameters[0] * a + np.cross(wd, h) + np.cross(w, np.cross(w, h)),
            np.cross(h, a) + np.einsum("nij,nj->ni", tensor, wd) + np.cross(w, spin))


def carried(robot, k):
    """The bodies that joint k moves."""
    moved = {k}
    for j in range(k + 1, robot.size):
        if robot.parents[j] in moved:
            moved.add(j)
    return moved


def torques(robot, q, qd, qdd):
    """Joint torques, samples x joints, with friction."""
    bodies = kinematics(robot, q, qd, qdd)
    wrenches = [wrench(body, parameters) for body, parameters in zip(bodies, robot.parameters)]
    tau = robot.viscous * qd + robot.coulomb * np.tanh(qd / TANH_WIDTH)
    for k in range(robot.size):
        for j in carried(robot, k):
            force, moment = wrenches[j]
            tau[:, k] += np.sum(bodies[k][2] * (moment + np.cross(bodies[j][1] - bodies[k][1], force)), axis=1)
    return tau


def noise(random, tau, rate, level, color):
    """Noise of `level` times the rms torque of a joint; colored: most of it with a memory of 0.3 s, a part common to all joints."""
    white = random.normal(size=tau.shape)
    if color == "colored":
        memory = np.exp(-1 / (0.3 * rate))
        slow = np.sqrt(1 - memory ** 2) * (random.normal(size=tau.shape) + random.normal(size=(len(tau), 1))) / np.sqrt(2)
        state = random.normal(size=tau.shape[1])
        for k in range(len(tau)):
            state = slow[k] = memory * state + slow[k]
        white = np.sqrt(0.5) * white + 0.3 * slow
    return level * np.sqrt(np.mean(tau ** 2, axis=0)) * white


def urdf(robot, parameters, name="robot"):
    """The robot file with these parameters."""
    lines = [f'<robot name="{name}"><link name="base"/>']
    for k, parent in enumerate(robot.parents):
        mass, com, tensor = parts_of(parameters[k])
        values = " ".join(f'i{"xyz"[i]}{"xyz"[j]}="{tensor[i, j]:.17g}"' for i, j in TENSOR)
        lines += [f'<link name="l{k + 1}"><inertial><origin xyz="{com[0]:.17g} {com[1]:.17g} {com[2]:.17g}"/><mass value="{mass:.17g}"/>'
                  f"<inertia {values}/></inertial></link>",
                  f'<joint name="j{k + 1}" type="continuous"><parent link="{"base" if parent < 0 else f"l{parent + 1}"}"/><child link="l{k + 1}"/>'
                  f'<origin xyz="{" ".join(f"{x:.17g}" for x in robot.offsets[k])}"/><axis xyz="{" ".join(f"{x:g}" for x in robot.axes[k])}"/></joint>']
    return "\n".join([*lines, "</robot>"])
