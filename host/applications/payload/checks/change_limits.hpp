// What counts as a change of the body in mid-log, on a sensor and by joint torques alike.
#pragma once

#include <algorithm>
#include <cmath>

#include "heft/model/robot.hpp"

namespace heft::payload {

inline constexpr int kMaxChanges = 7;
inline constexpr double kChanceOfChange = 60;  ///< times what noise gains by a second body
inline constexpr double kStillLeft = 0.5;      ///< share of one body's sum of squares that two may
                                               ///< leave

/// Whether mass or center of mass differ by what matters.
inline bool is_another_body(const BodyParameters& before, const BodyParameters& after) {
  constexpr double kOtherMass = 0.05, kOtherPlace = 5e-3;  // share; [m]
  const double a = before[core::kMass], b = after[core::kMass];
  const double most = std::max(std::abs(a), std::abs(b));
  if (std::abs(a - b) > kOtherMass * most) return true;
  return (before.segment<3>(core::kMcx) - after.segment<3>(core::kMcx)).norm() > kOtherPlace * most;
}

}  // namespace heft::payload
