// Torque scales of the joints, what they do to a payload, and what a payload of known mass says of them. The log has g_c = 1 + d_c
// times the torque of joint c.
//
// With e_c the correction of a scale, g_c = 1 / (1 + e_c), and y = theta + R x the loaded robot, the rows of both logs leave
//
//   identification   sum_c |(1 + e_c) tau_c - Y_c theta|^2        loaded log   sum_c |(1 + e_c) tau_c - Y_c y|^2
//
// which is quadratic in e, theta and x; products of e_c with residuals of the fit are left out, and widen what a
// calibration finds. One factor of all joints changes robot and payload alike: only a known mass shows it.
#pragma once

#include "torque_sums.hpp"

namespace heft::payload {

/// What each joint's torque says in a loaded log, weighted as the fit has it. Other channels count as exact.
class TorqueGains {
 public:
  /// Robot and fit have to stay.
  TorqueGains(const KnownRobot& robot, const CarryingLink& link, const Moments& moments,
              const TorqueFit& fit);

  /// 10 x joints: what each brings to x of the fit. A torque scale that is off by d changes x by d times it.
  Eigen::Matrix<double, 10, Eigen::Dynamic> contributions() const;

  /// From how joints contradict each other about one robot; 5 % where too few of them can.
  TorqueScaleSpread spread() const;

  /// Mass that each joint shows alone, with its standard error by noise [kg].
  struct JointMass {
    int channel = 0;
    double mass = 0, error = 0;
  };
  std::vector<JointMass> masses() const;

  /// Torque scales with which the payload has the mass. Nothing of a robot without error bars.
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
  /// Q x joints: Y_c'tau_c, Y_c'Y_c y and Y_c'Y_c R x of the loaded log, and what the joint brings to K theta.
  Eigen::MatrixXd measured_, predicted_, of_payload_, of_robot_;
  Eigen::VectorXd score_;  ///< joints: ChannelParts::score
};

}  // namespace heft::payload
