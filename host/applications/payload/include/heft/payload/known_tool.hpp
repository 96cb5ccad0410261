// What hangs on a sensor besides the payload, and what it shows without load, as an earlier run
// found them. Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct KnownTool {
  BodyParameters parameters = BodyParameters::Zero();  ///< in the sensor's frame, or the link's by
                                                       ///< torques; zero: nothing but offsets
  /// In whose frame it was calibrated by joint torques; empty: by a sensor, or told.
  std::string link = {};
  Eigen::Matrix<double, 6, 1> bias = Eigen::Matrix<double, 6, 1>::Zero();  ///< [N], [N m]
  bool has_bias = false;
  /// Of the errors of m, h (four) and bias (six), in their units.
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();
};

}  // namespace heft
#pragma GCC visibility pop
