// Interpolation of a signal between its samples by the cubic through the four nearest ones.
#pragma once

#include <array>

namespace heft {

/// Returns the weights of samples -1, 0, 1 and 2 in the cubic through them, at the fraction `share`
/// of the way from sample 0 to sample 1 (Lagrange's polynomials).
inline std::array<double, 4> cubic_weights(double share) {
  const double s = share;
  return {-s * (s - 1) * (s - 2) / 6, (s + 1) * (s - 1) * (s - 2) / 2, -(s + 1) * s * (s - 2) / 2,
          (s + 1) * s * (s - 1) / 6};
}

}  // namespace heft
