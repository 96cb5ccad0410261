#include "tool_on_robot.hpp"

#include <algorithm>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::payload {

namespace {

using FirstMoments = Eigen::Matrix4d;  ///< covariance of m, h

/// Returns F with F F' = C, for singular C as well.
FirstMoments factor_of(const FirstMoments& C) {
  const Eigen::Vector4d scale = C.diagonal().cwiseMax(0).cwiseSqrt();
  const Eigen::Vector4d inverse = scale.unaryExpr([](double s) { return s > 0 ? 1 / s : 0.0; });
  const SymmetricEigen<Eigen::Dynamic> eigen(inverse.asDiagonal() * C * inverse.asDiagonal());
  return scale.asDiagonal() * eigen.eigenvectors() *
         eigen.eigenvalues().cwiseMax(0).cwiseSqrt().asDiagonal();
}

/// Returns the smallest matrix that is at least as large as both in every direction.
FirstMoments larger_of(const FirstMoments& A, const FirstMoments& B) {
  const Eigen::LLT<FirstMoments> factor(A);
  if (factor.info() != Eigen::Success) return A + B;
  const FirstMoments L = factor.matrixL();
  const FirstMoments between = factor.matrixL().solve(factor.matrixL().solve(B).transpose());
  const SymmetricEigen<Eigen::Dynamic> eigen(0.5 * (between + between.transpose()));
  const FirstMoments to = L * eigen.eigenvectors();
  return to * eigen.eigenvalues().cwiseMax(1).asDiagonal() * to.transpose();
}

}  // namespace

Result<KnownRobot> with_tool(KnownRobot robot, const CarryingLink& link, const KnownTool& tool) {
  const std::string remedy = "calibrate it with heft payload --model .. --link " + link.name +
                             " --zero, or give payload.known_tool its parameters in the frame of " +
                             link.name + " without a bias";
  if (tool.has_bias)
    return Error{"payload.known_tool",
                 "was calibrated on a force-torque sensor and is in the sensor's frame", remedy};
  if (!tool.link.empty() && tool.link != link.name)
    return Error{"payload.known_tool", "was calibrated in the frame of " + tool.link, remedy};
  const int first = robot.plan->layout.index(link.body, core::kMass);
  const BodyParameters on_body = transformed(link.X_body_link, tool.parameters);
  robot.parameters.segment<core::kNumParameters>(first) += on_body;
  if (robot.information.size() == 0) return robot;
  const Eigen::MatrixXd R = quantities_of_payload(robot, link);
  robot.information_times_estimate += robot.information * (R * tool.parameters);
  const Eigen::MatrixXd spread = R.leftCols<4>() * factor_of(tool.covariance.topLeftCorner<4, 4>());
  const Eigen::MatrixXd K_spread = robot.information * spread;
  const Eigen::LLT<FirstMoments> inner(
      FirstMoments(FirstMoments::Identity() + spread.transpose() * K_spread));
  robot.information_times_estimate -=
      K_spread * inner.solve(spread.transpose() * robot.information_times_estimate);
  if (robot.channel_parts.score.size() > 0)
    robot.channel_parts.times_estimate -=
        K_spread * inner.solve(spread.transpose() * robot.channel_parts.times_estimate);
  robot.information -= K_spread * inner.solve(K_spread.transpose());
  robot.information = (0.5 * (robot.information + robot.information.transpose())).eval();
  return robot;
}

std::optional<KnownTool> tool_of(const TorqueFit& fit, const BodyParameters& answer,
                                 const CarryingLink& link, const std::optional<KnownTool>& before) {
  if (std::any_of(fit.open.begin(), fit.open.begin() + 4, [](bool is_open) { return is_open; }))
    return {};
  KnownTool tool{.parameters = answer, .link = link.name};
  if (before) tool.parameters += before->parameters;
  FirstMoments covariance = fit.covariances.front().topLeftCorner<4, 4>();
  for (const Matrix10d& other : fit.covariances)
    covariance = larger_of(covariance, other.topLeftCorner<4, 4>());
  covariance += fit.covariance_of_scales.topLeftCorner<4, 4>();
  tool.covariance.topLeftCorner<4, 4>() = covariance;
  return tool;
}

}  // namespace heft::payload
