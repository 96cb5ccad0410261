#include "whole_robot.hpp"

#include <algorithm>

#include "bootstrap.hpp"
#include "half_widths.hpp"
#include "linalg/factorizations.hpp"
#include "model/poses.hpp"
#include "sum_of_errors.hpp"
#include "uncertainty/motion_noise.hpp"
#include "uncertainty/prior_of_whole.hpp"

namespace heft {

namespace {

/// Mass and center of mass of columns of mass and mass times center of mass.
Eigen::MatrixXd as_mass_and_com(Eigen::MatrixXd sums) {
  for (Eigen::Index k = 0; k < sums.cols(); ++k) sums.col(k).tail<3>() /= sums(0, k);
  return sums;
}

}  // namespace

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
  return {.mass = whole[0], .com = whole.tail<3>()};
}

Result<Done> add_whole_errors(const Robot& robot, const ParameterLayout& layout,
                              const NormalEquations& equations, const Prior& prior,
                              const Eigen::VectorXd& parameters, const BlockNoise& noise,
                              double disagreement, const Eigen::MatrixXd& per_score,
                              WholeRobot& whole) {
  Eigen::MatrixXd rows = whole_robot_rows(robot, layout);
  rows.bottomRows<3>() -= (whole.com * rows.row(0)).eval();
  rows.bottomRows<3>() /= whole.mass;
  HEFT_TRY(of_prior,
           prior_of_whole(layout, equations, prior, parameters, noise.rows_worth_one(), rows));
  whole.prior_shares = of_prior.shares;
  if (per_score.size() == 0) return Done{};
  whole.per_score = rows * per_score;
  Spread spread = noise.spread(whole.per_score.transpose(), 0);
  spread.variance *= disagreement;
  put_sum(spread, of_prior.deviations, of_prior.degrees, whole.standard_error, whole.degrees);
  return Done{};
}

void add_whole_resamples(const Robot& robot, const ParameterLayout& layout,
                         const Eigen::MatrixXd& answers, double confidence, WholeRobot& whole) {
  const Eigen::MatrixXd samples = as_mass_and_com(whole_robot_rows(robot, layout) * answers);
  for (Eigen::Index k = 0; k < samples.rows(); ++k)
    whole.resampled.push_back(percentile_interval(samples.row(k).transpose(), confidence));
}

void set_whole_intervals(double confidence, WholeRobot& whole) {
  constexpr Eigen::Index kMass = 0;
  Eigen::VectorXd widths;
  if (whole.standard_error.size() > 0)
    widths = half_widths(or_zero(whole.systematic, whole.degrees.size()), whole.standard_error,
                         whole.degrees, confidence);
  const auto interval = [&](Eigen::Index k, double estimate) -> std::optional<Interval> {
    if (!(whole.prior_shares[k] <= kSetByPrior)) return std::nullopt;
    std::optional<Interval> resampled;
    if (!whole.resampled.empty()) resampled = whole.resampled[static_cast<std::size_t>(k)];
    if (widths.size() == 0) return resampled;
    return joined(estimate, widths[k], resampled);
  };
  whole.mass_interval = interval(kMass, whole.mass);
  if (whole.mass_interval) whole.mass_interval->lower = std::max(0.0, whole.mass_interval->lower);
  for (int axis = 0; axis < 3; ++axis)
    whole.com_interval[static_cast<std::size_t>(axis)] = interval(1 + axis, whole.com[axis]);
}

void put_motion_noise(const Eigen::VectorXd& score_change,
                      const Eigen::MatrixXd& information_change, Uncertainty& uncertainty) {
  constexpr double kMostOfInformation = 0.9;
  if (!uncertainty.whole || !score_change.allFinite() || !information_change.allFinite()) return;
  WholeRobot& whole = *uncertainty.whole;
  if (whole.per_score.cols() != score_change.size() ||
      uncertainty.per_score.cols() != information_change.cols())
    return;
  // A^-1 = R R', (A - N)^-1 = R (1 - R'N R)^-1 R'; R = D U S in units D that make parameters
  // comparable
  const Eigen::ArrayXd deviation = uncertainty.per_score.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd unit = (deviation > 0).select(deviation, 1);
  const auto D_inverse = unit.cwiseInverse().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(
      Eigen::MatrixXd(D_inverse * uncertainty.per_score * D_inverse));
  const Eigen::ArrayXd S = eigen.eigenvalues().cwiseMax(0).cwiseSqrt();
  const Eigen::VectorXd S_inverse = (S > 0).select(S.inverse(), 0);
  const Eigen::MatrixXd R = unit.asDiagonal() * eigen.eigenvectors() * S.matrix().asDiagonal();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> noise(
      Eigen::MatrixXd(R.transpose() * information_change * R));
  const Eigen::VectorXd left =
      1 - noise.eigenvalues().array().cwiseMax(0).cwiseMin(kMostOfInformation);
  const Eigen::VectorXd moved = noise.eigenvectors().transpose() * (R.transpose() * score_change);
  // C R of the rows C of the whole robot, of which C R R' is known
  const Eigen::MatrixXd CR =
      whole.per_score * D_inverse * eigen.eigenvectors() * S_inverse.asDiagonal();
  whole.systematic = or_zero(whole.systematic, whole.per_score.rows()) -
                     CR * (noise.eigenvectors() * moved.cwiseQuotient(left));
  set_whole_intervals(uncertainty.confidence, whole);
}

}  // namespace heft
