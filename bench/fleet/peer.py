"""The loop that people write: joblib over Pinocchio's regressor and Clarabel, on the logs of a fleet (bench/fleet/run.py --only peer).

    peer.py ROBOT MANIFEST --jobs 2 [--bootstrap 200]

Every robot of the manifest, from its NPY logs: low-pass and differentiate (scipy), regressor sample by sample (Pinocchio), normal
equations (numpy), friction and offset columns, one convex problem with a pseudo-inertia a body (Clarabel), the same objective as Heft's;
with --bootstrap so many more over blocks of the log; the error on the held-out log. Prints {seconds, processor_seconds, robots: {id:
held out}}; both are of the robots alone: workers have begun and imported all before.
"""
import argparse
import csv
import json
import pathlib
import time

import clarabel
import joblib
import numpy as np
import pinocchio
from scipy import signal, sparse

LOWPASS_HZ, TANH_WIDTH, WEIGHT, RIDGE, BLOCKS = 10, 0.03, 1e-2, 1e-3, 24
TRIM_S = 2 / LOWPASS_HZ  # of both ends of a log, where filters guess what was before: as Heft does


def pseudo_inertia_maps():
    """Four by four symmetric matrices P_k with J = sum pi_k P_k."""
    maps = np.zeros((10, 4, 4))
    maps[0, 3, 3] = 1
    for k in range(3):
        maps[1 + k, k, 3] = maps[1 + k, 3, k] = 1
    for k, (i, j) in ((4, (0, 0)), (5, (0, 1)), (6, (1, 1)), (7, (0, 2)), (8, (1, 2)), (9, (2, 2))):
        if i == j:
            maps[k, :3, :3] = 0.5 * np.eye(3)
            maps[k, i, i] -= 1
        else:
            maps[k, i, j] = maps[k, j, i] = -1
    return maps


MAPS = pseudo_inertia_maps()


def triangle(matrix):
    """Clarabel's: upper triangle by columns, off the diagonal times sqrt 2."""
    return np.array([matrix[i, j] * (1 if i == j else np.sqrt(2)) for j in range(4) for i in range(j + 1)])


class Peer:
    def __init__(self, urdf):
        self.model = pinocchio.buildModelFromUrdf(str(urdf))
        self.data = self.model.createData()
        self.bodies, self.joints = self.model.njoints - 1, self.model.nv
        self.size = 10 * self.bodies + 3 * self.joints
        references = [self.model.inertias[k + 1].toDynamicParameters() for k in range(self.bodies)]
        self.scales = []
        for reference in references:
            L = np.linalg.cholesky(np.tensordot(reference, MAPS, 1))
            inverse = np.linalg.inv(L)
            self.scales.append(np.linalg.inv(np.array([triangle(inverse @ P @ inverse.T) for P in MAPS]).T))

    def rows(self, path):
        """Whitened by nothing: Y (samples x joints x size) and tau."""
        table = np.load(path)
        t = table["t"] if table.dtype.names else table[:, 0]
        numbers = np.column_stack([table[name] for name in table.dtype.names]) if table.dtype.names else table
        dt = (t[-1] - t[0]) / (len(t) - 1)
        b, a = signal.butter(4, LOWPASS_HZ * 2 * dt)
        smooth = lambda x: signal.filtfilt(b, a, x, axis=0)
        q, tau = smooth(numbers[:, 1:1 + self.joints]), smooth(numbers[:, 1 + self.joints:1 + 2 * self.joints])
        v = np.gradient(q, dt, axis=0)
        acceleration = np.gradient(v, dt, axis=0)
        Y = np.zeros((len(q), self.joints, self.size))
        each = np.arange(self.joints)
        for k in range(len(q)):
            Y[k, :, :10 * self.bodies] = pinocchio.computeJointTorqueRegressor(self.model, self.data, q[k], v[k], acceleration[k])
            Y[k, each, 10 * self.bodies + each] = v[k]
            Y[k, each, 10 * self.bodies + self.joints + each] = np.tanh(v[k] / TANH_WIDTH)
            Y[k, each, 10 * self.bodies + 2 * self.joints + each] = 1
        ends = slice(round(TRIM_S / dt), len(q) - round(TRIM_S / dt))
        return Y[ends], tau[ends]

    def solve(self, G, b, num_rows):
        """The convex problem in congruence coordinates of every body and unit columns."""
        S = np.eye(self.size)
        for k, scale in enumerate(self.scales):
            S[10 * k:10 * k + 10, 10 * k:10 * k + 10] = scale
        for k in range(10 * self.bodies, self.size):
            S[k, k] = 1 / np.sqrt(G[k, k]) * np.sqrt(num_rows)
        Q, c = 2 * S.T @ G @ S / num_rows, -2 * S.T @ b / num_rows
        one, inertial = triangle(np.eye(4)), 10 * self.bodies
        Q[:inertial, :inertial] += 2 * WEIGHT * np.eye(inertial)
        c[:inertial] -= 2 * WEIGHT * np.tile(one, self.bodies)
        Q[range(inertial, self.size), range(inertial, self.size)] += 2 * RIDGE
        rows = sparse.csc_matrix(-np.eye(self.size)[:inertial + 2 * self.joints])
        cones = [clarabel.PSDTriangleConeT(4)] * self.bodies + [clarabel.NonnegativeConeT(2 * self.joints)]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        solved = clarabel.DefaultSolver(sparse.csc_matrix(np.triu(Q)), c, rows, np.zeros(rows.shape[0]), cones, settings).solve()
        return S @ np.array(solved.x)

    def robot(self, training, held_out, bootstrap):
        logs = [self.rows(path) for path in training]
        Y, tau = np.concatenate([log[0] for log in logs]), np.concatenate([log[1] for log in logs])
        weights = np.ones(self.joints)
        for _ in range(4):
            root = np.sqrt(weights)
            A, a = (Y * root[:, None]).reshape(-1, self.size), (tau * root).ravel()
            scale = np.maximum(np.linalg.norm(A, axis=0), 1e-12)
            x = np.linalg.lstsq((A / scale).T @ (A / scale), (A / scale).T @ a, rcond=1e-12)[0] / scale
            weights = 1 / np.mean((Y @ x - tau)**2, axis=0)
        root = np.sqrt(weights)
        blocks = []
        for part in np.array_split(np.arange(len(Y)), BLOCKS):
            A, a = (Y[part] * root[:, None]).reshape(-1, self.size), (tau[part] * root).ravel()
            blocks.append((A.T @ A, A.T @ a, len(a)))
        total = lambda chosen: [sum(blocks[k][i] for k in chosen) for i in range(3)]
        x = self.solve(*total(range(BLOCKS)))
        random = np.random.default_rng(1)
        answers = [self.solve(*total(random.integers(0, BLOCKS, BLOCKS))) for _ in range(bootstrap)]
        if answers:
            np.percentile(answers, [2.5, 97.5], axis=0)
        Y, tau = self.rows(held_out)
        return float(np.linalg.norm(Y @ x - tau) / np.linalg.norm(tau))


_peers = {}


def one(urdf, name, training, held_out, bootstrap):
    begin = time.process_time()
    if urdf not in _peers:
        _peers[urdf] = Peer(urdf)
    error = _peers[urdf].robot(training, held_out, bootstrap)
    return name, error, time.process_time() - begin


def wait_for_others(seconds):
    """A task that keeps a worker busy, so that each of them begins."""
    time.sleep(seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("robot")
    parser.add_argument("manifest", type=pathlib.Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--bootstrap", type=int, default=0)
    options = parser.parse_args()
    robots = {}
    with options.manifest.open(newline="") as file:
        for row in csv.DictReader(file):
            robots.setdefault(row["robot_id"], {"train": [], "validate": []})[row["role"]].append(
                str(options.manifest.parent / row["log"]))
    with joblib.Parallel(n_jobs=options.jobs) as parallel:
        parallel(joblib.delayed(wait_for_others)(1) for _ in range(options.jobs))
        begin = time.monotonic()
        found = parallel(joblib.delayed(one)(options.robot, name, logs["train"], logs["validate"][0], options.bootstrap)
                         for name, logs in robots.items())
        seconds = time.monotonic() - begin
    print(json.dumps({"seconds": seconds, "processor_seconds": sum(seconds for _, _, seconds in found),
                      "robots": {name: error for name, error, _ in found}}))


if __name__ == "__main__":
    main()
