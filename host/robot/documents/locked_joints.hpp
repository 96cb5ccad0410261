// Joints locked by the configuration although the file lets them move, such as a gripper without
// columns in the log.
#pragma once

#include <map>
#include <string>

#include "heft/base/result.hpp"
#include "urdf_document.hpp"

namespace heft {

/// Returns the locked joints and their positions [rad] or [m]: those of `wanted` and all that mimic
/// one of them. Planar and floating joints are locked at their origin. Errors: an unknown joint, a
/// fixed one, one that mimics another, a position that is not finite or outside the limits.
Result<std::map<std::string, double>> locked_positions(const UrdfDocument& document,
                                                       const std::map<std::string, double>& wanted);

}  // namespace heft
