// Effect of errors of the robot file and of constant errors of sensors on functions of the
// parameters that depend on all bodies, such as the mass of the whole robot.
//
// The estimate is approximately x0 + (1 - S) e + noise with e the error of the prior and S as in
// prior_error, so that e changes functions c'x by c'S e. With W = L L' the curvature of the prior,
// D that of the data and L^-1 D L^-T = V diag(l) V', the estimate shows
//
//   z = diag((1 + l) / sqrt(l k)) V'L' (x - x0) = diag(sqrt(l / k)) V'L' e + n,     n ~ N(0, 1)
//
// with k the rows worth one over the number of rows. Covariance of e: v_1 times that of the
// metric about the prior, averaged with that about the estimate; v_2 times that about a ball of the
// same mass, center of mass and radius of gyration, because the center of mass of a thin link is
// uncertain in proportion to its length, not to its thickness; and one variance for each kind of
// sensor error, which has a stated standard deviation. The variances maximize the likelihood of z
// (variance_components.hpp) [Efron, Morris 1975]. The prior shifts other columns by a known amount.
#pragma once

#include <optional>

#include "heft/model/parameter_layout.hpp"
#include "heft/uncertainty/uncertainty.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Stated standard deviations of constant errors of sensors, before the data.
struct SensorErrors {
  static constexpr double kForce = 1;             ///< [N]
  static constexpr double kTorque = 0.03;         ///< [N m]
  static constexpr double kGyroscope = 0.005;     ///< [rad/s]
  static constexpr double kAccelerometer = 0.05;  ///< [m/s^2]
  static constexpr double kRotation = 0.05;       ///< of the IMU [rad]
};

/// Returns the stated standard deviation of the unknown of a column in its unit if it is a bias of
/// a wrench, or a bias or the rotation of the IMU; otherwise nothing.
std::optional<double> stated_sensor_error(const Column& column);

/// Returns shares and deviations as prior_of_functions does, for the covariance above. Errors:
/// those of prior_shares.
Result<PriorOfFunctions> prior_of_whole(const ParameterLayout& layout,
                                        const NormalEquations& equations, const Prior& prior,
                                        const Eigen::VectorXd& parameters, double rows_worth_one,
                                        const Eigen::MatrixXd& rows);

}  // namespace heft
#pragma GCC visibility pop
