// Finds links that mirror each other, by their names and positions.
#pragma once

#include <string>

#include "robot_facts.hpp"

namespace heft::check {

/// Returns the right link of a left one ("left_hip" -> "right_hip", "FL_foot" -> "FR_foot"); null
/// if `link` is not named as left, has no partner, or either lacks mass and tensor.
const LinkFacts* right_of(const RobotFacts& robot, const LinkFacts& left);

/// Returns whether the frames of both links, with all joints at zero, are mirror images at the
/// plane y = 0 of the root: origins, the axes of the joints above and the origins of the joints
/// below match and determine the frames' orientation. Their masses must then also be mirror images.
bool is_mirrored(const RobotFacts& robot, const LinkFacts& left, const LinkFacts& right);

/// Returns the center of mass relative to the link's origin, and the tensor, in the root's axes and
/// mirrored at y = 0.
Eigen::Vector3d mirrored_com(const LinkFacts& link);
Eigen::Matrix3d mirrored_tensor(const LinkFacts& link);

// the same without mirroring
Eigen::Vector3d com_in_root(const LinkFacts& link);
Eigen::Matrix3d tensor_in_root(const LinkFacts& link);

}  // namespace heft::check
