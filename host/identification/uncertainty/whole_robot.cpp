#include "whole_robot.hpp"

#include <algorithm>
#include <cmath>

#include "bootstrap.hpp"
#include "model/poses.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {

namespace {

/// Mass and center of mass of columns of mass and mass times center of mass.
Eigen::MatrixXd as_mass_and_com(Eigen::MatrixXd sums) {
  for (Eigen::Index k = 0; k < sums.cols(); ++k) sums.col(k).tail<3>() /= sums(0, k);
  return sums;
}

}  // namespace

Interval widened(const Interval& sampling, double estimate, double pull) {
  return {estimate - std::hypot(std::max(0.0, estimate - sampling.lower), pull),
          estimate + std::hypot(std::max(0.0, sampling.upper - estimate), pull)};
}

Eigen::MatrixXd whole_robot_rows(const Robot& robot, const ParameterLayout& layout) {
  const std::vector<Eigen::Isometry3d> X_base_body = body_poses(robot, {});
  Eigen::MatrixXd rows = Eigen::MatrixXd::Zero(4, layout.num_parameters());
  for (int b = 0; b < layout.num_bodies(); ++b) {
    const int mass = layout.index(b, core::kMass), first_moment = layout.index(b, core::kMcx);
    const Eigen::Isometry3d& X = X_base_body[static_cast<std::size_t>(layout.body_index[b])];
    rows(0, mass) = 1;
    rows.block<3, 1>(1, mass) = X.translation();
    rows.block<3, 3>(1, first_moment) = X.linear();
  }
  return rows;
}

WholeRobot whole_robot(const Robot& robot, const ParameterLayout& layout,
                       const Eigen::VectorXd& parameters) {
  const Eigen::Vector4d whole =
      as_mass_and_com(whole_robot_rows(robot, layout) * parameters.head(layout.num_parameters()));
  return {.mass = whole[0], .com = whole.tail<3>(), .mass_interval = {}, .com_interval = {}};
}

Result<Done> add_whole_intervals(const Robot& robot, const ParameterLayout& layout,
                                 const NormalEquations& equations, const Prior& prior,
                                 const Eigen::VectorXd& parameters, const Eigen::MatrixXd& answers,
                                 double confidence, double rows_worth_one, WholeRobot& whole) {
  const Eigen::MatrixXd sums = whole_robot_rows(robot, layout);
  const Eigen::MatrixXd samples = as_mass_and_com(sums * answers);
  // first order of the center of mass: d(m c) - c dm = m dc
  Eigen::MatrixXd rows = sums;
  rows.bottomRows<3>() = (sums.bottomRows<3>() - whole.com * sums.row(0)) / whole.mass;
  HEFT_TRY(of_prior,
           prior_of_functions(layout, equations, prior, parameters, rows_worth_one, rows));
  const double quantile = normal_quantile(0.5 * (1 + confidence));
  const auto interval = [&](Eigen::Index k, double estimate) -> std::optional<Interval> {
    if (!(of_prior.shares[k] <= kSetByPrior)) return std::nullopt;
    return widened(percentile_interval(samples.row(k).transpose(), confidence), estimate,
                   quantile * of_prior.deviations[k]);
  };
  whole.mass_interval = interval(0, whole.mass);
  if (whole.mass_interval) whole.mass_interval->lower = std::max(0.0, whole.mass_interval->lower);
  for (int axis = 0; axis < 3; ++axis)
    whole.com_interval[static_cast<std::size_t>(axis)] = interval(1 + axis, whole.com[axis]);
  return Done{};
}

}  // namespace heft
