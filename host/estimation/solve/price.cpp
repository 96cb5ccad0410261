#include "heft/solve/solve.hpp"

#include <algorithm>

#include "cone.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/minimum_norm.hpp"

namespace heft {

Result<PriceOfPhysics> price_of_physics(const Problem& problem, const Solution& solution,
                                        const std::vector<NormalEquations>& channels) {
  if (problem.barrier_weight > 0) {
    return Error{"price of physics",
                 "undefined for the entropic prior, which enforces the constraints itself",
                 "use the metric prior"};
  }
  const int P = problem.physical.num_parameters;
  if (solution.y.size() != problem.num_variables() ||
      solution.lambda.size() != problem.cone.size()) {
    return Error{"price of physics", "the solution belongs to another problem",
                 "pass the solution of this one"};
  }
  for (const auto& channel : channels) {
    if (channel.b.size() != P)
      return Error{"price of physics", "channels have a different number of parameters",
                   "pass the channels of this problem"};
  }

  // the optimum without cones; where it is not unique, the one nearest to the prior
  const Eigen::VectorXd slope = -(problem.Q * problem.start + problem.c);
  const Eigen::VectorXd y =
      problem.start + (problem.is_strongly_convex ? Eigen::VectorXd(problem.Q.llt().solve(slope))
                                                  : minimum_norm_solution(problem.Q, slope));
  const Eigen::VectorXd x = problem.extended_parameters(y).head(P);

  PriceOfPhysics result;
  result.objective = problem.quadratic(solution.y);
  result.unconstrained_objective = problem.quadratic(y);
  const double residual_cost = problem.data.residual_cost(x) / problem.data.num_rows;
  const double floor = 1e-10 * problem.data.tau2 / problem.data.num_rows;
  result.relative = (result.objective - result.unconstrained_objective) /
                    std::max({residual_cost, floor, 1e-300});

  const Eigen::VectorXd unit = solver::cone_unit(problem.cone);
  for (int block = 0; block < problem.cone.num_blocks(); ++block) {
    const int begin = problem.cone.block_begin(block), size = problem.cone.block_size(block);
    const double price = unit.segment(begin, size).dot(solution.lambda.segment(begin, size));
    result.constraints.push_back(
        {problem.physical.block_names[block], problem.physical.block_body[block], price});
  }
  std::stable_sort(result.constraints.begin(), result.constraints.end(),
                   [](const auto& a, const auto& b) { return a.price > b.price; });

  for (const auto& channel : channels) {
    result.channel_cost.push_back(channel.residual_cost(solution.x.head(P)));
    result.unconstrained_channel_cost.push_back(channel.residual_cost(x));
  }
  return result;
}

}  // namespace heft
