// The body that carries a link, and the link's pose in it. Threads: stateless; safe to call from
// several threads.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The place of a link on a body.
struct LinkPlace {
  int body = 0;  ///< index in the robot
  Eigen::Isometry3d X_body_link = Eigen::Isometry3d::Identity();
};

/// Returns the body that is the link or to which it is fixed. Error, at `where`: a link that does
/// not exist or does not move; with near misses.
Result<LinkPlace> find_link(const Robot& robot, const std::string& name, const std::string& where);

}  // namespace heft
#pragma GCC visibility pop
