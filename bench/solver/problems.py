"""Random identification problems, their file format, and what Clarabel and SCS make of them.

    python bench/solver/problems.py FILE [--count 200]    # writes them for bench_solver

The formulation here is independent of Heft's: variables are svec blocks of the pseudo-inertias after congruence with the
prior's Cholesky factor, written as a cone program for the peers. The objective (FORMULAS 2, ridge 0) is always evaluated in
physical parameters.

File: magic "HEFTSDP1", int32 count, then per problem int32 {bodies, columns, kind}, float64 {rows, tau2, weight},
G (P x P), b (P), prior (bodies x 10); kind & 1, bounds: ellipsoids (bodies x 16) and mass bounds (bodies x 2); kind & 2,
second-order cones, where centers of mass may lie: centres (bodies x 3) and shapes (bodies x 9) of ellipsoids.
All columns are nonnegative.
"""

import argparse
import struct
import time

import numpy as np

ROWS = np.array([0, 1, 2, 3, 1, 2, 3, 2, 3, 3])  # svec order: columns of the lower triangle
COLS = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2, 3])
SCALE = np.where(ROWS == COLS, 1.0, np.sqrt(2.0))


KINDS = [  # name, bodies, weight, samples, noise, bounds, share of the problems
    ("7 bodies, w 1e-2", 7, 1e-2, 300, 0.05, False, 0.2),
    ("7 bodies, w 1e-3", 7, 1e-3, 300, 0.05, False, 0.2),
    ("7 bodies, w 1e-4, few samples", 7, 1e-4, 40, 0.1, False, 0.2),
    ("6 bodies, w 1e-3, bounds", 6, 1e-3, 100, 0.05, True, 0.2),
    ("3 bodies, w 1e-4", 3, 1e-4, 50, 0.2, False, 0.15),
    ("31 bodies, w 1e-3", 31, 1e-3, 300, 0.05, False, 0.05),
]


def smat(v):
    m = np.zeros((4, 4))
    m[ROWS, COLS] = v / SCALE
    m[COLS, ROWS] = v / SCALE
    return m


def svec(m):
    return m[ROWS, COLS] * SCALE


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


def random_problem(rng, bodies, weight, samples, noise, bounds, second_order=False):
    """A serial arm with random links, friction per joint, logs of random states, masses off by 30 %. Needs Pinocchio."""
    import pinocchio as pin

    model = pin.Model()
    parent = 0
    axes = [pin.JointModelRX, pin.JointModelRY, pin.JointModelRZ]
    prior, truth = [], []
    for i in range(bodies):
        offset = rng.uniform(-0.3, 0.3, 3) if i else np.zeros(3)
        placement = pin.SE3(pin.rpy.rpyToMatrix(*rng.uniform(-np.pi, np.pi, 3)), offset)
        parent = model.addJoint(parent, axes[rng.integers(3)](), placement, f"joint_{i}")
        a = rng.normal(size=(4, 6)) * np.array([[0.08], [0.08], [0.08], [1.0]])
        a[:3] += rng.normal(size=(3, 1)) * 0.05
        j0 = a @ a.T / 2
        e = rng.normal(size=(4, 4)) * 0.15
        w, v = np.linalg.eigh(e + e.T)
        lower = np.linalg.cholesky(j0)
        prior.append(parameters(j0))
        truth.append(parameters(lower @ (v * np.exp(w)) @ v.T @ lower.T))
        model.inertias[i + 1] = pin.Inertia.FromDynamicParameters(truth[-1])
    data = model.createData()
    rows = []
    amplitude = rng.uniform(0.2, 1.5, bodies)
    for _ in range(samples):
        q, v, acceleration = (amplitude * rng.normal(size=bodies) * s for s in (1.0, 1.5, 4.0))
        y = pin.computeJointTorqueRegressor(model, data, q, v, acceleration)
        rows.append(np.hstack([y, np.diag(v), np.diag(np.sign(v))]))
    y = np.vstack(rows)
    x = np.concatenate([np.concatenate(truth), rng.uniform(0.1, 1.0, 2 * bodies)])
    sigma = np.tile(noise * np.sqrt(np.mean((y @ x).reshape(-1, bodies) ** 2, axis=0)), samples)
    tau = y @ x + sigma * rng.normal(size=len(sigma))
    y, tau = y / sigma[:, None], tau / sigma  # noise is the unit: the residual cost is about 1
    problem = dict(bodies=bodies, columns=2 * bodies, rows=float(len(tau)), tau2=float(tau @ tau), weight=weight,
                   G=y.T @ y, b=y.T @ tau, prior=np.array(prior))
    if bounds:
        ellipsoids = []
        for p in prior:
            centre = p[1:4] / p[0]
            covariance = pseudo_inertia(p)[:3, :3] / p[0] - np.outer(centre, centre)
            inverse = np.linalg.inv(5.8 * covariance)
            e = np.zeros((4, 4))
            e[:3, :3], e[:3, 3], e[3, :3] = -inverse, inverse @ centre, inverse @ centre
            e[3, 3] = 1 - centre @ inverse @ centre
            ellipsoids.append(e)
        problem["ellipsoids"] = np.array(ellipsoids)
        problem["mass_bounds"] = np.array([[0.6 * p[0], 1.5 * p[0]] for p in prior])
    if second_order:  # small around the prior's, so that many act
        problem["centres"] = np.array([p[1:4] / p[0] for p in prior])
        shapes = []
        for _ in prior:
            turn = np.linalg.qr(rng.normal(size=(3, 3)))[0]
            shapes.append(turn @ np.diag(rng.uniform(0.002, 0.03, 3) ** 2) @ turn.T)
        problem["shapes"] = np.array(shapes)
    return problem


def random_problems(count):
    """About `count` problems of all kinds, and the name of each one's kind."""
    rng = np.random.default_rng(20260301)
    problems, names = [], []
    for name, bodies, weight, samples, noise, bounds, share in KINDS:
        for _ in range(max(1, round(share * count))):
            problems.append(random_problem(rng, bodies, weight, samples, noise, bounds))
            names.append(name)
    return problems, names


def write(path, problems):
    with open(path, "wb") as f:
        f.write(b"HEFTSDP1" + struct.pack("<i", len(problems)))
        for p in problems:
            extra = [("ellipsoids", "mass_bounds") if "ellipsoids" in p else (), ("centres", "shapes") if "shapes" in p else ()]
            kind = bool(extra[0]) + 2 * bool(extra[1])
            f.write(struct.pack("<3i3d", p["bodies"], p["columns"], kind, p["rows"], p["tau2"], p["weight"]))
            for key in ("G", "b", "prior", *extra[0], *extra[1]):
                f.write(np.ascontiguousarray(p[key], dtype="<f8").tobytes())


def read(path):
    """The problems of a file by write()."""
    with open(path, "rb") as f:
        content = f.read()
    if content[:8] != b"HEFTSDP1":
        raise ValueError(f"{path} is not a file of problems: write one with bench/solver/problems.py")
    (count,), at, problems = struct.unpack_from("<i", content, 8), 12, []
    for _ in range(count):
        bodies, columns, kind, rows, tau2, weight = struct.unpack_from("<3i3d", content, at)
        at += struct.calcsize("<3i3d")
        n, p = 10 * bodies + columns, dict(bodies=bodies, columns=columns, rows=rows, tau2=tau2, weight=weight)
        shapes = [("G", (n, n)), ("b", (n,)), ("prior", (bodies, 10))]
        shapes += [("ellipsoids", (bodies, 4, 4)), ("mass_bounds", (bodies, 2))] if kind & 1 else []
        shapes += [("centres", (bodies, 3)), ("shapes", (bodies, 3, 3))] if kind & 2 else []
        for key, shape in shapes:
            p[key] = np.frombuffer(content, "<f8", int(np.prod(shape)), at).reshape(shape)
            at += p[key].nbytes
        problems.append(p)
    return problems


def scaled_program(p):
    """min 1/2 z'Hz + c'z + constant, h - A z in K; K = nonnegative rows, second-order cones of four, 4x4 blocks; x = T z."""
    from scipy import sparse

    n, nb = len(p["b"]), p["bodies"]
    T = np.zeros((n, n))
    unit = np.zeros(n)
    for i in range(nb):
        lower = np.linalg.cholesky(pseudo_inertia(p["prior"][i]))
        for k in range(10):
            T[10 * i:10 * i + 10, 10 * i + k] = parameters(lower @ smat(np.eye(10)[k]) @ lower.T)
        unit[10 * i:10 * i + 10] = svec(np.eye(4))
    for k in range(10 * nb, n):
        T[k, k] = 1 / np.sqrt(2 * p["G"][k, k] / p["rows"])
    body = np.arange(n) < 10 * nb
    H = 2 * T.T @ p["G"] @ T / p["rows"] + np.diag(2 * p["weight"] * body)
    c = -2 * T.T @ p["b"] / p["rows"] - 2 * p["weight"] * unit
    constant = p["tau2"] / p["rows"] + 4 * nb * p["weight"]
    rows, right = [np.eye(n)[k] for k in range(10 * nb, n)], [0.0] * (n - 10 * nb)
    if "ellipsoids" in p:
        basis = [pseudo_inertia(np.eye(10)[k]) for k in range(10)]
        for i in range(nb):
            row = np.zeros(n)
            row[10 * i:10 * i + 10] = [np.trace(b @ p["ellipsoids"][i]) for b in basis]
            mass = np.zeros(n)
            mass[10 * i] = 1
            for r, h in [(row @ T, 0.0), (mass @ T, p["mass_bounds"][i][0]), (-mass @ T, -p["mass_bounds"][i][1])]:
                size = np.linalg.norm(r)
                rows.append(r / size)
                right.append(h / size)
    num_rows = len(rows)
    for i in range(nb if "shapes" in p else 0):  # |L^-1 (h - m centre)| <= m, each in units of the prior's mass
        cone = np.zeros((4, n))
        inverse = np.linalg.inv(np.linalg.cholesky(p["shapes"][i]))
        cone[0, 10 * i] = 1
        cone[1:, 10 * i] = -inverse @ p["centres"][i]
        cone[1:, 10 * i + 1:10 * i + 4] = inverse
        rows.extend(cone @ T / p["prior"][i][0])
        right.extend(np.zeros(4))
    A = sparse.csc_matrix(np.vstack([-np.array(rows), -np.eye(n)[:10 * nb]]))
    h = np.concatenate([-np.array(right), np.zeros(10 * nb)])
    return H, c, constant, A, h, num_rows, T


def objective(p, x):
    f = (x @ p["G"] @ x - 2 * p["b"] @ x + p["tau2"]) / p["rows"]
    for i in range(p["bodies"]):
        off = np.linalg.solve(pseudo_inertia(p["prior"][i]), pseudo_inertia(x[10 * i:10 * i + 10])) - np.eye(4)
        f += p["weight"] * np.trace(off @ off)
    return f


def residual_cost(p, x):
    return max((x @ p["G"] @ x - 2 * p["b"] @ x + p["tau2"]) / p["rows"], 1e-10 * p["tau2"] / p["rows"])


def upper_triangles(p, num_rows):
    """Order of the rows of scaled_program() with the upper triangles of the blocks column by column, as Clarabel and Moreau need them;
    scaled_program() has the lower ones. Also the first row of the blocks."""
    order = np.arange(num_rows)
    upper = np.array([[0, 1, 2, 3], [1, 4, 5, 6], [2, 5, 7, 8], [3, 6, 8, 9]])
    place = [upper[r, col] for col in range(4) for r in range(col + 1)]
    first = num_rows - 10 * p["bodies"]
    for i in range(p["bodies"]):
        order[first + 10 * i:first + 10 * i + 10] = first + 10 * i + np.array(place)
    return order, first


def clarabel(p, tolerance=1e-8):
    import clarabel as solver
    from scipy import sparse

    H, c, constant, A, h, num_rows, T = scaled_program(p)
    order, first = upper_triangles(p, len(h))
    settings = solver.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = tolerance
    cones = ([solver.NonnegativeConeT(num_rows)] + [solver.SecondOrderConeT(4)] * ((first - num_rows) // 4)
             + [solver.PSDTriangleConeT(4)] * p["bodies"])
    run = solver.DefaultSolver(sparse.csc_matrix(np.triu(H)), c, A[order], h[order], cones, settings)
    start = time.thread_time()
    result = run.solve()
    return T @ np.array(result.x), 1e6 * (time.thread_time() - start), str(result.status)


def scs(p, tolerance=1e-6):
    import scs as solver
    from scipy import sparse

    H, c, constant, A, h, num_rows, T = scaled_program(p)
    data = dict(P=sparse.csc_matrix(np.triu(H)), A=A, b=h, c=c)
    run = solver.SCS(data, dict(l=num_rows, s=[4] * p["bodies"]), eps_abs=tolerance, eps_rel=tolerance, verbose=False,
                     max_iters=20000, time_limit_secs=2)
    start = time.thread_time()
    result = run.solve()
    return T @ result["x"], 1e6 * (time.thread_time() - start), result["info"]["status"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--count", type=int, default=200)
    given = parser.parse_args()
    write(given.file, random_problems(given.count)[0])
