// Joints whose columns a log lacks while it has those of the others: a gripper's, a floating
// base's.
#pragma once

#include <string>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft {

/// What is said of them.
struct MissingJoints {
  std::string what;    ///< how many are there, and the option that locks the others
  std::string remedy;  ///< of floating and planar joints: what else can be done
};

/// `lacking`: names of coordinates without a column, of a robot of which others have one. They are
/// locked at zero, or at the limit next to it.
MissingJoints lock_missing_joints(const Robot& robot, const std::vector<std::string>& lacking);

/// A name as a key of a YAML mapping in braces.
std::string yaml_key(const std::string& name);

}  // namespace heft
