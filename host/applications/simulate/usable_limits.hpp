// Limits of a robot file as valid divisors for a simulation. Real files contain velocity="0",
// effort="0" and limits of 1e308.
#pragma once

#include <string>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft {

/// Returns the velocity limit, or a typical value if the file has none or an unusable one.
double usable_velocity(const Coordinate& joint);

/// Does the same for the effort limit. Zero stays zero: a joint without friction.
double usable_effort(const Coordinate& joint);

/// Returns whether both position limits are present.
bool has_usable_range(const Coordinate& joint);

}  // namespace heft
