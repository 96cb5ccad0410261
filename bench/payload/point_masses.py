"""Point-mass discretisation against Clarabel's own solve time, both on the compressed problem (11 rows a norm), one thread each.

Times are of the thread, ours and theirs in one run, so that what else the machine does counts little; Clarabel's are those of its
solve() alone, without setting up and without what Python does, and never more than what it says itself (solve_time, of the clock).
Problems are those of golden/payload/payload_sim.json. Skips without clarabel and scipy.
"""
import json
import subprocess
import tempfile
import time

import numpy as np

try:
    import clarabel
    from scipy import sparse
except ModuleNotFoundError:
    clarabel = None


FAR = 1e300
RUNS = 15  # of Clarabel on each problem, and of the batch: the shortest counts


def rows(w, wd, a, g, at_rest):
    """The 6 x 10 rows of a sample, column by column from Newton's and Euler's laws."""
    import simulator
    zero = np.zeros((1, 3))
    w, wd, a, g = (np.reshape(v, (1, 3)) for v in (w, wd, a, g))
    if at_rest:
        w, wd, a = zero, zero, zero
    return np.column_stack([np.concatenate(simulator.wrench(unit, w, wd, a, g), axis=1)[0] for unit in np.eye(10)])


def problem_of(data, points, c1=300, lam=0.1):
    import simulator
    parts = {"rest": [], "moving": []}
    for row in np.array(data):
        w, wd, a, g, wrench = row[1:4], row[4:7], row[7:10], row[10:13], row[13:19]
        share = np.tanh(3 * (a @ a + wd @ wd + 4 * w @ w) / c1)
        parts["rest"].append((1 - share) * np.column_stack([rows(w, wd, a, g, True), wrench]))
        parts["moving"].append(share * np.column_stack([rows(w, wd, a, g, False), wrench]))
    B = np.column_stack([simulator.point_moments([1.0], [p]) for p in points])
    return [np.linalg.qr(np.vstack(part), mode="r") for part in parts.values()], B, lam


def by_clarabel(factors, B, lam, limits=()):
    """min t1 + t2 + lam t3, (t, R [B mu; -1]) and (t3, mu) in second-order cones, mu >= 0, least <= row B mu <= largest: objective, time
    [us] of a thread, x."""
    n = B.shape[1]
    A, b, cones = [-sparse.hstack([sparse.csc_matrix((n, 3)), sparse.eye(n)])], [np.zeros(n)], [clarabel.NonnegativeConeT(n)]
    for row, least, largest in limits:
        of_masses = sparse.csc_matrix(np.concatenate([np.zeros(3), row @ B])[None])
        if least == largest:
            A.append(of_masses), b.append([largest]), cones.append(clarabel.ZeroConeT(1))
            continue
        for sign, bound in ((1, largest), (-1, -least)):
            if abs(bound) < FAR:
                A.append(sign * of_masses), b.append([bound]), cones.append(clarabel.NonnegativeConeT(1))
    for k, R in enumerate(factors):
        t = np.zeros((1, n + 3))
        t[0, k] = 1
        A.append(sparse.csc_matrix(-np.vstack([t, np.column_stack([np.zeros((11, 3)), R[:, :10] @ B])])))
        b.append(np.concatenate([[0], -R[:, 10]]))
        cones.append(clarabel.SecondOrderConeT(12))
    t = np.zeros((1, n + 3))
    t[0, 2] = 1
    A.append(-sparse.vstack([sparse.csc_matrix(t), sparse.hstack([sparse.csc_matrix((n, 3)), sparse.eye(n)])]))
    b.append(np.zeros(n + 1))
    cones.append(clarabel.SecondOrderConeT(n + 1))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.max_threads = 1
    solver = clarabel.DefaultSolver(sparse.csc_matrix((n + 3, n + 3)), np.concatenate([[1, 1, lam], np.zeros(n)]),
                                    sparse.csc_matrix(sparse.vstack(A)), np.concatenate(b), cones, settings)
    took = []
    for _ in range(RUNS):
        begin = time.thread_time()
        solution = solver.solve()
        took.append(min(time.thread_time() - begin, solution.solve_time))
    return solution.obj_val, 1e6 * min(took), B @ np.array(solution.x)[3:]


def limits_about(x):
    """A mass that is 10 % too large, and a center of mass whose y is at least 20 mm larger than that of the parameters x."""
    units = np.eye(10)
    return [(units[0], 1.1 * x[0], 1.1 * x[0]), (units[2] - (x[2] / x[0] + 0.02) * units[0], 0.0, FAR)]


def measure(heft, golden, report, lines):
    if clarabel is None:
        print("skipped: point masses against Clarabel: no clarabel or scipy")
        return
    sim = json.loads((golden / "payload" / "payload_sim.json").read_text())
    program = heft.parent / "bench" / "payload" / "bench_payload"
    with tempfile.TemporaryDirectory() as folder:
        paths, theirs, objectives, limited = [], [], [], {"paths": [], "us": [], "objectives": []}
        for number, part in enumerate(sim["sets"]):
            factors, B, lam = problem_of(part["data"], sim["points"])
            paths.append(f"{folder}/{number}.txt")
            with open(paths[-1], "w") as file:
                for R in factors:
                    np.savetxt(file, R.T @ R, fmt="%.17g")
                file.write(f"{lam} {B.shape[1]}\n")
                np.savetxt(file, B, fmt="%.17g")
            objective, us, x = by_clarabel(factors, B, lam)
            objectives.append(objective), theirs.append(us)
            limits = limits_about(x)
            limited["paths"].append(f"{folder}/{number}-limited.txt")
            with open(paths[-1]) as free, open(limited["paths"][-1], "w") as file:
                file.write(free.read())
                np.savetxt(file, [[*row, least, largest] for row, least, largest in limits], fmt="%.17g")
            objective, us, _ = by_clarabel(factors, B, lam, limits)
            limited["objectives"].append(objective), limited["us"].append(us)
        said, said_limited = (subprocess.run([program, "--point-masses", *some], capture_output=True, text=True, check=True).stdout.splitlines()
                              for some in (paths, limited["paths"]))
    alone, kept = (np.array([[float(word) for word in line.split()] for line in lines[:-1]]) for lines in (said, said_limited))
    ours, theirs, objectives = alone[:, 0], np.array(theirs), np.array(objectives)
    in_batch, converged = map(float, said[-1].split())
    ratio, batch_ratio = np.median(theirs / ours), np.mean(theirs) / in_batch
    many = 20 * len(paths)
    report.add("pmd: Clarabel's solve time over ours, compressed problem, median", ratio, "x", must=10)
    report.add(f"pmd: the same of a batch of {many} on one thread", batch_ratio, "x", must=30)
    report.add("pmd: of the batch converged", 100 * converged / many, "%", must=100)
    report.add("pmd: objective against Clarabel's, largest relative difference", np.max(np.abs(alone[:, 1] - objectives) / objectives),
               "", must=1e-6, smaller_is_better=True)
    objectives = np.array(limited["objectives"])
    report.add("pmd with a known mass and a side of its center: objective against Clarabel's, largest relative difference",
               np.max(np.abs(kept[:, 1] - objectives) / objectives), "", must=1e-6, smaller_is_better=True)
    report.add("pmd with both: of the batch converged", 100 * float(said_limited[-1].split()[1]) / many, "%", must=100)
    report.add("pmd with both: Clarabel's solve time over ours, median", np.median(np.array(limited["us"]) / kept[:, 0]), "x")
    with_limits = (f"With a known mass and a half-space for the center of mass they take {np.median(kept[:, 0]):.0f} us and "
                   f"{np.median(limited['us']):.0f} us; the optima agree to {np.max(np.abs(kept[:, 1] - objectives) / objectives):.0e}.")
    lines += ["", f"`pmd` takes {np.median(ours):.0f} us of CPU time on {len(ours)} compressed problems of {len(sim['points'])} points, Clarabel's solver "
              f"{np.median(theirs):.0f} us (medians), {ratio:.1f} times as long. In a batch of {many} on one thread `pmd` takes "
              f"{in_batch:.0f} us each, Clarabel {np.mean(theirs):.0f} us (means), {batch_ratio:.1f} times as long (the shortest of {RUNS} passes for "
              f"both). {with_limits}"]
