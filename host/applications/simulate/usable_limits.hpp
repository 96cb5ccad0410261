// Limits of a robot file as numbers that a simulation can divide by. Real files have velocity="0",
// effort="0" and limits of 1e308.
#pragma once

#include <string>
#include <vector>

#include "heft/model/robot.hpp"

namespace heft {

/// The limit of velocity, or what is usual where the file has none, or none that is a number to
/// divide by.
double usable_velocity(const Coordinate& joint);

/// The limit of effort, likewise. Zero stays zero: a joint without friction.
double usable_effort(const Coordinate& joint);

/// True if both limits of position are there.
bool has_usable_range(const Coordinate& joint);

}  // namespace heft
