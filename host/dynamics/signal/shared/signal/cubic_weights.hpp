// Interpolation of a signal between its samples by the cubic through the four nearest ones.
#pragma once

#include <array>

#include "heft/core/conditioning.hpp"

namespace heft {

/// Returns the weights of samples -1, 0, 1 and 2 in the cubic through them, at the fraction `share`
/// of the way from sample 0 to sample 1 (Lagrange's polynomials).
inline std::array<double, 4> cubic_weights(double share) {
  const core::CubicWeights weights = core::cubic_weights(share);
  return {weights.of[0], weights.of[1], weights.of[2], weights.of[3]};
}

}  // namespace heft
