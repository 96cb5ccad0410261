// Rounding error of second moments about the center of mass.
#pragma once

#include <limits>

#include "heft/model/robot.hpp"

namespace heft {

/// Returns the rounding error of second moments about the center of mass, computed from moments
/// about an origin [kg m^2].
inline double moment_blur(const BodyParameters& pi) {
  constexpr double kRounding = 64 * std::numeric_limits<double>::epsilon();
  return kRounding * pseudo_inertia(pi).topLeftCorner<3, 3>().cwiseAbs().trace();
}

}  // namespace heft
