// Units of joint measurements, and bounds of a body's density.
#pragma once

#include <numbers>

namespace heft {

inline constexpr double kDegree = std::numbers::pi / 180;  ///< [rad]

inline constexpr double kDensestMaterial = 23000;  ///< [kg/m^3], above osmium, which has 22 590

/// Returns the unit of a revolute or prismatic joint's position.
inline const char* position_unit(bool is_angle) {
  return is_angle ? "rad" : "m";
}

}  // namespace heft
