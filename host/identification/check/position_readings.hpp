// What a logged position may be instead of radians or meters: the table of units.
#pragma once

#include <vector>

#include "log_facts.hpp"

namespace heft::check {

/// All units of a joint that slides or turns, by its limits where a unit is a share of its range. A
/// joint may count ticks and percent against its axis.
std::vector<PositionReading> position_readings(const Coordinate& coordinate);

}  // namespace heft::check
