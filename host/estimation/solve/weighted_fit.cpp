#include "heft/solve/least_squares.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace heft {

namespace {

/// 1 / mean squared residual of every channel; a channel without rows gets weight zero.
Eigen::VectorXd inverse_variances(const Moments& moments, const Eigen::VectorXd& parameters) {
  const RegressorPlan& plan = *moments.plan;
  Eigen::VectorXd weights = Eigen::VectorXd::Zero(plan.num_channels());
  Eigen::VectorXd tau2(plan.num_channels());
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(plan.layout.num_parameters());
  for (int c = 0; c < plan.num_channels(); ++c) tau2[c] = residual_sum(moments, c, nothing);
  for (int c = 0; c < plan.num_channels(); ++c) {
    if (!(moments.num_rows[c] > 0)) continue;
    // the residual cancels: below 1e-10 of tau^2 it is rounding, and the channel fits perfectly for
    // all purposes; a passive joint, without torque, is measured by the others
    const double floor = 1e-10 * (tau2[c] > 0 ? tau2[c] : tau2.mean());
    weights[c] = moments.num_rows[c] / std::max(residual_sum(moments, c, parameters), floor);
  }
  return weights;
}

/// Weights of the last pass, and weights from its residuals.
struct Reweighted {
  Eigen::VectorXd last, next;
};

Result<Reweighted> reweighted(const Moments& moments, int passes, double rank_cut) {
  const RegressorPlan& plan = *moments.plan;
  Reweighted weights{.next = Eigen::VectorXd::Ones(plan.num_channels())};
  for (int pass = 0; pass <= passes; ++pass) {
    weights.last = std::move(weights.next);
    HEFT_TRY(x, basic_solution(plan.layout, normal_equations(moments, weights.last),
                               {.rank_cut = rank_cut}));
    weights.next = inverse_variances(moments, x);
  }
  return weights;
}

}  // namespace

Result<Eigen::VectorXd> weights_of_residuals(const Moments& moments, int passes, double rank_cut) {
  HEFT_TRY(weights, reweighted(moments, passes, rank_cut));
  return std::move(weights.next);
}

Result<WeightedFit> fit_weighted(const Moments& moments, int passes, double rank_cut) {
  const RegressorPlan& plan = *moments.plan;
  const auto fit_with = [&](const Eigen::VectorXd& weights) {
    return least_squares(plan.layout, normal_equations(moments, weights), {.rank_cut = rank_cut});
  };
  HEFT_TRY(ordinary, fit_with(Eigen::VectorXd::Ones(plan.num_channels())));
  HEFT_TRY(weights, reweighted(moments, passes, rank_cut));
  WeightedFit fit{ordinary, ordinary, std::move(weights.next)};
  if (passes > 0) {
    HEFT_TRY(weighted, fit_with(weights.last));
    fit.weighted = std::move(weighted);
  }
  return fit;
}

}  // namespace heft
