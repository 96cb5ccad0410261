// Solves one plain problem with the steps of a batch, lanes along the columns of its matrices.
#pragma once

#include "heft/solve/solve.hpp"

namespace heft::solver {

/// Runs the semismooth Newton method. If it does not converge, the status is not `optimal` and
/// there is no point. The problem must be plain (packed_problem.hpp).
Solution solve_plain(const Problem& problem, const SolveOptions& options);

/// Fallback of solve() if the semismooth Newton method does not converge.
Solution solve_without_semismooth(const Problem& problem, const SolveOptions& options);

}  // namespace heft::solver
