// Joints without columns in a log that has columns of other joints, such as a gripper or a floating
// base.
#pragma once

#include <string>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft {

/// Message about such joints.
struct MissingJoints {
  std::string what;    ///< the number of joints with columns, and the option that locks the others
  std::string remedy;  ///< for floating and planar joints: the alternatives
};

/// `lacking`: coordinates without a column, for a robot with columns of other coordinates. They are
/// locked at zero, or at the limit closest to zero.
MissingJoints lock_missing_joints(const Robot& robot, const std::vector<std::string>& lacking);

/// Returns a name as a key of a YAML flow mapping.
std::string yaml_key(const std::string& name);

}  // namespace heft
