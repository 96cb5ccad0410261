#include "plain_problem.hpp"

#include <numbers>

namespace heft::payload {

namespace {

/// Maps its isometric coordinates, row by row of the upper triangle.
Eigen::Matrix4d symmetric_of(const Eigen::VectorXd& v) {
  Eigen::Matrix4d M;
  for (int i = 0, k = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j, ++k) M(i, j) = M(j, i) = i == j ? v[k] : v[k] / std::numbers::sqrt2;
  return M;
}

}  // namespace

Result<Problem> plain_problem(const WeightedSums& sums, const BodyParameters& reference,
                              const ConvexOptions& options) {
  HEFT_TRY(prior, prior_of({.reference = reference}, options));
  Constraints possible;
  possible.margin = options.constraints.margin;
  return make_problem(payload_layout(), {sums.G, sums.b, sums.tau2, sums.num_rows}, prior,
                      possible);
}

std::optional<ConvexAnswer> answer_of_plain(const Solution& solution, const WeightedSums& sums,
                                            const BodyParameters& given,
                                            const ConvexOptions& options) {
  const auto reference = invertible(given);
  if (!reference || solution.status != SolveStatus::optimal ||
      solution.x.size() != core::kNumParameters ||
      solution.multipliers.size() != core::kNumParameters)
    return {};
  return answer_of({sums, *reference, options.weight, options.constraints.margin}, solution.x,
                   symmetric_of(solution.multipliers), solution.objective, options);
}

}  // namespace heft::payload
