#include "heft/solve/sweep.hpp"

#include <cmath>

namespace heft {

Result<WeightSweep> sweep_weights(const ParameterLayout& layout, const NormalEquations& equations,
                                  const Prior& prior, const Constraints& constraints,
                                  const std::vector<double>& weights, const BatchOptions& options) {
  if (prior.kind == PriorKind::none) {
    return Error{"weight sweep", "without a prior there is no weight to choose", "use the metric prior"};
  }
  WeightSweep sweep;
  for (const double weight : weights) {
    if (!(weight > 0) || !std::isfinite(weight)) {
      return Error{"weight sweep", "weights must be above zero", "try 1e-4 to 1 in half decades"};
    }
    Prior weighted = prior;
    weighted.weight = weight;
    HEFT_TRY(problem, make_problem(layout, equations, weighted, constraints));
    sweep.problems.push_back(std::move(problem));
  }
  HEFT_TRY(solutions, solve_batch(sweep.problems, options));
  sweep.solutions = std::move(solutions);
  return sweep;
}

}  // namespace heft
