#include "heft/solve/weighted_fit.hpp"

#include <algorithm>
#include <cmath>

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
    // the residual cancels: below 1e-10 of tau^2 it is rounding, and the channel fits perfectly for all purposes; a
    // passive joint, without torque, is measured by the others
    const double floor = 1e-10 * (tau2[c] > 0 ? tau2[c] : tau2.mean());
    weights[c] = moments.num_rows[c] / std::max(residual_sum(moments, c, parameters), floor);
  }
  return weights;
}

}  // namespace

Result<WeightedFit> fit_weighted(const Moments& moments, int passes, double rank_cut) {
  const RegressorPlan& plan = *moments.plan;
  const LeastSquaresOptions options{.rank_cut = rank_cut};
  WeightedFit fit;
  HEFT_TRY(ordinary,
           least_squares(plan.layout, normal_equations(moments, Eigen::VectorXd::Ones(plan.num_channels())),
                         options));
  fit.ordinary = ordinary;
  fit.weighted = ordinary;
  fit.channel_weights = inverse_variances(moments, ordinary.x);
  for (int pass = 0; pass < passes; ++pass) {
    HEFT_TRY(weighted, least_squares(plan.layout, normal_equations(moments, fit.channel_weights), options));
    fit.weighted = weighted;
    fit.channel_weights = inverse_variances(moments, weighted.x);
  }
  return fit;
}

}  // namespace heft
