// Positions that are degrees though they are taken for radians: evident where a joint has limits.
#pragma once

#include <algorithm>
#include <cmath>
#include <numbers>

#include "heft/robot.hpp"

namespace heft {

/// Whether positions from `low` to `high`, taken for radians, must be degrees: they leave the joint's limits far
/// behind and would fit between them if they were. Joints without limits turn as often as they like.
inline bool are_evidently_degrees(double low, double high, const Coordinate& coordinate) {
  constexpr double kDegree = std::numbers::pi / 180;
  const double width = high - low, allowed = coordinate.upper - coordinate.lower;
  const double farthest = std::max(std::abs(low), std::abs(high));
  return coordinate.is_angle && std::isfinite(allowed) && width > 1.5 * allowed &&
         farthest > 2 * std::numbers::pi && width * kDegree < 1.1 * allowed;
}

}  // namespace heft
