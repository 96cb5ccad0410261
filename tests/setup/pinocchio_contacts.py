#!/usr/bin/env python3
"""Base rows, entries of contact wrenches and projections of random trees against Pinocchio.

Usage: pinocchio_contacts.py PROGRAM [--trees 200]

PROGRAM is contact_rows. The largest difference, relative to the largest number of its kind (of projected rows: of rows), must be below 1e-12. If this
interpreter has no Pinocchio, the one of HEFT_PYTHON_PEERS runs the script. Exit codes: 0 agrees, 1 differs, 77 no Pinocchio.
"""
import argparse
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

STATES = 3
COMPONENTS = {"point": [0, 1, 2], "line": [0, 1, 2, 3, 5], "plane": [0, 1, 2, 3, 4, 5]}


def rpy_text(rng):
    return " ".join(f"{x:.17g}" for x in rng.uniform(-3, 3, 3))


def vector_text(v):
    return " ".join(f"{x:.17g}" for x in v)


def inertial(rng):
    import numpy as np

    spread = rng.normal(size=(3, 3))
    spread = 0.01 * (spread @ spread.T + 0.1 * np.eye(3))
    I = np.trace(spread) * np.eye(3) - spread
    entries = " ".join(f'i{"xyz"[a]}{"xyz"[b]}="{I[a, b]:.17g}"' for a in range(3) for b in range(a, 3))
    return (f'<inertial><origin xyz="{vector_text(rng.normal(size=3) * 0.1)}" rpy="{rpy_text(rng)}"/>'
            f'<mass value="{rng.uniform(0.1, 5):.17g}"/><inertia {entries}/></inertial>')


def random_tree(rng):
    """Text of a URDF, and its frames that may be in contact, as FRAME:TYPE."""
    import numpy as np

    count = int(rng.integers(3, 11))
    text = f'<robot name="tree"><link name="l0">{inertial(rng)}</link>'
    for k in range(1, count):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        kind = "prismatic" if rng.uniform() < 0.2 else "continuous"
        limit = '<limit lower="-9" upper="9" effort="1" velocity="1"/>' if kind == "prismatic" else ""
        text += (f'<link name="l{k}">{inertial(rng)}</link><joint name="j{k}" type="{kind}"><parent link="l{rng.integers(0, k)}"/>'
                 f'<child link="l{k}"/><origin xyz="{vector_text(rng.normal(size=3) * 0.3)}" rpy="{rpy_text(rng)}"/>'
                 f'<axis xyz="{vector_text(axis)}"/>{limit}</joint>')
    contacts = []
    for k, link in enumerate(rng.permutation(np.arange(1, count))[:2]):
        text += (f'<link name="f{k}"/><joint name="at_f{k}" type="fixed"><parent link="l{link}"/><child link="f{k}"/>'
                 f'<origin xyz="{vector_text(rng.normal(size=3) * 0.2)}" rpy="{rpy_text(rng)}"/></joint>')
        contacts.append(f"f{k}:{rng.choice(list(COMPONENTS))}")
    return text + "</robot>", contacts


def projected(Y, J, noise):
    """By the left singular vectors of J'/s."""
    import numpy as np

    U, values, _ = np.linalg.svd(J / noise[:, None], full_matrices=False)
    U = U[:, values > 1e-9 * values[0]]
    weighted = Y / noise[:, None]
    return noise[:, None] * (weighted - U @ (U.T @ weighted))


def expected(model, data, state, contacts):
    """Rows, Jacobian and projection, in the order of Pinocchio."""
    import numpy as np
    import pinocchio as pin

    q, v, a, noise = state
    Y = pin.computeJointTorqueRegressor(model, data, q, v, a).copy()
    pin.framesForwardKinematics(model, data, q)
    J = [pin.computeFrameJacobian(model, data, q, model.getFrameId(frame), pin.LOCAL)[COMPONENTS[kind]].T
         for frame, kind in (contact.split(":") for contact in contacts)]
    return Y, np.hstack(J), projected(Y, np.hstack(J), noise)


def compare(program, folder, seed):
    """Largest relative differences of rows, Jacobians and projections of one tree."""
    import numpy as np
    import pinocchio as pin

    rng = np.random.default_rng(seed)
    text, contacts = random_tree(rng)
    path = folder / "tree.urdf"
    path.write_text(text)
    model = pin.buildModelFromXML(text, pin.JointModelFreeFlyer())
    model.gravity = pin.Motion.Zero()  # a - g is given
    data = model.createData()
    n = model.nv - 6
    names = [model.names[i] for i in range(2, model.njoints)]
    states, lines = [], []
    for _ in range(STATES):
        angles, qd, qdd = rng.uniform(-3, 3, n), rng.normal(size=n), 3 * rng.normal(size=n)
        w, wd, u, linear = (rng.normal(size=3) * size for size in (1, 3, 10, 1))
        noise = np.exp(rng.normal(size=n + 6))
        q = pin.neutral(model)
        for k in range(n):
            joint = model.joints[k + 2]
            q[joint.idx_q:joint.idx_q + joint.nq] = angles[k] if joint.nq == 1 else (np.cos(angles[k]), np.sin(angles[k]))
        v, a = np.concatenate([linear, w, qd]), np.concatenate([u - np.cross(w, linear), wd, qdd])
        states.append((q, v, a, noise))
        lines.append((angles, qd, qdd, np.concatenate([w, wd, u]), noise))
    header = subprocess.run([program, path, *contacts], input="", capture_output=True, text=True, check=True).stdout.splitlines()
    coordinates, bodies = (line.split()[1:] for line in header[:2])
    order = [names.index(name) for name in coordinates]
    channels = [*range(6), *(6 + k for k in order)]
    written = "\n".join(" ".join(f"{x:.17g}" for x in np.concatenate([angles[order], qd[order], qdd[order], base, noise[channels]]))
                        for angles, qd, qdd, base, noise in lines)
    out = subprocess.run([program, path, *contacts], input=written + "\n", capture_output=True, text=True, check=True).stdout
    # body l<k> is moved by joint j<k>; l0 by the free flyer
    moved = [0 if body == "l0" else names.index("j" + body[1:]) + 1 for body in bodies]
    columns = [10 * body + k for body in moved for k in range(10)]
    worst = np.zeros(3)
    results = [line.split() for line in out.splitlines()[2:]]
    for s, state in enumerate(states):
        matrices = expected(model, data, state, contacts)
        sizes = [np.abs(matrix).max() for matrix in matrices]
        sizes[2] = sizes[0]  # contacts may leave nothing but rounding
        for kind, right in enumerate(matrices):
            name, *numbers = results[3 * s + kind]
            assert name == ("rows", "jacobian", "projected")[kind]
            right = right[channels] if kind == 1 else right[np.ix_(channels, columns)]
            left = np.array(numbers, float).reshape(right.shape)
            difference = np.abs(left - right).max() / sizes[kind]
            worst[kind] = np.nan if np.isnan(difference) else max(worst[kind], difference)
    return worst


def main():
    if importlib.util.find_spec("pinocchio") is None:
        peers = os.environ.get("HEFT_PYTHON_PEERS")
        if not peers or "HEFT_CONTACTS_ASKED" in os.environ:
            print("no Pinocchio: pip install pin, or set HEFT_PYTHON_PEERS")
            sys.exit(77)
        sys.exit(subprocess.run([peers, *sys.argv], env={**os.environ, "HEFT_CONTACTS_ASKED": "1"}).returncode)
    import numpy as np

    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--trees", type=int, default=200)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        worst = np.array([compare(options.program, pathlib.Path(folder), seed) for seed in range(options.trees)])
    largest = worst.max(axis=0)
    for name, difference, seed in zip(("base and joint rows", "contact Jacobians", "projected rows"), largest, worst.argmax(axis=0)):
        print(f"{name}: {difference:.2g} (tree {seed} of {options.trees})")
    sys.exit(0 if (largest < 1e-12).all() else 1)


if __name__ == "__main__":
    main()
