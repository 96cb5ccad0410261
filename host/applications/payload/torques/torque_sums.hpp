// Least squares of ten parameters on a link, from the sums of a loaded log and what is known of the
// robot (by_torques.hpp).
#pragma once

#include <limits>
#include <vector>

#include "methods/one_body.hpp"
#include "payload/by_torques.hpp"

namespace heft::payload {

struct TorqueFit {
  WeightedSums sums;                          ///< S, g; rows are counted as they are worth
  BodyParameters x = BodyParameters::Zero();  ///< least squares without any prior
  /// Of x, over the directions seen: by how rows are alike, and by how blocks of the log scatter.
  /// Either may be small by chance.
  std::vector<Matrix10d> covariances;
  /// Of x, by the errors of torque scales (TorqueGains), and the degrees of freedom of that
  /// estimate. Adds to each of the others.
  Matrix10d covariance_of_scales = Matrix10d::Zero();
  double freedom_of_scales = std::numeric_limits<double>::infinity();
  std::array<bool, 10> open = {};    ///< which the log does not tell
  double freedom = 0;                ///< of the covariances
  double worth_one = 1;              ///< rows of the log
  Eigen::VectorXd channel_weights;   ///< 1 / s_c^2
  Eigen::MatrixXd from_robot;        ///< P x Q, quantities to parameters
  Eigen::VectorXd robot_alone;       ///< Q: base quantities of the best robot, without payload
  Eigen::MatrixXd moved_by_payload;  ///< Q x 10: what x changes in robot and payload together
  /// x = to_x [sum_c (data' b_c - robot' k_c)], b_c and k_c of one channel (by_torques.hpp);
  /// `robot`: empty of an exact robot.
  Matrix10d to_x = Matrix10d::Zero();
  Eigen::MatrixXd data_share, robot_share;  ///< Q x 10

  /// Parameters of the layout that have the torques of robot and payload x.
  Eigen::VectorXd loaded(const BodyParameters& payload) const {
    return from_robot * (robot_alone + moved_by_payload * payload);
  }
};

/// Q x 10: what ten parameters in the link's frame add to the base quantities.
Eigen::MatrixXd quantities_of_payload(const KnownRobot& robot, const CarryingLink& link);

/// `blocks` sum to `moments` and are about independent of each other; fewer than eight of them, and
/// the rows count as `worth_one`.
Result<TorqueFit> fit_torques(const KnownRobot& robot, const CarryingLink& link,
                              const Moments& moments, const std::vector<Moments>& blocks,
                              double worth_one = 1);

}  // namespace heft::payload
