// Table of units that a logged position may have instead of radians or meters.
#pragma once

#include <vector>

#include "log_facts.hpp"

namespace heft::check {

/// Returns all units of a prismatic or revolute joint, using its limits where a unit is a fraction
/// of its range. Ticks and percent may have the reversed sign.
std::vector<PositionReading> position_readings(const Coordinate& coordinate);

}  // namespace heft::check
