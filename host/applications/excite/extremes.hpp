// Upper bounds on the values of a motion at all times, including between samples.
#pragma once

#include <array>
#include <vector>

#include "heft/excite/options.hpp"

namespace heft::excite {

struct Extreme {
  double value = 0;  ///< upper bound; exceeds the maximum by less than 1e-8 of its size for
                     ///< splines, 1e-5 for series
  double time = 0;   ///< approximate time of the maximum [s]
};

/// Returns upper bounds over all times of sign x (derivative `order`, 0 to 3, of a coordinate),
/// with sign 1 or -1. A piece of a spline is a polynomial in Bernstein form, bounded by its
/// coefficients; pieces are halved until the bound is tight enough. A Fourier series exceeds its
/// largest sample, at spacing dt, by at most dt^2 / 8 times the maximum of its second derivative.
Extreme upper_bound(const CoefficientMotion& motion, int coordinate, int order, int sign);

/// Returns a bound on the derivative of this order: the sum of amplitudes for a Fourier series,
/// zero for a spline of order 6 or more.
double largest_derivative(const CoefficientMotion& motion, int coordinate, int order);

}  // namespace heft::excite
