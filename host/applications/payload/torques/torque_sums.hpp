// Least squares of ten parameters on a link, from the sums of a loaded log and the robot's
// identification (by_torques.hpp).
#pragma once

#include <limits>
#include <vector>

#include "methods/one_body.hpp"
#include "payload/by_torques.hpp"

namespace heft::payload {

struct TorqueFit {
  WeightedSums sums;                          ///< S, g; rows weighted by worth_one
  BodyParameters x = BodyParameters::Zero();  ///< least squares without a prior
  /// Covariance of x over the determined directions: from the autocorrelation of rows, and from the
  /// scatter of blocks of the log. Either may be too small by chance.
  std::vector<Matrix10d> covariances;
  /// Covariance of x from errors of torque scales (TorqueGains), and the degrees of freedom of that
  /// estimate. Adds to both covariances above.
  Matrix10d covariance_of_scales = Matrix10d::Zero();
  double freedom_of_scales = std::numeric_limits<double>::infinity();
  std::array<bool, 10> open = {};    ///< parameters that the log does not determine
  double freedom = 0;                ///< degrees of freedom of the covariances
  double worth_one = 1;              ///< number of rows of the log that are worth one
  Eigen::VectorXd channel_weights;   ///< 1 / s_c^2
  Eigen::MatrixXd from_robot;        ///< P x Q, quantities to parameters
  Eigen::VectorXd robot_alone;       ///< Q: base quantities of the best robot, without payload
  Eigen::MatrixXd moved_by_payload;  ///< Q x 10: change of robot and payload together per unit of x
  /// x = to_x [sum_c (data' b_c - robot' k_c)], with b_c and k_c of one channel (by_torques.hpp);
  /// `robot` is empty for an exact robot.
  Matrix10d to_x = Matrix10d::Zero();
  Eigen::MatrixXd data_share, robot_share;  ///< Q x 10

  /// Parameters of the layout with the torques of robot and payload x.
  Eigen::VectorXd loaded(const BodyParameters& payload) const {
    return from_robot * (robot_alone + moved_by_payload * payload);
  }
};

/// Q x 10: contribution of ten parameters in the link's frame to the base quantities.
Eigen::MatrixXd quantities_of_payload(const KnownRobot& robot, const CarryingLink& link);

/// `blocks` sum to `moments` and are approximately independent; with fewer than eight, rows are
/// weighted by `worth_one`.
Result<TorqueFit> fit_torques(const KnownRobot& robot, const CarryingLink& link,
                              const Moments& moments, const std::vector<Moments>& blocks,
                              double worth_one = 1);

}  // namespace heft::payload
