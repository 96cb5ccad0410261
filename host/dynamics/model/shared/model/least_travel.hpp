// The travel of a joint that moves.
#pragma once

#include "heft/model/robot.hpp"

namespace heft {

/// Returns the width of a joint's positions below which it hardly moves [rad] or [m].
inline double least_travel(const Coordinate& coordinate) {
  return coordinate.is_angle ? 0.05 : 0.005;
}

}  // namespace heft
