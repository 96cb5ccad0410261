// Primal-dual interior point method for Problem.
#pragma once

#include "heft/solve/solve.hpp"

namespace heft::solver {

/// Nesterov-Todd directions with Mehrotra's predictor and corrector:
///   Q dy - F' dlambda = -(Q y + c - F'lambda)
///   F dy - ds         = -(F y + g - s)
///   ds + dlambda      = u                          in the scaled coordinates of nesterov_todd.hpp
/// which is one Cholesky factorization of Q + sum F_k' (P_k x P_k) F_k per iteration (x: Kronecker
/// product). The target of s lambda is sigma mu on every block, plus w on blocks with a log det
/// prior, at whose optimum s lambda = w 1. Starts from ridge least squares.
///
/// iterate_interior_point returns only y, lambda, status and history, and the record of the best
/// iterate; sufficient for auxiliary problems without physical parameters.
Solution solve_interior_point(const Problem& problem, const SolveOptions& options);
Solution iterate_interior_point(const Problem& problem, const SolveOptions& options,
                                IterationRecord& best);

}  // namespace heft::solver
