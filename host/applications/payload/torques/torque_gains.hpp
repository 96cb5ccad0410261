// Errors of the joints' torque scales: their effect on a payload, their spread, and their
// calibration by a known mass (FORMULAS 8).
//
// The log has g_c = 1 / (1 + e_c) times the torque of joint c. With y = theta + R x the loaded
// robot, the squared residuals of both logs are
//
//   identification   sum_c |(1 + e_c) tau_c - Y_c theta|^2
//   loaded log       sum_c |(1 + e_c) tau_c - Y_c y|^2
//
// Products of e_c with residuals of the fit are left out; intervals of a calibration are wider by
// their size. A factor that all joints share scales robot and payload equally: only a known mass
// reveals it.
#pragma once

#include "torque_sums.hpp"

namespace heft::payload {

/// Sums of a loaded log by joint, weighted as in the fit. Channels that belong to no joint count as
/// exact.
class TorqueGains {
 public:
  /// Keeps references to robot and fit.
  TorqueGains(const KnownRobot& robot, const CarryingLink& link, const Moments& moments,
              const TorqueFit& fit);

  /// 10 x joints: the part of x that each joint contributes. A torque scale that is off by d
  /// changes x by d times that part.
  Eigen::Matrix<double, 10, Eigen::Dynamic> contributions() const;

  /// Standard deviation of the scales, estimated from how joints disagree about the same bodies; 5
  /// % if too few differences are visible.
  TorqueScaleSpread spread() const;

  /// Mass by one joint alone, center of mass and tensor as in the fit, with its standard error by
  /// noise [kg].
  struct JointMass {
    int channel = 0;
    double mass = 0, error = 0;
  };
  std::vector<JointMass> masses() const;

  /// Torque scales that give the payload its known mass; empty for a robot without error bars.
  std::optional<TorqueCalibration> calibrated(double known_mass) const;

 private:
  struct Equations;
  Equations equations() const;
  Eigen::Index num_joints() const { return std::ssize(channels_); }

  const KnownRobot& robot_;
  const TorqueFit& fit_;
  std::vector<int> channels_;  ///< of joints
  Eigen::MatrixXd R_;
  Eigen::VectorXd y_;  ///< Q, robot and payload
  Eigen::MatrixXd A_;  ///< Q x Q, over all channels
  Eigen::VectorXd q_;  ///< Y'(tau - Y y) over all channels
  /// Q x joints: Y_c'tau_c, Y_c'Y_c y and Y_c'Y_c R x of the loaded log, and the joint's part of K
  /// theta.
  Eigen::MatrixXd measured_, predicted_, of_payload_, of_robot_;
  Eigen::VectorXd score_;  ///< joints: ChannelParts::score
};

}  // namespace heft::payload
