// Table of units that a logged position may have instead of radians or meters.
#pragma once

#include <vector>

#include "log_facts.hpp"

namespace heft::check {

/// Returns the units that a prismatic or revolute joint may have: those whose numbers are far beyond
/// its limits, or those that are inconspicuous. Its limits tell those that are a fraction of its
/// range. Ticks and percent may have the reversed sign.
std::vector<PositionReading> position_readings(const Coordinate& coordinate, bool is_beyond);

}  // namespace heft::check
