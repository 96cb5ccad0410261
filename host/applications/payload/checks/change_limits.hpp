// Criteria for a change of the body within a log, for both sensors and joint torques.
#pragma once

#include <algorithm>
#include <cmath>

#include "heft/model/robot.hpp"

namespace heft::payload {

inline constexpr int kMaxChanges = 7;
inline constexpr double kChanceOfChange = 60;  ///< required gain, as a multiple of the gain that a
                                               ///< second body has by noise
inline constexpr double kStillLeft = 0.5;  ///< maximum sum of squares with two bodies, relative to
                                           ///< one

/// Returns whether mass or center of mass differ significantly.
inline bool is_another_body(const BodyParameters& before, const BodyParameters& after) {
  constexpr double kOtherMass = 0.05, kOtherPlace = 5e-3;  // relative; [m]
  const double a = before[core::kMass], b = after[core::kMass];
  const double most = std::max(std::abs(a), std::abs(b));
  if (std::abs(a - b) > kOtherMass * most) return true;
  return (before.segment<3>(core::kMcx) - after.segment<3>(core::kMcx)).norm() > kOtherPlace * most;
}

}  // namespace heft::payload
