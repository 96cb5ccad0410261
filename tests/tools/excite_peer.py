"""A design in the hands of Pinocchio: excite_peer.py FILE.urdf DESIGN_DIR [COLUMN:JOINT,JOINT]. Prints JSON of log det before and after, torques at the
samples of trajectory.csv, and the standard deviations of torques, all from Pinocchio's regressors; exits with 77 where it is not
installed. Beliefs are Heft's defaults: bodies within 50 % in the metric tr(J0^-1 A J0^-1 B), columns of friction as design.json
says, noise of 1 % of the effort, 20 independent samples a second. COLUMN is a last one, which multiplies each joint's velocity in the
other's torque."""

import csv
import json
import pathlib
import sys

try:
    import numpy as np
    import pinocchio
except ImportError:
    sys.exit(77)

ORDER = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]  # m, mc, Ixx, Ixy, Iyy, Ixz, Iyz, Izz: Pinocchio's is Heft's
WIDTH = 0.05  # of tanh(qd / width)


def pseudo_inertia(pi):
    tensor = np.array([[pi[4], pi[5], pi[7]], [pi[5], pi[6], pi[8]], [pi[7], pi[8], pi[9]]])
    J = np.zeros((4, 4))
    J[:3, :3] = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    J[:3, 3] = J[3, :3] = pi[1:4]
    J[3, 3] = pi[0]
    return J


def main(urdf, folder, coupling=""):
    model = pinocchio.buildModelFromUrdf(urdf)
    data = model.createData()
    n = model.nv
    design = json.loads((folder / "design.json").read_text())
    joints = [model.names[i] for i in range(1, model.njoints)]
    column, coupled = coupling.partition(":")[0], [joints.index(name) for name in coupling.partition(":")[2].split(",") if name]
    size = 10 * n + 3 * n + (1 if coupled else 0)
    known = np.zeros((size, size))
    believed = np.zeros(size)
    for b in range(n):
        pi = model.inertias[b + 1].toDynamicParameters()
        believed[10 * b:10 * b + 10] = pi
        inverse = np.linalg.inv(pseudo_inertia(pi))
        turned = [inverse @ pseudo_inertia(unit) for unit in np.eye(10)]
        known[10 * b:10 * b + 10, 10 * b:10 * b + 10] = [[np.trace(x @ y) / 0.25 for y in turned] for x in turned]
    spread = {p["name"]: p["sd_before"] for p in design["parameters"]}
    for kind, stem in enumerate(("viscous", "coulomb", "offset")):
        for k, joint in enumerate(joints):
            at = 10 * n + kind * n + k
            known[at, at] = 1 / spread[f"{stem} {joint}"] ** 2
    if coupled:
        known[-1, -1] = 1 / spread[column] ** 2
    with (folder / "trajectory.csv").open() as file:
        rows = [{key: float(value) for key, value in row.items()} for row in csv.DictReader(file)]
    seconds = rows[-1]["t"] - rows[0]["t"]
    noise = 0.01 * model.effortLimit
    information = known.copy()
    covariance = np.linalg.inv(known)
    torques, deviations = [], []
    for row in rows:
        q, qd, qdd = (np.array([row[stem + joint] for joint in joints]) for stem in ("q_", "qd_", "qdd_"))
        Y = np.hstack([pinocchio.computeJointTorqueRegressor(model, data, q, qd, qdd), np.diag(qd), np.diag(np.tanh(qd / WIDTH)), np.eye(n)])
        if coupled:
            one, other = coupled
            Y = np.hstack([Y, np.zeros((n, 1))])
            Y[one, -1], Y[other, -1] = qd[other], qd[one]
        information += 20 * seconds / len(rows) * Y.T @ np.diag(noise**-2) @ Y
        torques.append(pinocchio.rnea(model, data, q, qd, qdd).tolist())
        deviations.append(np.sqrt(np.einsum("ij,jk,ik->i", Y, covariance, Y)).tolist())
    scale = np.sqrt(np.diag(known))
    after = np.sqrt(np.diag(np.linalg.inv(information / np.outer(scale, scale)))) / scale
    print(json.dumps({"log_det_prior": np.linalg.slogdet(known)[1], "log_det": np.linalg.slogdet(information)[1],
                      "torques": torques, "deviations": deviations, "sd_after": after.tolist(), "efforts": model.effortLimit.tolist()}))


if __name__ == "__main__":
    main(sys.argv[1], pathlib.Path(sys.argv[2]), *sys.argv[3:])
