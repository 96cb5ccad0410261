// Names of joints that a log gives itself, in columns of texts, beside numbered columns of more
// joints than the robot has.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft::check {

using NamesByNumber = std::map<int, std::string>;

/// The names in columns of texts ("name_3": "elbow_joint"), by the number of the column; empty
/// unless they hold all joints of the robot and more, such as a gripper's. `texts`:
/// constant_texts() of the columns.
NamesByNumber logged_joint_names(const std::vector<std::string>& columns,
                                 const std::vector<std::string>& texts, const Robot& robot);

/// "position_3" becomes "position_elbow_joint".
std::vector<std::string> with_joint_names(std::vector<std::string> columns,
                                          const NamesByNumber& names);

}  // namespace heft::check
