// Joint names in the text columns of a log that has numbered columns for more joints than the robot
// has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft::check {

using NamesByNumber = std::map<int, std::string>;

/// Returns the names in text columns ("name_3": "elbow_joint"), by the number of the column; empty
/// unless they include all joints of the robot and more, such as a gripper's. `texts`:
/// constant_texts() of the columns.
NamesByNumber logged_joint_names(const std::vector<std::string>& columns,
                                 const std::vector<std::string>& texts, const Robot& robot);

/// Converts "position_3" to "position_elbow_joint".
std::vector<std::string> with_joint_names(std::vector<std::string> columns,
                                          const NamesByNumber& names);

}  // namespace heft::check
