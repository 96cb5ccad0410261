// Checks that bodies are physically consistent, so that logarithms exist.
#pragma once

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

namespace heft {

/// Error: `what` is not strictly physically consistent.
Result<Done> require_inside(const BodyParameters& body, const char* what);

}  // namespace heft
