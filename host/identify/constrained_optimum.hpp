// The convex problem of FORMULAS 2 and 3 under the options of an estimation, solved.
#pragma once

#include "heft/config/configuration.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solution.hpp"

namespace heft {

struct ConstrainedOptimum {
  Problem problem;
  Solution solution;  ///< x as long as the layout at least; its status says whether it is the optimum
};

/// `equations` are weighted. Errors: those of constraints(), make_problem and solve; a solver that ends without a point.
Result<ConstrainedOptimum> constrained_optimum(const ParameterLayout& layout,
                                               const NormalEquations& equations, const Prior& prior,
                                               const EstimationOptions& options);

}  // namespace heft
