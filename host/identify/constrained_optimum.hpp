// The convex problem of FORMULAS 2 and 3, solved.
#pragma once

#include "heft/solve/problem.hpp"
#include "heft/solve/solution.hpp"
#include "heft/solve/solve.hpp"

namespace heft {

struct ConstrainedOptimum {
  Problem problem;
  Solution solution;  ///< x as long as the layout at least; its status says whether it is the optimum
};

/// `equations` are weighted. Errors: those of make_problem and solve; a solver that ends without a point.
Result<ConstrainedOptimum> constrained_optimum(const ParameterLayout& layout,
                                               const NormalEquations& equations, const Prior& prior,
                                               const Constraints& constraints, const SolveOptions& options);

}  // namespace heft
