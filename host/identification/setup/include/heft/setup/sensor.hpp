// A force-torque sensor on any link: six screws on the link that it carries, with what makes
// newtons of its numbers. Threads: plain values, and a function that any number of threads may
// call.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/channel.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// What stands in the log is raw; the wrench that carries the link is sign (scale raw - offset),
/// force [N] and torque [N m], in the axes of the sensor and about its origin. FORMULAS 1.
struct SensorSpec {
  std::string name;  ///< its channels are `name`_fx, _fy, _fz, _nx, _ny, _nz
  /// It feels this link and everything outward of it. A link that is fixed to its carrier must have
  /// been kept apart: RobotOptions::separate_links.
  std::string link;
  /// Pose of the sensor in the link: x, y, z [m], roll, pitch, yaw [rad], which turn it by Rz Ry
  /// Rx, as in URDF.
  Eigen::Matrix<double, 6, 1> pose = Eigen::Matrix<double, 6, 1>::Zero();
  double sign = 1;  ///< 1: shows the wrench that carries the link; -1: the one that the link puts
                    ///< on its carrier
  double force_scale = 1;   ///< [N] per unit of the log
  double torque_scale = 1;  ///< [N m] per unit of the log
  /// A bias that is known: force [N] and torque [N m] shown without load, before the sign.
  Eigen::Matrix<double, 6, 1> offset = Eigen::Matrix<double, 6, 1>::Zero();
};

/// The channels of sensors, six each in the order of the names above. Errors name the sensor:
/// without a name, or two of one; a link that is no body of the robot, or the root of a floating
/// base, whose wrench has channels already; a sign that is not 1 or -1; a scale of zero; numbers
/// that are not finite.
Result<std::vector<Channel>> sensor_channels(const Robot& robot,
                                             const std::vector<SensorSpec>& sensors);

}  // namespace heft
#pragma GCC visibility pop
