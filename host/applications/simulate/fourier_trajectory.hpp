// Smooth random motion of every joint within its limits:
//   q_k(t) = center_k + sum_h a_kh sin(h w t) + b_kh cos(h w t)
#pragma once

#include <Eigen/Core>

#include "heft/model/robot.hpp"
#include "heft/simulate/simulate.hpp"

namespace heft {

class FourierTrajectory {
 public:
  FourierTrajectory(const Robot& robot, const SimulateOptions& options);

  /// Position, velocity and acceleration of all coordinates at time t [s].
  void at(double t, Eigen::VectorXd& q, Eigen::VectorXd& qd, Eigen::VectorXd& qdd) const;

 private:
  double base_frequency_;  ///< w [rad/s]
  Eigen::VectorXd center_;
  Eigen::MatrixXd sine_, cosine_;  ///< coordinates x harmonics
};

}  // namespace heft
