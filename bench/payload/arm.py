"""An arm that carries a body: its torques from Newton's and Euler's laws link by link, in numpy, without Heft's code.

Reads the URDF itself: a chain of revolute joints, with fixed links at its end.
"""
import xml.etree.ElementTree as ElementTree

import numpy as np

GRAVITY = np.array([0, 0, -9.81])
WIDTH = 0.05  # [rad/s] of Coulomb friction, tanh(qd / WIDTH)


def vector(text):
    return np.array([float(word) for word in (text or "0 0 0").split()])


def rotation(rpy):
    (cr, cp, cy), (sr, sp, sy) = np.cos(rpy), np.sin(rpy)
    return np.array([[cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                     [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr], [-sp, cp * sr, cp * cr]])


class Arm:
    """Joints in their order: names, axes, places; `links`: what moves with each, and `fixed`: (name, carrier, R, p)."""

    def __init__(self, path):
        root = ElementTree.parse(path).getroot()
        joints = {joint.find("parent").get("link"): joint for joint in root.findall("joint")}
        link = next(iter({j.find("parent").get("link") for j in joints.values()} -
                         {j.find("child").get("link") for j in joints.values()}))
        self.joints, self.fixed = [], []
        while link in joints:
            joint = joints[link]
            origin, child = joint.find("origin"), joint.find("child").get("link")
            place = (vector(origin.get("xyz")), rotation(vector(origin.get("rpy"))))
            if joint.get("type") == "fixed":
                self.fixed.append((child, link, *place))
            else:
                limit = joint.find("limit")
                self.joints.append({"name": joint.get("name"), "link": child, "p": place[0], "R": place[1],
                                    "axis": vector(joint.find("axis").get("xyz")), "lower": float(limit.get("lower")),
                                    "upper": float(limit.get("upper")), "velocity": float(limit.get("velocity"))})
            link = child

    def motion(self, duration, rate, rng, speed=0.5):
        """t, q, qd, qdd of a random Fourier series of five harmonics within the limits, as far as `speed` of the largest velocity."""
        t = np.arange(int(duration * rate)) / rate
        n, w = len(self.joints), 2 * np.pi / 10
        q, qd, qdd = (np.zeros((len(t), n)) for _ in range(3))
        for k in range(1, 6):
            a, b = rng.standard_normal((2, n)) / k
            c, s = np.cos(k * w * t)[:, None], np.sin(k * w * t)[:, None]
            q += a * s - b * c
            qd += k * w * (a * c + b * s)
            qdd += (k * w) ** 2 * (-a * s + b * c)
        for j, joint in enumerate(self.joints):
            middle, half = (joint["upper"] + joint["lower"]) / 2, 0.9 * (joint["upper"] - joint["lower"]) / 2
            offset = (q[:, j].max() + q[:, j].min()) / 2
            scale = min(half / np.abs(q[:, j] - offset).max(), speed * joint["velocity"] / np.abs(qd[:, j]).max())
            q[:, j] = middle + scale * (q[:, j] - offset)
            qd[:, j] *= scale
            qdd[:, j] *= scale
        return t, q, qd, qdd

    def torques(self, bodies, friction, q, qd, qdd):
        """Samples x joints: `bodies` are ten parameters of every moving link (Heft's order, its frame), `friction` (viscous,
        Coulomb) of every joint."""
        n = len(self.joints)
        w = wd = np.zeros((len(q), 3))
        a = np.tile(-GRAVITY, (len(q), 1))
        steps, forces, moments = [], [], []
        for j, joint in enumerate(self.joints):
            K = np.array([[0, -joint["axis"][2], joint["axis"][1]], [joint["axis"][2], 0, -joint["axis"][0]],
                          [-joint["axis"][1], joint["axis"][0], 0]])
            s, c = np.sin(q[:, j])[:, None, None], np.cos(q[:, j])[:, None, None]
            R = joint["R"] @ (np.eye(3) + s * K + (1 - c) * (K @ K))  # joint's link to the one before
            down = lambda v: np.einsum("nji,nj->ni", R, v)
            arm = np.tile(joint["p"], (len(q), 1))
            a = down(a + np.cross(wd, arm) + np.cross(w, np.cross(w, arm)))
            axis = np.tile(joint["axis"], (len(q), 1))
            w0 = down(w)
            wd = down(wd) + qdd[:, j, None] * axis + np.cross(w0, qd[:, j, None] * axis)
            w = w0 + qd[:, j, None] * axis
            x = bodies[j]
            h, I = x[1:4], np.array([[x[4], x[5], x[7]], [x[5], x[6], x[8]], [x[7], x[8], x[9]]])
            H = np.tile(h, (len(q), 1))
            forces.append(x[0] * a + np.cross(wd, H) + np.cross(w, np.cross(w, H)))
            moments.append(np.cross(H, a) + wd @ I + np.cross(w, w @ I))
            steps.append(R)
        torque = np.empty((len(q), n))
        f = m = np.zeros((len(q), 3))
        for j in reversed(range(n)):
            f, m = forces[j] + f, moments[j] + m
            torque[:, j] = m @ self.joints[j]["axis"]
            f, m = np.einsum("nij,nj->ni", steps[j], f), np.einsum("nij,nj->ni", steps[j], m)
            m = m + np.cross(np.tile(self.joints[j]["p"], (len(q), 1)), f)
        viscous, coulomb = np.array(friction).T
        return torque + viscous * qd + coulomb * np.tanh(qd / WIDTH)

    def carried(self, bodies, link, payload):
        """The bodies with a payload, given in the frame of `link`, on the one that carries it."""
        p, R = np.zeros(3), np.eye(3)
        for name, carrier, place, turn in reversed(self.fixed):
            if name == link:
                p, R, link = place + turn @ p, turn @ R, carrier
        bodies = [np.array(x) for x in bodies]
        bodies[[joint["link"] for joint in self.joints].index(link)] += moved(payload, p, R)
        return bodies


def moved(x, p, R):
    """Ten parameters in another frame, x_new = R x_old + p."""
    T = np.eye(4)
    T[:3, :3], T[:3, 3] = R, p
    I = np.array([[x[4], x[5], x[7]], [x[5], x[6], x[8]], [x[7], x[8], x[9]]])
    J = np.zeros((4, 4))
    J[:3, :3] = np.trace(I) / 2 * np.eye(3) - I
    J[:3, 3] = J[3, :3] = x[1:4]
    J[3, 3] = x[0]
    J = T @ J @ T.T
    I = np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3]
    return np.array([J[3, 3], *J[:3, 3], I[0, 0], I[0, 1], I[1, 1], I[0, 2], I[1, 2], I[2, 2]])


def write_log(path, arm, t, q, torque, rng, torque_noise=0.01, encoder_counts=1e6):
    """As heft simulate: encoders of so many counts a turn, noise of so much of a joint's rms torque."""
    step = 2 * np.pi / encoder_counts
    q = step * np.round(q / step)
    torque = torque + torque_noise * np.sqrt(np.mean(torque**2, axis=0)) * rng.standard_normal(torque.shape)
    names = [joint["name"] for joint in arm.joints]
    header = ",".join(["t", *(f"q_{name}" for name in names), *(f"tau_{name}" for name in names)])
    np.savetxt(path, np.column_stack([t, q, torque]), delimiter=",", header=header, comments="", fmt="%.10g")


def read_truth(truth, arm):
    """Bodies and friction of heft simulate's truth.json."""
    values = {name: entry["value"] for name, entry in truth["parameters"].items()}
    names = ["m", "mcx", "mcy", "mcz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz"]
    bodies = [np.array([values[f"{joint['link']}.{name}"] for name in names]) for joint in arm.joints]
    friction = [(values[f"viscous {joint['name']}"], values[f"coulomb {joint['name']}"]) for joint in arm.joints]
    return bodies, friction
