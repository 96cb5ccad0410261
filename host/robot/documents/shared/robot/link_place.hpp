// Where a link rides: on which body of the robot, and how it sits there.
// Threads: a function without memory: any number of threads may call it.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct LinkPlace {
  int body = 0;  ///< of the robot
  Eigen::Isometry3d X_body_link = Eigen::Isometry3d::Identity();
};

/// The body that is the link, or that it is fixed to. Error, at `where`: no such link, or one that
/// does not move; with near misses.
Result<LinkPlace> find_link(const Robot& robot, const std::string& name, const std::string& where);

}  // namespace heft
#pragma GCC visibility pop
