// Joints whose torque the configuration leaves out.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/identify.hpp"

namespace heft {

/// By the options that the answer was found with.
std::vector<std::string> excluded_joints(const Identification& identification);

bool is_excluded(const std::vector<std::string>& excluded, const std::string& joint);

}  // namespace heft
