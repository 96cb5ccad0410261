// Units of what joints measure, and what a body's density can be.
#pragma once

#include <numbers>

namespace heft {

inline constexpr double kDegree = std::numbers::pi / 180;  ///< [rad]

inline constexpr double kDensestMaterial = 23000;  ///< [kg/m^3], above osmium, which has 22 590

/// Of the position of a joint that turns, or slides.
inline const char* position_unit(bool is_angle) {
  return is_angle ? "rad" : "m";
}

}  // namespace heft
