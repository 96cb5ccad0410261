"""A serial arm of a URDF by Newton's and Euler's equations in NumPy, over all samples at once. Shares no code with Heft."""

import xml.etree.ElementTree as ElementTree

import numpy as np

GRAVITY = np.array([0, 0, -9.81])
WIDTH = 0.05  # rad/s of dry friction


def numbers(text, default="0 0 0"):
    return np.array([float(word) for word in (text or default).split()])


def rotation_of(rpy):
    (sr, sp, sy), (cr, cp, cy) = np.sin(rpy), np.cos(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                     [-sp, cp * sr, cp * cr]])


class Arm:
    """True masses, centers and tensors differ from the file's by about `size`."""

    def __init__(self, urdf, random, size=0.1, noise=0.01):
        root = ElementTree.parse(urdf).getroot()
        links = {link.get("name"): link for link in root.findall("link")}
        self.random, self.noise = random, noise
        self.joints, self.bodies = [], []
        rotation, offset = np.eye(3), np.zeros(3)
        for joint in root.findall("joint"):
            origin = joint.find("origin")
            here = rotation_of(numbers(origin.get("rpy"))), numbers(origin.get("xyz"))
            offset, rotation = offset + rotation @ here[1], rotation @ here[0]
            if joint.get("type") == "fixed":  # only the last: nothing moves beyond it
                self.bodies[-1].append((*self.body(links[joint.find("child").get("link")], size), rotation, offset))
                continue
            limit = joint.find("limit")
            self.joints.append(dict(name=joint.get("name"), rotation=rotation, offset=offset,
                                    axis=numbers(joint.find("axis").get("xyz")), speed=float(limit.get("velocity")),
                                    effort=float(limit.get("effort")), upper=float(limit.get("upper"))))
            self.bodies.append([(*self.body(links[joint.find("child").get("link")], size), np.eye(3), np.zeros(3))])
            rotation, offset = np.eye(3), np.zeros(3)
        count = len(self.joints)
        effort = np.array([joint["effort"] for joint in self.joints])
        self.coulomb = 0.03 * effort * random.uniform(0.7, 1.3, count)
        self.viscous = 0.03 * effort * random.uniform(0.7, 1.3, count)
        self.rms = None
        self.waves = [(random.uniform(0.05, 0.5, 4) * 2 * np.pi, random.uniform(0, 2 * np.pi, 4),
                       random.uniform(0.5, 1, 4)) for _ in self.joints]

    def body(self, link, size):
        inertial = link.find("inertial")
        if inertial is None:
            return 0.0, np.zeros(3), np.zeros((3, 3))
        draw = self.random.normal
        mass = float(inertial.find("mass").get("value")) * np.exp(size * draw())
        values = {key: float(value) for key, value in inertial.find("inertia").attrib.items()}
        tensor = np.array([[values["ixx"], values["ixy"], values["ixz"]], [values["ixy"], values["iyy"], values["iyz"]],
                           [values["ixz"], values["iyz"], values["izz"]]]) * np.exp(size * draw())
        return mass, numbers(inertial.find("origin").get("xyz")) + 0.05 * size * draw(size=3), tensor

    def mass(self):
        return sum(part[0] for body in self.bodies for part in body)

    def motion(self, t):
        q, qd, qdd = [], [], []
        for joint, (w, phase, weight) in zip(self.joints, self.waves):
            # within half the limits of position and of speed
            a = weight / weight.sum() * min(0.5 * joint["upper"], 0.5 * joint["speed"] / (weight @ w / weight.sum()))
            angle = np.outer(t, w) + phase
            q.append(np.sin(angle) @ a)
            qd.append(np.cos(angle) @ (a * w))
            qdd.append(-np.sin(angle) @ (a * w * w))
        return tuple(np.array(x).T for x in (q, qd, qdd))

    def rigid_torques(self, q, qd, qdd, payload=0.0, center=(0.03, 0, 0.05), link=-1, gravity=GRAVITY):
        """`payload`: a point mass [kg] at `center` of a link, by default the last."""
        n, count = len(q), len(self.joints)
        w, wd, a = np.zeros((n, 3)), np.zeros((n, 3)), np.tile(-gravity, (n, 1))
        turns, wrenches = [], []
        for k, joint in enumerate(self.joints):
            z, skew = joint["axis"], np.cross(np.eye(3), joint["axis"])
            s, c = np.sin(q[:, k, None, None]), np.cos(q[:, k, None, None])
            turn = joint["rotation"] @ (np.eye(3) + s * skew + (1 - c) * (skew @ skew))
            r = joint["offset"]
            a = a + np.cross(wd, r) + np.cross(w, np.cross(w, r))
            w, wd, a = (np.einsum("nji,nj->ni", turn, x) for x in (w, wd, a))
            wd = wd + np.outer(qdd[:, k], z) + np.cross(w, np.outer(qd[:, k], z))
            w = w + np.outer(qd[:, k], z)
            parts = list(self.bodies[k])
            if payload and k == link % count:
                parts.append((payload, np.array(center), np.zeros((3, 3)), np.eye(3), np.zeros(3)))
            force, torque = np.zeros((n, 3)), np.zeros((n, 3))
            for mass, center, tensor, rotation, offset in parts:
                center, tensor = offset + rotation @ center, rotation @ tensor @ rotation.T
                f = mass * (a + np.cross(wd, center) + np.cross(w, np.cross(w, center)))
                force += f
                torque += wd @ tensor + np.cross(w, w @ tensor) + np.cross(center, f)
            turns.append(turn)
            wrenches.append((force, torque))
        tau = np.zeros((n, count))
        force, torque = np.zeros((n, 3)), np.zeros((n, 3))
        for k in reversed(range(count)):
            force, torque = force + wrenches[k][0], torque + wrenches[k][1]
            tau[:, k] = torque @ self.joints[k]["axis"]
            force, torque = (np.einsum("nij,nj->ni", turns[k], x) for x in (force, torque))
            torque = torque + np.cross(self.joints[k]["offset"], force)
        return tau

    def torques(self, t, friction=1.0, payload=0.0, gain=1.0, zero=0.0):
        """Motion and torques without noise. Faults are numbers or one per joint (friction also one per sample)."""
        q, qd, qdd = self.motion(t)
        tau = self.rigid_torques(q, qd, qdd, payload)
        tau = tau + friction * (self.coulomb * np.tanh(qd / WIDTH) + self.viscous * qd)
        if self.rms is None:
            self.rms = np.sqrt((tau ** 2).mean(axis=0))
        return q + zero, qd, qdd, gain * tau

    def log(self, t, **fault):
        """Rows t, q.., tau..: encoder and noise as those of `heft simulate`, with a fault of torques()."""
        q, _, _, tau = self.torques(t, **fault)
        tau = tau + self.noise * self.rms * self.random.normal(size=tau.shape)
        step = 2 * np.pi / 1e6
        return np.column_stack([t, step * np.round(q / step), tau])

    def header(self):
        names = [joint["name"] for joint in self.joints]
        return ",".join(["t", *(f"q_{name}" for name in names), *(f"tau_{name}" for name in names)])
