// Left and right: which links are each other's mirror images, by their names and by where they are.
#pragma once

#include <string>

#include "robot_facts.hpp"

namespace heft::check {

/// The right link of a left one ("left_hip" -> "right_hip", "FL_foot" -> "FR_foot"); null if `link`
/// is not called left, or has no partner, or either has no mass and tensor.
const LinkFacts* right_of(const RobotFacts& robot, const LinkFacts& left);

/// True if the frames of both links, with all joints at zero, see the same shape from both sides of
/// the plane y = 0 of the root: origins, the axes of the joints above and the origins of the joints
/// below are mirror images, and fix the frames' orientation. Then mass must be mirrored likewise.
bool is_mirrored(const RobotFacts& robot, const LinkFacts& left, const LinkFacts& right);

/// Center of mass seen from the link's origin, and tensor, in the root's axes and mirrored at y =
/// 0.
Eigen::Vector3d mirrored_com(const LinkFacts& link);
Eigen::Matrix3d mirrored_tensor(const LinkFacts& link);

// the same without the mirror
Eigen::Vector3d com_in_root(const LinkFacts& link);
Eigen::Matrix3d tensor_in_root(const LinkFacts& link);

}  // namespace heft::check
