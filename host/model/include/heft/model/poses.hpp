// Where the bodies of a robot are.
// Threads: functions without memory: any number of threads may call them.
#pragma once

#include <Eigen/Geometry>
#include <vector>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Poses of all bodies in base axes with the coordinates at `position` [rad] or [m]; none stands for zero. The base of a
/// robot whose base floats stays where it is.
std::vector<Eigen::Isometry3d> body_poses(const Robot& robot, const Eigen::VectorXd& position);

}  // namespace heft
#pragma GCC visibility pop
