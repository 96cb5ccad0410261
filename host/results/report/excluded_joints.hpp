// Joints whose torque the configuration excludes.
#pragma once

#include <string>
#include <vector>

#include "heft/identify/identify.hpp"

namespace heft {

/// According to the options of the identification.
std::vector<std::string> excluded_joints(const Identification& identification);

bool is_excluded(const std::vector<std::string>& excluded, const std::string& joint);

}  // namespace heft
