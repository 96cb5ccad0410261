// Parts of a suggested configuration besides the columns: the device, and joints that the log
// lacks.
#pragma once

#include <string>
#include <vector>

#include "heft/robot/robot_document.hpp"

namespace heft::check {

/// Returns the guessed section `log:` with the device whose columns the log has; only a comment
/// where the device needs more options.
std::string with_device(const std::vector<std::string>& names, std::string section);

/// Locks the joints without columns of these names where they are closest to zero: replaces
/// `robot`, which was read with `options`, by the robot with locked joints. Returns the section
/// `joints:`; empty if the log has all joints.
std::string lock_joints_without_columns(const std::vector<std::string>& names,
                                        const std::string& robot_path, RobotOptions options,
                                        Robot& robot);

}  // namespace heft::check
