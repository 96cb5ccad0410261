// One plain problem by the same steps as a member of a batch, lanes along the columns of its
// matrices.
#pragma once

#include "heft/solve/solve.hpp"

namespace heft::solver {

/// The answer of the semismooth Newton method, which need not get there: its status is then not
/// `optimal`, and it has no point. The problem must be plain (packed_problem.hpp).
Solution solve_plain(const Problem& problem, const SolveOptions& options);

/// What solve() does with a problem that the semismooth Newton method has not solved.
Solution solve_without_semismooth(const Problem& problem, const SolveOptions& options);

}  // namespace heft::solver
