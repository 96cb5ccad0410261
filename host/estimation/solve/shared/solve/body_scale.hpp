// Congruence with a reference body as a matrix on its ten numbers (FORMULAS 3).
#pragma once

#include <Eigen/Core>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns B of pi = B z, z = svec(U^-1 J U^-T), U U' = J0 of `reference`: in z the metric prior of
/// that body is the identity. The reference must be positive definite.
Eigen::Matrix<double, core::kNumParameters, core::kNumParameters> body_scale(
    const BodyParameters& reference);

}  // namespace heft
#pragma GCC visibility pop
