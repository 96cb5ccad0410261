#!/usr/bin/env python3
"""Batches of the 7-body problems by Moreau, a conic solver with a CUDA backend (PyPI: moreau, Apache 2.0).

Usage: bench/solver/moreau_peer.py problems.bin [--device cuda] [--batch 800] [--repeats 5] [--json FILE]

problems.bin is written by bench/solver/problems.py. Needs Python 3.12, numpy, scipy and `pip install 'moreau[cuda13]'`, or `moreau` for
--device cpu. Times are wall clock of setup and solve of a batch, copies included, median of the repeats; the analysis of the common
sparsity is not included. Tolerance 1e-8, as in compare.py. A solution counts if Moreau says it is solved and its objective in
physical parameters is within 1e-5 of the residual cost of the best of --check solutions by Clarabel, if that is installed.
Exit codes: 0 all solved, 1 not, 77 no Moreau or no such device.
"""
import argparse
import pathlib
import statistics
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent)]
import heft_bench  # noqa: E402

TOLERANCE, AGREEMENT = 1e-8, 1e-5


def batch_of(programs, problems, device, repeats):
    """Microseconds per problem, solutions in physical parameters, and how many Moreau says are solved."""
    import moreau
    import numpy as np
    from scipy import sparse

    order, first = P.upper_triangles(problems[0], len(programs[0][4]))
    A = sparse.csr_matrix(programs[0][3])[order]
    A.sort_indices()
    if any((abs(sparse.csr_matrix(program[3])[order] - A)).max() > 0 for program in programs):
        raise ValueError("the constraints of a batch differ")
    n, count = programs[0][0].shape[0], len(programs)
    settings = moreau.Settings(device=device, solver="ipm", batch_size=count, ipm_settings=moreau.IPMSettings(
        tol_gap_abs=TOLERANCE, tol_gap_rel=TOLERANCE, tol_feas=TOLERANCE))
    cones = moreau.Cones(num_nonneg_cones=first, psd_dims=[4] * problems[0]["bodies"])
    solver = moreau.CompiledSolver(n=n, m=A.shape[0], P_row_offsets=np.arange(0, n * n + 1, n), P_col_indices=np.tile(np.arange(n), n),
                                   A_row_offsets=A.indptr, A_col_indices=A.indices, cones=cones, settings=settings)
    P_values = np.array([(0.5 * (H + H.T)).ravel() for H, *_ in programs])
    A_values = np.tile(A.data, (count, 1))
    qs, bs = np.array([program[1] for program in programs]), np.array([program[4][order] for program in programs])
    times = []
    for _ in range(repeats + 1):  # the first one allocates
        begin = time.perf_counter()
        solver.setup(P_values, A_values)
        solution = solver.solve(qs, bs)
        x = np.asarray(solution.x)
        times.append(1e6 * (time.perf_counter() - begin) / count)
    solved = sum(int(status) == int(moreau.SolverStatus.Solved) for status in np.ravel(solver.info.status))
    return statistics.median(times[1:]), [program[6] @ row for program, row in zip(programs, x)], solved


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("problems")
    parser.add_argument("--device", choices=["cpu", "cuda"], default="cuda")
    parser.add_argument("--batch", type=int, default=800)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--check", type=int, default=3, help="problems of each batch that Clarabel solves, too")
    parser.add_argument("--json")
    options = parser.parse_args()
    heft_bench.require(["numpy", "scipy", "moreau"], [options.problems], "pip install 'moreau[cuda13]' for Python 3.12")
    import moreau
    if not moreau.device_available(options.device):
        print(f"nothing to run on: Moreau {moreau.__version__} has no device {options.device}: {moreau.device_error(options.device)}")
        return heft_bench.NOTHING_TO_RUN_ON
    batches = {}
    for problem in P.read(options.problems):
        if problem["bodies"] == 7 and "ellipsoids" not in problem and "shapes" not in problem:
            batches.setdefault(problem["weight"], []).append(problem)
    report = heft_bench.Report(options.json)
    for weight, problems in batches.items():
        programs = [P.scaled_program(problem) for problem in problems]
        repeated = [k % len(problems) for k in range(max(options.batch, len(problems)))]
        us, found, solved = batch_of([programs[k] for k in repeated], [problems[k] for k in repeated], options.device, options.repeats)
        what = f"{len(repeated)} problems of 7 bodies, w {weight:g}: Moreau {moreau.__version__}, {options.device}"
        report.add(what, us, "us a problem", smaller_is_better=True)
        report.add(f"{what}, solved", solved, f"of {len(repeated)}", must=len(repeated))
        try:
            above = [(P.objective(p, x) - P.objective(p, P.clarabel(p)[0])) / P.residual_cost(p, x)
                     for p, x in list(zip(problems, found))[:options.check]]
            report.add(f"{what}, objective above Clarabel's", max(above), "residual costs", must=AGREEMENT, smaller_is_better=True)
        except ImportError:
            print("without clarabel: the solutions are not compared")
    return report.finish(options.json)


if __name__ == "__main__":
    heft_bench.require(["numpy"], remedy="pip install numpy")
    import problems as P
    sys.exit(main())
