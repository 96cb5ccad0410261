// Where the bodies of a robot are, and how they move.
// Threads: functions without memory: any number of threads may call them.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Poses of all bodies in base axes with the coordinates at `position` [rad] or [m]; none stands
/// for zero. The base of a robot whose base floats stays where it is.
std::vector<Eigen::Isometry3d> body_poses(const Robot& robot, const Eigen::VectorXd& position);

/// Coordinates of a robot at one time: one number a coordinate, [rad] or [m], and its derivatives
/// by time.
struct CoordinateMotion {
  Eigen::VectorXd position, velocity, acceleration;
  /// w, wd, a - g of a base that floats, in its own axes; not looked at where it is fixed.
  Eigen::Matrix<double, 9, 1> base_motion = Eigen::Matrix<double, 9, 1>::Zero();
};

/// One body, in its own axes but for the pose.
struct BodyMotion {
  Eigen::Isometry3d X_base_body = Eigen::Isometry3d::Identity();
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w;  ///< [rad/s], [rad/s^2]
  Eigen::Vector3d u = w;  ///< classical acceleration of the origin less gravity [m/s^2]
};

/// Motion of the frame that is at `X_body_frame` of a body, in that frame's axes. FORMULAS 1.
BodyMotion body_motion(const Robot& robot, int body, const Eigen::Isometry3d& X_body_frame,
                       const CoordinateMotion& state);

}  // namespace heft
#pragma GCC visibility pop
