#include "constrained_optimum.hpp"

#include "config/estimation.hpp"
#include "heft/solve/solve.hpp"

namespace heft {

Result<ConstrainedOptimum> constrained_optimum(const ParameterLayout& layout,
                                               const NormalEquations& equations, const Prior& prior,
                                               const EstimationOptions& options) {
  HEFT_TRY(limits, constraints(options, layout, prior));
  HEFT_TRY(problem, make_problem(layout, equations, prior, limits));
  HEFT_TRY(solution, solve(problem, solve_options(options)));
  if (solution.x.size() < layout.num_parameters())
    return Error{"solver", solution.reason, "check the prior inertias and the log"};
  return ConstrainedOptimum{std::move(problem), std::move(solution)};
}

}  // namespace heft
