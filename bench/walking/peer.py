"""Identification of a robot in contact as in Python today [Khorshidi et al. 2024, with MOSEK]: regressors of Pinocchio for every row of
the log, projected onto the null space of the contact Jacobian, inertias that are physically consistent, and the log-determinant's
second-order substitute as regularization; Clarabel solves the semidefinite program."""

import dataclasses
import time
import xml.etree.ElementTree as tree

import clarabel
import numpy as np
import pinocchio as pin
from scipy import signal, sparse

MOTION_HZ, ROW_HZ, KEEP_EVERY, WEIGHT = 60, 15, 8, 1e-2
WIDEN_S, WIDTH = 0.024, 0.05


@dataclasses.dataclass
class Answer:
    known: dict  # joint -> expression of its friction
    seconds: float  # processor time


def lowpass(values, hz, rate):
    return signal.sosfiltfilt(signal.butter(4, hz, fs=rate, output="sos"), values, axis=0)


def widened(flags, by):
    """Rows within `by` of a contact."""
    return np.array([np.convolve(flag, np.ones(2 * by + 1), mode="same") > 0 for flag in flags.T]).T


class Rows:
    """Motion of a log and its contacts."""

    def __init__(self, model, path, kind):
        names = path.open().readline().strip().split(",")
        table = np.loadtxt(path, delimiter=",", skiprows=1)
        self.rate = 1 / (table[1, 0] - table[0, 0])
        take = lambda wanted: table[:, [names.index(name) for name in wanted]]  # noqa: E731
        self.joints = [model.names[i] for i in range(2, model.njoints)]
        q = lowpass(take([f"q_{joint}" for joint in self.joints]), MOTION_HZ, self.rate)
        w = lowpass(take([f"gyro_{x}" for x in "xyz"]), MOTION_HZ, self.rate)
        u = lowpass(take([f"accel_{x}" for x in "xyz"]), MOTION_HZ, self.rate)
        derivative = lambda x: np.gradient(x, 1 / self.rate, axis=0)  # noqa: E731
        self.qd, self.qdd = derivative(q), derivative(derivative(q))
        zero = np.zeros_like(u)
        self.v, self.a = np.hstack([zero, w, self.qd]), np.hstack([u, derivative(w), self.qdd])
        quaternion = take(["qx", "qy", "qz", "qw"])
        self.q = np.hstack([zero, quaternion / np.linalg.norm(quaternion, axis=1, keepdims=True), q])
        self.tau = np.hstack([np.zeros((len(q), 6)), take([f"tau_{joint}" for joint in self.joints])])
        self.on = widened(take([f"{foot}_on" for foot in kind.feet]), round(WIDEN_S * self.rate))


def contact_jacobian(model, data, frames, on, kind, is_point):
    """Rows of all feet in contact: forces at the lowest point of a sphere, or force and torque of a sole."""
    blocks = []
    for frame, touches in zip(frames, on):
        if not touches:
            continue
        J = pin.getFrameJacobian(model, data, frame, pin.LOCAL_WORLD_ALIGNED)
        if is_point:
            arm = np.array([0, 0, -kind.loaded_radius])
            blocks.append(J[:3] - pin.skew(arm) @ J[3:])
        else:
            blocks.append(J)
    return np.vstack(blocks) if blocks else None


def projected_rows(model, rows, kind, scale):
    """Rows of all samples with the torque last: samples x channels x (parameters + 1)."""
    data = model.createData()
    frames = [model.getFrameId(foot) for foot in kind.feet]
    is_point = len(next(iter(kind.feet.values()))) == 1
    n = len(rows.joints)
    num_inertial = 10 * (model.njoints - 1)
    out = np.zeros((len(rows.q), model.nv, num_inertial + 3 * n + 1))
    for i in range(len(rows.q)):
        Y = out[i]
        Y[:, :num_inertial] = pin.computeJointTorqueRegressor(model, data, rows.q[i], rows.v[i], rows.a[i])
        for k, column in enumerate((rows.qd[i], np.tanh(rows.qd[i] / WIDTH), rows.qdd[i])):
            Y[6:, num_inertial + k * n:num_inertial + (k + 1) * n] = np.diag(column)
        Y[:, -1] = rows.tau[i]
        Y /= scale[:, None]
        pin.computeJointJacobians(model, data, rows.q[i])
        pin.updateFramePlacements(model, data)
        J = contact_jacobian(model, data, frames, rows.on[i], kind, is_point)
        if J is not None:
            Q, _ = np.linalg.qr((J / scale).T)
            Y -= Q @ (Q.T @ Y)
    return out


PSEUDO = np.zeros((10, 4, 4))  # of the parameters m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz
PSEUDO[0, 3, 3] = 1
for axis in range(3):
    PSEUDO[1 + axis, axis, 3] = PSEUDO[1 + axis, 3, axis] = 1
for index, (a, b) in zip((4, 6, 9), ((0, 0), (1, 1), (2, 2))):
    PSEUDO[index, :3, :3] = 0.5 * np.eye(3)
    PSEUDO[index, a, a] -= 1
for index, (a, b) in zip((5, 7, 8), ((0, 1), (0, 2), (1, 2))):
    PSEUDO[index, a, b] = PSEUDO[index, b, a] = -1


def prior_of(model):
    return np.concatenate([model.inertias[i].toDynamicParameters() for i in range(1, model.njoints)])


def solve(H, g, num_bodies, num_columns):
    """min x'Hx/2 + g'x with consistent bodies and columns that are not negative."""
    triangle = [(i, j) for j in range(4) for i in range(j + 1)]
    svec = np.array([[P[i, j] * (1 if i == j else np.sqrt(2)) for i, j in triangle] for P in PSEUDO]).T
    blocks = [sparse.kron(sparse.eye(num_bodies), svec)]
    A = sparse.block_diag([*blocks, sparse.eye(num_columns)], format="csc")
    cones = [clarabel.PSDTriangleConeT(4)] * num_bodies + [clarabel.NonnegativeConeT(num_columns)]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    solver = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(H)), g, -A, np.zeros(A.shape[0]), cones, settings)
    return np.array(solver.solve().x)


def fit(rows, prior, num_columns):
    """Weighted least squares with the distance of Lee, Wensing and Park from the prior."""
    num_bodies = len(prior) // 10
    flat = rows.reshape(-1, rows.shape[-1])
    H, g = flat[:, :-1].T @ flat[:, :-1], -flat[:, :-1].T @ flat[:, -1]
    total = len(flat)
    for body in range(num_bodies):
        part = slice(10 * body, 10 * body + 10)
        inverse = np.linalg.pinv(np.einsum("k,kij->ij", prior[part], PSEUDO))
        basis = np.array([(inverse @ P).ravel() for P in PSEUDO])
        other = np.array([(inverse @ P).T.ravel() for P in PSEUDO])
        metric = 0.5 * WEIGHT * total * basis @ other.T
        H[part, part] += metric
        g[part] -= metric @ prior[part]
    H[-num_columns:, -num_columns:] += 1e-6 * np.eye(num_columns) * total
    return solve(H, g, num_bodies, num_columns)


def write_urdf(source, target, model, x):
    robot = tree.parse(source).getroot()
    links = {link.get("name"): link for link in robot.findall("link")}
    moved = {joint.get("name"): joint.find("child").get("link") for joint in robot.findall("joint")}
    root = (set(links) - {joint.find("child").get("link") for joint in robot.findall("joint")}).pop()
    of_body = [root, *(moved[model.names[i]] for i in range(2, model.njoints))]
    fixed = {joint.find("child").get("link") for joint in robot.findall("joint") if joint.get("type") == "fixed"}
    for name, link in links.items():
        inertial = link.find("inertial")
        if inertial is not None and (name in fixed or name in of_body):
            link.remove(inertial)
    for k, name in enumerate(of_body):
        m, h = x[10 * k], x[10 * k + 1:10 * k + 4]
        xx, xy, yy, xz, yz, zz = x[10 * k + 4:10 * k + 10]
        c = h / m
        I = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) - m * (c @ c * np.eye(3) - np.outer(c, c))
        inertial = tree.SubElement(links[name], "inertial")
        tree.SubElement(inertial, "origin", xyz=" ".join(map(repr, map(float, c))), rpy="0 0 0")
        tree.SubElement(inertial, "mass", value=repr(float(m)))
        tree.SubElement(inertial, "inertia", {f'i{"xyz"[a]}{"xyz"[b]}': repr(float(I[a, b])) for a in range(3) for b in range(a, 3)})
    target.write_text(tree.tostring(robot, encoding="unicode"))


def identify(urdf, log, kind, target):
    """Writes a URDF with the identified inertias."""
    start = time.process_time()
    model = pin.buildModelFromUrdf(str(urdf), pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()  # the accelerometer contains it
    rows = Rows(model, log, kind)
    num_columns = 3 * len(rows.joints)
    prior = prior_of(model)
    scale = np.concatenate([np.ones(6), np.full(len(rows.joints), 0.1)])
    for _ in range(2):  # the noise of the channels, and then with it
        Y = projected_rows(model, rows, kind, scale)
        kept = lowpass(Y.reshape(len(Y), -1), ROW_HZ, rows.rate)[::KEEP_EVERY].reshape(-1, *Y.shape[1:])[10:-10]
        x = fit(kept, prior, num_columns)
        residual = kept[:, :, -1] - kept[:, :, :-1] @ x
        scale = scale * np.maximum(np.sqrt(np.mean(residual**2, axis=0)), 1e-6)
    columns = x[-num_columns:].reshape(3, -1)
    known = {joint: f"({columns[0, k]!r})*qd_{joint}+({columns[1, k]!r})*tanh(qd_{joint}/{WIDTH})+({columns[2, k]!r})*qdd_{joint}"
             for k, joint in enumerate(rows.joints)}
    write_urdf(urdf, target, model, x)
    return Answer({joint: text.replace("np.float64", "") for joint, text in known.items()}, time.process_time() - start)
