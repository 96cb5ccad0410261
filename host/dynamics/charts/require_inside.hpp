// Bodies on which logarithms can be taken.
#pragma once

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

namespace heft {

/// Errors: `what` is on the boundary of the possible bodies, or outside.
Result<Done> require_inside(const BodyParameters& body, const char* what);

}  // namespace heft
