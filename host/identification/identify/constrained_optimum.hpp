// Solves the convex problem of FORMULAS 2 and 3.
#pragma once

#include "heft/identify/estimate.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solve.hpp"

namespace heft {

struct ConstrainedOptimum {
  Problem problem;
  Solution solution;  ///< x has at least the length of the layout; the status says whether it is
                      ///< the optimum
};

/// `equations` are weighted. Errors: those of make_problem and of the solver; a solver that returns
/// no point.
Result<ConstrainedOptimum> constrained_optimum(const ParameterLayout& layout,
                                               const NormalEquations& equations, const Prior& prior,
                                               const Constraints& constraints,
                                               const EstimationOptions& options);

}  // namespace heft
