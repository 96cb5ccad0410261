#include "constrained_optimum.hpp"

namespace heft {

Result<ConstrainedOptimum> constrained_optimum(const ParameterLayout& layout,
                                               const NormalEquations& equations, const Prior& prior,
                                               const Constraints& constraints,
                                               const EstimationOptions& options) {
  HEFT_TRY(problem, make_problem(layout, equations, prior, constraints));
  HEFT_TRY(solution, options.solver ? options.solver(problem) : solve(problem, options.solve));
  if (solution.x.size() < layout.num_parameters())
    return Error{"solver", solution.reason, "check the prior inertias and the log"};
  return ConstrainedOptimum{std::move(problem), std::move(solution)};
}

}  // namespace heft
