"""A simulated leg: three links, each driven through a gear of 10.6 by a rotor that rides on the link before.

A rotor is a body of its own on a joint of its own with coordinate 10.6 q: rows of the coupled leg are those of the
free six-joint tree times d(all coordinates) / dq. Every link and rotor has viscous and Coulomb friction on its joint.
"""

import json
import struct
import subprocess
import tempfile

import numpy as np
import pinocchio as pin

RATIO = 10.6
SIZES = [10, 20, 50, 100, 300, 1000, 3000]  # training samples
REPEATS = 12  # legs with other truths and motions; errors are medians
NOISE = 0.05  # of the rms torque
PRIOR_ERROR = 0.2  # standard deviation of the logarithm of the pseudo-inertia
HELD_OUT = 2000


def pseudo_inertia(p):
    tensor = np.array([[p[4], p[5], p[7]], [p[5], p[6], p[8]], [p[7], p[8], p[9]]])
    j = np.zeros((4, 4))
    j[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    j[:3, 3] = j[3, :3] = p[1:4]
    j[3, 3] = p[0]
    return j


def parameters(j):
    tensor = np.trace(j[:3, :3]) * np.eye(3) - j[:3, :3]
    return np.array([j[3, 3], *j[:3, 3], tensor[0, 0], tensor[0, 1], tensor[1, 1], tensor[0, 2], tensor[1, 2], tensor[2, 2]])


def body(mass, centre, half_axes):
    """Parameters of a solid ellipsoid."""
    j = np.zeros((4, 4))
    j[:3, :3] = mass * (np.diag(np.square(half_axes)) / 5 + np.outer(centre, centre))
    j[:3, 3] = j[3, :3] = mass * np.asarray(centre)
    j[3, 3] = mass
    return parameters(j)


# hip roll, hip pitch, knee; link then its rotor, which sits on the link before
LINKS = [body(0.5, [0.02, 0.04, 0], [0.05, 0.06, 0.05]), body(0.7, [0, 0.02, -0.05], [0.04, 0.04, 0.13]),
         body(0.12, [0, 0, -0.09], [0.02, 0.02, 0.12])]
ROTORS = [body(0.06, [0, 0, 0], [0.03, 0.03, 0.03])] * 3
HALF_AXES = [[0.11, 0.12, 0.11], [0.1, 0.1, 0.22], [0.05, 0.05, 0.25], *[[0.06, 0.06, 0.06]] * 3]
CENTRES = [[0.02, 0.04, 0], [0, 0.02, -0.05], [0, 0, -0.09], *[[0, 0, 0]] * 3]


def make_model():
    """Links are joints 1, 3, 5 and rotors 2, 4, 6 of the tree."""
    model = pin.Model()
    joints = [pin.JointModelRX, pin.JointModelRY, pin.JointModelRY]
    offsets = [[0, 0, 0], [0, 0.08, 0], [0, 0, -0.2]]
    parent, order = 0, []
    for k in range(3):
        link = model.addJoint(parent, joints[k](), pin.SE3(np.eye(3), np.array(offsets[k])), f"link_{k}")
        rotor = model.addJoint(parent, joints[k](), pin.SE3(np.eye(3), np.array(offsets[k]) + [0, 0.03, 0]), f"rotor_{k}")
        order.append((link, rotor))
        parent = link
    return model, order


def sample_rows(rng, model, order, count):
    """Rows (3 count x 66) of random states, parameters as links, rotors, friction."""
    data = model.createData()
    coupling = np.zeros((6, 3))
    columns = []
    for k, (link, rotor) in enumerate(order):
        coupling[model.joints[link].idx_v, k] = 1
        coupling[model.joints[rotor].idx_v, k] = RATIO
    for index in [link for link, _ in order] + [rotor for _, rotor in order]:
        columns += range(10 * (index - 1), 10 * index)
    rows = []
    for _ in range(count):
        q, v, a = (rng.normal(size=3) * s for s in (0.6, 3.0, 20.0))
        y = pin.computeJointTorqueRegressor(model, data, coupling @ q, coupling @ v, coupling @ a)
        rows.append(np.hstack([coupling.T @ y[:, columns], np.diag(v), np.diag(np.sign(v))]))
    return np.vstack(rows)


def ellipsoid_matrix(centre, half_axes):
    inverse = np.diag(1 / np.square(half_axes))
    e = np.zeros((4, 4))
    e[:3, :3], e[:3, 3], e[3, :3] = -inverse, inverse @ centre, inverse @ centre
    e[3, 3] = 1 - centre @ inverse @ centre
    return e


def random_neighbor(rng, p):
    lower = np.linalg.cholesky(pseudo_inertia(p))
    e = rng.normal(size=(4, 4)) * PRIOR_ERROR
    w, u = np.linalg.eigh((e + e.T) / 2)
    return parameters(lower @ (u * np.exp(w)) @ u.T @ lower.T)


def curves(driver):
    """Sizes and median held-out error [%] of every variant at each size."""
    model, order = make_model()
    prior = np.array(LINKS + ROTORS)
    ellipsoids = np.array([ellipsoid_matrix(np.array(c), np.array(h)) for c, h in zip(CENTRES, HALF_AXES)])
    errors = {}
    for repeat in range(REPEATS):
        rng = np.random.default_rng(repeat)
        truth = np.concatenate([*(random_neighbor(rng, p) for p in prior), rng.uniform(0.02, 0.2, 6)])
        y, held_out = sample_rows(rng, model, order, max(SIZES)), sample_rows(rng, model, order, HELD_OUT)
        clean = (y @ truth).reshape(-1, 3)
        sigma = NOISE * np.sqrt(np.mean(clean**2, axis=0))
        tau = clean + sigma * rng.normal(size=clean.shape)
        with tempfile.NamedTemporaryFile(suffix=".bin") as file:
            file.write(struct.pack("<iii", 6, 6, len(SIZES)) + prior.tobytes() + ellipsoids.tobytes())
            for size in SIZES:
                weight = np.tile(1 / sigma, size)
                rows, right = y[:3 * size] * weight[:, None], tau[:size].ravel() * weight
                file.write(struct.pack("<dd", 3.0 * size, right @ right) + (rows.T @ rows).tobytes() + (rows.T @ right).tobytes())
            file.flush()
            answers = json.loads(subprocess.run([driver, file.name], check=True, stdout=subprocess.PIPE).stdout)
        expected = held_out @ truth
        for index, variants in enumerate(answers):
            for name, x in variants.items():
                off = held_out @ np.array(x) - expected if x else np.full(len(expected), np.nan)
                errors.setdefault(name, [[] for _ in SIZES])[index].append(100 * np.linalg.norm(off) / np.linalg.norm(expected))
    return SIZES, {name: [float(np.median(e)) for e in by_size] for name, by_size in errors.items()}
