// Forward kinematics: poses and motion of the bodies of a robot. Threads: stateless; safe to call
// from several threads.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the poses of all bodies in base axes with the coordinates at `position` [rad] or [m];
/// empty: all zero. A floating base is held at its origin.
std::vector<Eigen::Isometry3d> body_poses(const Robot& robot, const Eigen::VectorXd& position);

/// Coordinates of a robot at one time, [rad] or [m], and their time derivatives.
struct CoordinateMotion {
  Eigen::VectorXd position, velocity, acceleration;
  /// w, wd, a - g of a floating base in its own axes; ignored for a fixed base.
  Eigen::Matrix<double, 9, 1> base_motion = Eigen::Matrix<double, 9, 1>::Zero();
};

/// Motion of one body, in its own axes except for the pose.
struct BodyMotion {
  Eigen::Isometry3d X_base_body = Eigen::Isometry3d::Identity();
  Eigen::Vector3d w = Eigen::Vector3d::Zero(), wd = w;  ///< [rad/s], [rad/s^2]
  Eigen::Vector3d u = w;  ///< classical acceleration of the origin minus gravity [m/s^2]
};

/// Returns the motion of the frame at `X_body_frame` of a body, in that frame's axes. FORMULAS 1.
BodyMotion body_motion(const Robot& robot, int body, const Eigen::Isometry3d& X_body_frame,
                       const CoordinateMotion& state);

}  // namespace heft
#pragma GCC visibility pop
