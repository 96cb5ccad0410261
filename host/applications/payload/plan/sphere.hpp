// Poses at rest of unknown orientation. Forces of a payload at rest lie on a sphere, whose center
// is the offset and whose radius is the weight; each says by itself where down is (FORMULAS 8):
//
//   |f - b_f| = m |g|        n - b_n = c x (f - b_f)
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Poses with gravity along -(f - b_f) of the sphere nearest to the forces. Errors: forces that do
/// not go around a sphere.
Result<WrenchSamples> poses_by_force(const Eigen::ArrayXXd& wrench, double gravity);

struct SphereIntervals {
  PayloadInterval mass;
  std::array<PayloadInterval, 3> com;
};

/// 95 % of weight and center of mass, of samples that poses_by_force made: of a force only its size
/// tells.
SphereIntervals sphere_intervals(const WrenchSamples& samples);

}  // namespace heft::payload
