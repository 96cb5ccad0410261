// Poses at rest of unknown orientation. Forces of a payload at rest lie on a sphere whose center is
// the offset and whose radius is the weight; each force gives the direction of gravity (FORMULAS
// 8):
//
//   |f - b_f| = m |g|        n - b_n = c x (f - b_f)
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Returns poses with gravity along -(f - b_f), for the sphere nearest to the forces. Errors:
/// forces that do not surround a sphere.
Result<WrenchSamples> poses_by_force(const Eigen::ArrayXXd& wrench, double gravity);

struct SphereIntervals {
  PayloadInterval mass;
  std::array<PayloadInterval, 3> com;
};

/// Returns the 95 % intervals of weight and center of mass for samples from poses_by_force; only
/// the magnitude of a force is informative.
SphereIntervals sphere_intervals(const WrenchSamples& samples);

}  // namespace heft::payload
