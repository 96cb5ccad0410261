// What is known of a payload for certain, besides its possible inertia: the answer keeps to it.
// Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <Eigen/Geometry>
#include <cmath>
#include <limits>
#include <optional>

#pragma GCC visibility push(default)
namespace heft {

/// Of auto, geo, cone and metric, with their certificates; other methods refuse them.
struct PayloadLimits {
  double known_mass = 0;  ///< [kg]; 0: unknown
  /// [kg/m^3] of any matter in the shape: mass over its volume lies between.
  double least_density = 0, largest_density = std::numeric_limits<double>::infinity();
  std::optional<Eigen::AlignedBox3d> com_region;  ///< in the sensor's frame [m]: the center of mass
                                                  ///< is in it
  bool within_shape = false;  ///< all mass lies in the least ellipsoid around the shape

  bool has_density() const { return least_density > 0 || std::isfinite(largest_density); }
};

}  // namespace heft
#pragma GCC visibility pop
