// Joints that stand still though the file lets them move: a gripper's, say, whose columns a log
// lacks.
#pragma once

#include <map>
#include <string>

#include "heft/base/result.hpp"
#include "urdf_document.hpp"

namespace heft {

/// The joints that stand still and their positions [rad] or [m]: those of `wanted` and all that
/// mimic one of them. Planar and floating joints stand at their origin. Errors: no such joint, a
/// fixed one, one that mimics another, a position that is not finite or outside the limits.
Result<std::map<std::string, double>> locked_positions(const UrdfDocument& document,
                                                       const std::map<std::string, double>& wanted);

}  // namespace heft
