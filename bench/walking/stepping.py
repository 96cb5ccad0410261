"""A g1 that steps on the spot in MuJoCo.

The load moves from foot to foot in a fixed rhythm, and the center of mass follows it as a pendulum that stands on the load. The controller
knows the parameters of the simulated robot, which Heft does not; Heft sees only the log.
"""

import math

import mujoco
import numpy as np

from simulated import GRAVITY, STEP, waves

PERIOD = 1.4  # of two steps [s]
SHIFT = 0.2  # in which the load moves from one foot to the other [s]
FIRST_LIFT = 2 * PERIOD  # the robot sways on both feet until then [s]
LIFT = 0.05  # of a foot [m]
HEIGHT_STIFFNESS, HEIGHT_DAMPING = 30, 9  # of the center of mass [1/s^2, 1/s]
TURN_STIFFNESS, TURN_DAMPING, LARGEST_TURN = 150, 20, 25  # of the trunk [N m/rad, N m s/rad, N m]
CAPTURE = 2.0  # how far the point of load moves per error of the capture point
POSTURE_STIFFNESS, POSTURE_DAMPING = 300, 30  # of joints [1/s^2, 1/s]
FOOT_STIFFNESS, FOOT_DAMPING = 900, 50  # of feet in the air; loaded feet are only damped [1/s^2, 1/s]
LOADED = 0.02  # share of the weight from which a foot counts as loaded
SOLE = np.array([0.035, 0, -0.035])  # its center in the axes of the foot's link [m]
SOLE_HALF = np.array([0.05, 0.018])  # of the area where the load may be [m]
SOLE_LEVERS = np.array([0.02, 0.06, 0.04])  # moments that a foot of unit load may exert about x, y and z [m]


def smooth(part):
    """From 0 to 1 with rates of zero at both ends."""
    part = min(1.0, max(0.0, part))
    return part**2 * (3 - 2 * part)


def load_of_left(phase):
    """Share of the weight on the left foot, and how far (0 to 1) the load has gone through the left and the right foot's swing."""
    half, shift = 0.5, SHIFT / PERIOD
    if phase < half:  # the right foot swings after the shift to the left one
        return smooth(phase / shift), None, max(0.0, (phase - shift) / (half - shift))
    return 1 - smooth((phase - half) / shift), max(0.0, (phase - half - shift) / (half - shift)), None


def sway_of_center(height, samples=512):
    """Fourier coefficients of the share of the way to the left foot at which the center of mass is: a pendulum on the point of load."""
    load = np.array([load_of_left(k / samples)[0] for k in range(samples)])
    coefficients = np.fft.rfft(load) / samples
    frequency = 2 * np.pi * np.arange(len(coefficients)) / PERIOD
    return (coefficients / (1 + frequency**2 * height / -GRAVITY[2]))[:20], frequency[:20]


def skew(v):
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def rotation_vector(R):
    """Of a small rotation."""
    return 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])


class Stepper:
    """Plans postures by inverse kinematics, and follows them by inverse dynamics with foot forces that balance the robot."""

    def __init__(self, robot, seed):
        rng = np.random.default_rng(seed)
        self.robot, self.plan = robot, mujoco.MjData(robot.model)
        self.legs = [[k for k, name in enumerate(robot.joints) if name.startswith(side) and any(part in name for part in ("hip", "knee", "ankle"))]
                     for side in ("left", "right")]
        of_leg = {k for leg in self.legs for k in leg}
        self.arms = [(k, waves(rng, 0.25 if any(part in name for part in ("shoulder", "elbow", "wrist")) else 0.05, 0.4)[0])
                     for k, name in enumerate(robot.joints) if k not in of_leg]
        self.heave, self.lean = waves(rng, 0.02, 0.5)[0], waves(rng, 0.01, 0.3)[0]
        self.turns = [waves(rng, 0.05, 0.35)[0] for _ in range(3)]
        self.plan.qpos[:] = robot.data.qpos
        self.kinematics()
        feet = np.array([self.plan.xpos[foot] for foot in robot.feet])
        self.plan.qpos[2] += -SOLE[2] - feet[:, 2].mean()
        self.kinematics()
        self.start = np.array([self.plan.xpos[foot] for foot in robot.feet])
        self.start[:, 2] = -SOLE[2]
        self.soles = self.start + SOLE
        self.center = self.plan.subtree_com[robot.root].copy()
        self.center[:2] = self.soles[:, :2].mean(axis=0)
        self.coefficients, self.frequency = sway_of_center(self.center[2] - 0.04)
        self.values = robot.rest.copy()
        self.wanted, self.feet_rate = self.start, 0 * self.start

    def kinematics(self):
        mujoco.mj_kinematics(self.robot.model, self.plan)
        mujoco.mj_comPos(self.robot.model, self.plan)

    def center_at(self, t):
        """Wanted center of mass."""
        share = (self.coefficients * np.exp(1j * self.frequency * t) * np.where(self.frequency > 0, 2, 1)).sum().real
        start = smooth(t / FIRST_LIFT)
        center = self.center + start * (share - 0.5) * (self.soles[0] - self.soles[1]) * [1, 1, 0]
        center[0] += start * self.lean(t)
        center[2] += start * (self.heave(t) - 0.04)
        return center

    def posture(self, t, iterations=1):
        """Joint angles whose center of mass, trunk and feet are where they are wanted."""
        robot, plan = self.robot, self.plan
        start, turn = smooth(t / FIRST_LIFT), np.zeros(4)
        mujoco.mju_euler2Quat(turn, [start * wave(t) for wave in self.turns], "xyz")
        plan.qpos[3:7] = turn
        for k, arm in self.arms:
            self.values[k] = robot.rest[k] + start * arm(t)
        wanted = self.start.copy()
        if t > FIRST_LIFT:
            for foot, swing in enumerate(load_of_left((t / PERIOD) % 1)[1:]):
                if swing is not None:
                    wanted[foot, 2] += LIFT * math.sin(math.pi * swing)**2
        self.feet_rate = (wanted - self.wanted) / STEP
        self.wanted = wanted
        J, missing = np.zeros((2, 3, robot.model.nv)), np.zeros(6)
        for _ in range(iterations):
            plan.qpos[:3] += self.center_at(t) - plan.subtree_com[robot.root]
            plan.qpos[robot.at_q] = self.values
            self.kinematics()
            for foot, leg in enumerate(self.legs):
                body = robot.feet[foot]
                mujoco.mj_jacBody(robot.model, plan, J[0], J[1], body)
                missing[:3] = wanted[foot] - plan.xpos[body]
                missing[3:] = -rotation_vector(plan.xmat[body].reshape(3, 3))
                self.values[leg] += np.linalg.solve(J[:, :, robot.at_v[leg]].reshape(6, 6), missing)
        return self.values.copy()

    def wanted_wrench(self, t):
        """Force and torque about the center of mass. The point of load corrects the center's capture point, the rest turns the trunk."""
        robot, data = self.robot, self.robot.data
        before, now, after = [self.center_at(t + dt) for dt in (-0.01, 0, 0.01)]
        rate, acceleration = (after - before) / 0.02, (after - 2 * now + before) / 1e-4
        mujoco.mj_subtreeVel(robot.model, data)
        mass = robot.model.body_subtreemass[robot.root]
        at, speed = data.subtree_com[robot.root], data.subtree_linvel[robot.root]
        rise = acceleration[2] + HEIGHT_STIFFNESS * (now[2] - at[2]) + HEIGHT_DAMPING * (rate[2] - speed[2])
        weight = mass * max(2.0, rise - GRAVITY[2])
        height, frequency = now[2], math.sqrt(-GRAVITY[2] / now[2])
        away = at + speed / frequency - now - rate / frequency
        load = now - acceleration / frequency**2 + CAPTURE * away
        soles = self.sole_positions()
        loaded = soles[[share > LOADED for share in self.shares(t)]]
        low, high = loaded[:, :2].min(axis=0) - SOLE_HALF, loaded[:, :2].max(axis=0) + SOLE_HALF
        load = np.clip(load[:2], low, high)
        R, wanted = data.xmat[robot.root].reshape(3, 3), np.zeros(9)
        mujoco.mju_quat2Mat(wanted, self.plan.qpos[3:7])
        torque = TURN_STIFFNESS * rotation_vector(wanted.reshape(3, 3) @ R.T) - TURN_DAMPING * R @ data.qvel[3:6]
        torque = np.clip(torque, -LARGEST_TURN, LARGEST_TURN)
        # the trunk may only shift the load where a sole is
        torque[0] = np.clip(torque[0], weight * (low - load)[1], weight * (high - load)[1])
        torque[1] = np.clip(torque[1], weight * (load - high)[0], weight * (load - low)[0])
        return np.concatenate([weight / height * (at[:2] - load), [weight], torque])

    def shares(self, t):
        """Of the weight, on the left and the right foot."""
        share = 0.5 + smooth(t / FIRST_LIFT) * (load_of_left((t / PERIOD) % 1)[0] - 0.5)
        return share, 1 - share

    def sole_positions(self):
        data = self.robot.data
        return np.array([data.xpos[foot] + data.xmat[foot].reshape(3, 3) @ SOLE for foot in self.robot.feet])

    def foot_wrenches(self, t):
        """Force and torque of every foot, about the center of its sole."""
        wanted, shares, soles = self.wanted_wrench(t), self.shares(t), self.sole_positions()
        at = self.robot.data.subtree_com[self.robot.root]
        first = np.concatenate([np.concatenate([part * wanted[:3], np.zeros(3)]) for part in shares])
        A = np.vstack([np.hstack([np.eye(3), np.zeros((3, 3))] * 2),
                       np.hstack([block for sole in soles for block in (skew(sole - at), np.eye(3))])])
        weight = np.concatenate([max(part, 1e-3)**2 * np.concatenate([[1, 1, 1], SOLE_LEVERS**2]) for part in shares])
        found = (first + weight * (A.T @ np.linalg.solve(A @ (weight[:, None] * A.T), wanted - A @ first))).reshape(2, 6)
        for wrench in found:
            wrench[2] = max(0.0, wrench[2])
            wrench[3:] = np.clip(wrench[3:], -SOLE_LEVERS * wrench[2], SOLE_LEVERS * wrench[2])
        return soles, found

    def torques(self, t, values, rates):
        """Of the joints: inverse dynamics. Foot forces and loaded feet have priority over the posture."""
        robot, model, data = self.robot, self.robot.model, self.robot.data
        M, J = np.zeros((model.nv, model.nv)), np.zeros((2, 3, model.nv))
        mujoco.mj_fullM(model, *((data, M) if mujoco.__version__ >= "3.5" else (M, data.qM)))
        load, hard, wanted = -data.qfrc_bias, [], []
        for k, (foot, share, sole, wrench) in enumerate(zip(robot.feet, self.shares(t), *self.foot_wrenches(t))):
            mujoco.mj_jac(model, data, J[0], J[1], sole, foot)
            load += wrench @ J.reshape(6, -1)
            hard.append(J.reshape(6, -1).copy())
            wanted.append(-FOOT_DAMPING * hard[-1] @ data.qvel)
            if share <= LOADED:
                R = data.xmat[foot].reshape(3, 3)
                wanted[-1][:3] += FOOT_DAMPING * self.feet_rate[k] + FOOT_STIFFNESS * (self.wanted[k] + SOLE - sole)
                wanted[-1][3:] -= FOOT_STIFFNESS * rotation_vector(R)
        acceleration = np.zeros(model.nv)
        acceleration[robot.at_v] = POSTURE_STIFFNESS * (values - data.qpos[robot.at_q]) + POSTURE_DAMPING * (rates - data.qvel[robot.at_v])
        weight = np.concatenate([np.full(3, 100.0), np.full(3, 10.0), np.ones(model.nv - 6)])
        C, d = np.vstack([M[:6], *hard]), np.concatenate([load[:6], *wanted])
        gap = (C * weight) @ C.T
        gap += 1e-6 * np.diag(np.diag(gap))
        acceleration += weight * (C.T @ np.linalg.solve(gap, d - C @ acceleration))
        return (M @ acceleration - load)[robot.at_v]


def stepping(robot, seed):
    """One foot at a time is lifted while arms and waist wave; the load moves to the other foot first."""
    stepper = Stepper(robot, seed)
    stepper.posture(0, 30)
    last = stepper.values.copy()

    def target(t, robot):
        nonlocal last
        values = stepper.posture(t)
        rates = (values - last) / STEP
        last = values
        return robot.data.qpos[robot.at_q] + stepper.torques(t, values, rates) / robot.gains[0], robot.data.qvel[robot.at_v]
    return target
