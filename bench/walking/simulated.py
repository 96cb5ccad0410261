"""Walking robots in MuJoCo: logs of joints, feet, IMU and pose, averaged over the period of the log as sensors do."""

import dataclasses
import math
import pathlib
import sys
import xml.etree.ElementTree as tree

import mujoco
import numpy as np

STEP = 5e-4  # [s]
STEPS_PER_ROW = 4  # 500 Hz
GRAVITY = np.array([0, 0, -9.81])
ROTOR = 0.01  # reflected inertia [kg m^2]
STIFF = [0.004, 1]  # time constant [s] and damping ratio of point feet; with the default they sink by 6 of 22 mm, with this by up to 3
FRICTION = (0.1, 0.2, 0.05)  # viscous [N m s/rad], Coulomb [N m], width of its tanh [rad/s]


@dataclasses.dataclass(frozen=True)
class Kind:
    """A robot of example-robot-data."""
    name: str
    urdf: str
    root: str
    feet: dict  # link of a foot -> centers of its spheres
    radius: float
    loaded_radius: float  # from the center of a foot to the force on it, weighted by its square: feet sink
    height: float  # of the base at the start [m]
    posture: dict  # part of a joint's name -> angle; the others start at zero
    gains: dict  # part of a joint's name -> stiffness [N m/rad] and damping [N m s/rad] of its control; the last that fits


GO2 = Kind("go2", "go2_description/urdf/go2.urdf", "base", {f"{leg}_foot": [(0, 0, 0)] for leg in ("FL", "FR", "RL", "RR")}, 0.022, 0.0204, 0.31,
           {"thigh": 0.85, "calf": -1.65}, {"": (60, 2.0)})
CORNERS = [(-0.05, 0.025, -0.03), (-0.05, -0.025, -0.03), (0.12, 0.03, -0.03), (0.12, -0.03, -0.03)]
G1 = Kind("g1", "g1_description/urdf/g1_29dof_rev_1_0.urdf", "pelvis",
          {"left_ankle_roll_link": CORNERS, "right_ankle_roll_link": CORNERS}, 0.005, 0.005, 0.79,
          {"hip_pitch": -0.1, "knee": 0.3, "ankle_pitch": -0.2, "elbow": 0.6, "left_shoulder_roll": 0.25, "right_shoulder_roll": -0.25},
          {"": (300, 5), "ankle": (200, 2), "shoulder": (60, 1), "elbow": (40, 0.6), "wrist": (8, 0.1)})


def robots_folder():
    """Of example-robot-data, from any Python environment on the path; None if there is none."""
    for place in [pathlib.Path(sys.prefix), *map(pathlib.Path, sys.path)]:
        for folder in sorted(place.glob("**/cmeel.prefix/share/example-robot-data/robots"))[:1] if place.is_dir() else []:
            return folder
    return None


def other_truth(inertial, rng):
    """The same body with other numbers: a random affine map of its mass distribution and a factor of its mass."""
    mass = float(inertial.find("mass").get("value"))
    origin, of = inertial.find("origin"), inertial.find("inertia")
    com = np.array([float(x) for x in origin.get("xyz").split()])
    rpy = [float(x) for x in origin.get("rpy", "0 0 0").split()]
    R = np.eye(3)
    for axis, angle in zip(range(3), rpy):
        c, s, i, j = np.cos(angle), np.sin(angle), (axis + 1) % 3, (axis + 2) % 3
        turn = np.eye(3)
        turn[[i, i, j, j], [i, j, i, j]] = c, -s, s, c
        R = turn @ R
    I = np.array([[float(of.get("i" + "".join(sorted(a + b)))) for b in "xyz"] for a in "xyz"])
    I = R @ I @ R.T
    spread = 0.5 * np.trace(I) * np.eye(3) - I
    T = np.eye(3) + 0.08 * rng.normal(size=(3, 3))
    mass *= rng.uniform(0.8, 1.2)
    spread = T @ spread @ T.T
    size = np.sqrt(np.trace(spread) / mass)
    com = com + 0.15 * size * rng.normal(size=3)
    I = np.trace(spread) * np.eye(3) - spread
    inertial.find("mass").set("value", repr(mass))
    origin.set("xyz", " ".join(map(repr, map(float, com))))
    origin.set("rpy", "0 0 0")
    for a in range(3):
        for b in range(a, 3):
            of.set("i" + "xyz"[a] + "xyz"[b], repr(float(I[a, b])))


def bare_urdf(kind, folder, truth=None):
    """Text of the URDF without shapes; with other inertias if `truth` is a seed."""
    robot = tree.parse(folder / kind.urdf).getroot()
    rng = np.random.default_rng(truth)
    for link in robot.findall("link"):
        for shape in link.findall("visual") + link.findall("collision"):
            link.remove(shape)
        inertial = link.find("inertial")
        if truth is not None and inertial is not None and float(inertial.find("mass").get("value")) > 0:
            other_truth(inertial, rng)
    for extra in robot.findall("mujoco"):
        robot.remove(extra)
    return tree.tostring(robot, encoding="unicode")


def compiled(kind, text, hung=False):
    """The MuJoCo model of a bare URDF on a floor; hung: held at its root."""
    text = text.replace("<link", '<mujoco><compiler fusestatic="false" balanceinertia="false"/></mujoco><link', 1)
    spec = mujoco.MjSpec.from_string(text)
    spec.option.timestep = STEP
    spec.option.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_EULERDAMP)
    root = spec.body(kind.root) or spec.worldbody.first_body()
    root.pos = [0, 0, kind.height + (1 if hung else 0)]
    if not hung:
        root.add_freejoint()
    spec.worldbody.add_geom(type=mujoco.mjtGeom.mjGEOM_PLANE, size=[10, 10, 0.1], contype=1, conaffinity=2, friction=[0.8, 0.01, 0.001])
    for foot, centers in kind.feet.items():
        solref = STIFF if len(centers) == 1 else [0.02, 1]
        for center in centers:
            spec.body(foot).add_geom(type=mujoco.mjtGeom.mjGEOM_SPHERE, size=[kind.radius] * 3, pos=list(center), contype=2,
                                     conaffinity=1, condim=3, mass=0, friction=[0.8, 0.01, 0.001], solref=solref)
    model = spec.compile()
    model.jnt_limited[:] = 0  # a limit pushes unseen
    model.dof_damping[:] = model.dof_frictionloss[:] = model.dof_armature[:] = 0
    model.dof_armature[-(model.nv - (0 if hung else 6)):] = ROTOR
    return model


class Robot:
    """A model with its state and names."""

    def __init__(self, kind, text, hung=False):
        self.kind, self.model = kind, compiled(kind, text, hung)
        self.data = mujoco.MjData(self.model)
        hinges = [j for j in range(self.model.njnt) if self.model.jnt_type[j] == mujoco.mjtJoint.mjJNT_HINGE]
        self.joints = [self.model.joint(j).name for j in hinges]
        self.at_q, self.at_v = self.model.jnt_qposadr[hinges], self.model.jnt_dofadr[hinges]
        self.floats = self.model.nv > len(hinges)
        self.rest = np.array([sum(angle for part, angle in kind.posture.items() if part in name) for name in self.joints])
        self.gains = np.array([[gain for part, gain in kind.gains.items() if part in name][-1] for name in self.joints]).T
        self.data.qpos[self.at_q] = self.rest
        self.feet = [self.model.body(foot).id for foot in kind.feet]
        self.foot_of = {body: k for k, body in enumerate(self.feet)}
        self.root = self.model.body(kind.root).id
        mujoco.mj_forward(self.model, self.data)

    def foot_wrenches(self):
        """Force and torque on every foot, about the link's origin, in the world's axes."""
        wrenches, force = np.zeros((len(self.feet), 6)), np.zeros(6)
        contacts = self.data.contact
        frames, positions, geoms = contacts.frame.reshape(-1, 3, 3), contacts.pos, contacts.geom
        for k in range(self.data.ncon):
            mujoco.mj_contactForce(self.model, self.data, k, force)
            f, n = force[:3] @ frames[k], force[3:] @ frames[k]
            for geom, sign in zip(geoms[k], (-1, 1)):
                foot = self.foot_of.get(self.model.geom_bodyid[geom])
                if foot is not None:
                    x, y, z = positions[k] - self.data.xpos[self.feet[foot]]
                    lever = (y * f[2] - z * f[1], z * f[0] - x * f[2], x * f[1] - y * f[0])
                    wrenches[foot, :3] += sign * f
                    wrenches[foot, 3:] += sign * (n + lever)
        return wrenches


def friction(robot, qd):
    """Less in weak joints, whose links are light."""
    viscous, coulomb, width = FRICTION
    return np.minimum(1, robot.gains[0] / 60) * (viscous * qd + coulomb * np.tanh(qd / width))


def simulate(robot, target, duration, settle=1.0):
    """Columns of a log by name, without noise. `target(t, robot)` gives joint angles and rates. None if the robot fell."""
    model, data, kind = robot.model, robot.data, robot.kind
    rows, sums, count = [], 0, 0
    for step in range(round((duration + settle) / STEP)):
        q, qd = data.qpos[robot.at_q], data.qvel[robot.at_v]
        wanted, rate = target(step * STEP, robot)
        torque = robot.gains[0] * (wanted - q) + robot.gains[1] * (rate - qd) + friction(robot, rate)
        # semi-implicit Euler: qvel is the velocity half a step before qpos and qacc
        data.qfrc_applied[robot.at_v] = torque - friction(robot, qd + 0.5 * STEP * data.qacc[robot.at_v])
        mujoco.mj_forward(model, data)
        R = data.xmat[robot.root].reshape(3, 3)
        if robot.floats:
            if data.qpos[2] < 0.6 * kind.height:
                return None
            w, u = data.qvel[3:6] + 0.5 * STEP * data.qacc[3:6], R.T @ (data.qacc[:3] - GRAVITY)
            pose = data.qpos[:7]
        else:
            w, u, pose = np.zeros(3), R.T @ -GRAVITY, np.array([0, 0, kind.height + 1, 1, 0, 0, 0])
        wrench = np.concatenate([np.concatenate([data.xmat[b].reshape(3, 3).T @ part for part in (x[:3], x[3:])])
                                 for b, x in zip(robot.feet, robot.foot_wrenches())])
        sums = sums + np.concatenate([q, qd + 0.5 * STEP * data.qacc[robot.at_v], torque, w, u, pose, wrench])
        count += 1
        if count == STEPS_PER_ROW:
            rows.append(sums / count)
            sums, count = 0, 0
        mujoco.mj_Euler(model, data)
    rows = np.array(rows)[round(settle / STEP / STEPS_PER_ROW):]
    names = [f"{prefix}_{joint}" for prefix in ("q", "qd", "tau") for joint in robot.joints]
    names += [f"gyro_{x}" for x in "xyz"] + [f"accel_{x}" for x in "xyz"] + ["px", "py", "pz", "qw", "qx", "qy", "qz"]
    names += [f"{foot}_{x}" for foot in kind.feet for x in ("fx", "fy", "fz", "nx", "ny", "nz")]
    time = STEP * STEPS_PER_ROW * np.arange(len(rows))
    return {"t": time, **dict(zip(names, rows.T))}


def waves(rng, size, slowest, count=3):
    """A smooth function of time, and its derivative."""
    parts = [(size * rng.uniform(0.4, 1) / k, 2 * np.pi * slowest * k * rng.uniform(0.9, 1.1), rng.uniform(0, 6.28))
             for k in range(1, count + 1)]
    return (lambda t: sum([a * math.sin(w * t + p) for a, w, p in parts]),
            lambda t: sum([a * w * math.cos(w * t + p) for a, w, p in parts]))


def hanging(robot, seed):
    """All joints wave."""
    rng = np.random.default_rng(seed)
    motions = [waves(rng, 0.35, 0.5) for _ in robot.joints]

    def target(t, robot):
        values = np.array([(angle(t), rate(t)) for angle, rate in motions])
        return robot.rest + values[:, 0], values[:, 1]
    return target


def leg_angles(x, z, length=0.213):
    """Thigh and calf of a go2 whose foot is at x forward and z below the hip."""
    knee = -2 * math.acos(min(1.0, math.hypot(x, z) / (2 * length)))
    return math.atan2(-x, z) - knee / 2, knee


def trotting(robot, seed, frequency=2.2, stride=0.05, lift=0.06, swing=0.4, phases=None):
    """Diagonal pairs step in turn while the body sways. `swing`: share of a step in the air; `phases`: of the legs, in steps."""
    rng = np.random.default_rng(seed)
    (heave, _), (lean, _), (roll, _) = waves(rng, 0.012, 0.4), waves(rng, 0.015, 0.3), waves(rng, 0.05, 0.35)
    phases = phases or {"FL": 0, "FR": 0.5, "RL": 0.5, "RR": 0}

    def angles(t):
        start = min(1.0, t / 1.0)
        height, forward, side = 0.285 + start * heave(t), start * lean(t) - 0.01, start * roll(t)
        wanted = {}
        for leg, first in phases.items():
            phase = (frequency * t + first) % 1
            swings = phase < swing
            part = phase / swing if swings else (phase - swing) / (1 - swing)
            x = stride * start * ((part - 0.5) if swings else (0.5 - part))
            z = height - start * (lift * math.sin(math.pi * part) ** 2 if swings else 0)
            thigh, calf = leg_angles(x + forward, z)
            wanted.update({f"{leg}_hip_joint": side, f"{leg}_thigh_joint": thigh, f"{leg}_calf_joint": calf})
        return np.array([wanted[name] for name in robot.joints])

    def target(t, robot):
        values = angles(t)
        return values, (angles(t + STEP) - values) / STEP
    return target


def walking(robot, seed):
    """One leg after the other steps, hind legs first, while three stand."""
    return trotting(robot, seed, 1.5, 0.04, 0.05, 0.22, {"RL": 0, "FL": 0.25, "RR": 0.5, "FR": 0.75})


def swaying(robot, seed):
    """Both feet on the floor: arms and waist wave, the legs bend, the ankles keep the balance."""
    rng = np.random.default_rng(seed)
    legs = ("hip", "knee", "ankle")
    motions = [(k, waves(rng, 0.25 if any(part in name for part in ("shoulder", "elbow", "wrist")) else 0.05, 0.4)[0])
               for k, name in enumerate(robot.joints) if not any(part in name for part in legs)]
    (bend, _), (lean, _) = waves(rng, 0.07, 0.3), waves(rng, 0.015, 0.3)
    shares = {"knee": 2, "hip_pitch": -1, "ankle_pitch": -1}
    bends = np.array([sum(share for part, share in shares.items() if part in name) for name in robot.joints])
    shares = {"hip_roll": 1, "ankle_roll": -1}
    leans = np.array([sum(share for part, share in shares.items() if part in name) for name in robot.joints])

    def angles(t):
        start = min(1.0, t / 1.0)
        values = robot.rest + start * (0.1 + bend(t)) * bends + start * lean(t) * leans
        for k, motion in motions:
            values[k] += start * motion(t)
        return values

    def target(t, robot):
        values = angles(t)
        rates = (angles(t + STEP) - values) / STEP
        w, x, y, z = robot.data.qpos[3:7]
        pitch, roll = 2 * (w * y - x * z), 2 * (w * x + y * z)
        away = robot.data.subtree_com[robot.root] - np.mean([robot.data.xpos[foot] for foot in robot.feet], axis=0)
        away = robot.data.xmat[robot.root].reshape(3, 3).T @ away
        pitch, roll = pitch + 2 * (away[0] - 0.035), roll - 2 * away[1]
        for k, name in enumerate(robot.joints):
            if "ankle_pitch" in name:
                values[k] += pitch + 0.2 * robot.data.qvel[4]
            elif "ankle_roll" in name:
                values[k] += roll + 0.2 * robot.data.qvel[3]
        return values, rates
    return target
