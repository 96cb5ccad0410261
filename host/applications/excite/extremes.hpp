// The largest values of a motion, between samples too: bounds that no rounding of a grid passes.
#pragma once

#include <array>
#include <vector>

#include "heft/excite/options.hpp"

namespace heft::excite {

struct Extreme {
  double value = 0;  ///< above the largest by less than 1e-8 of the size of splines, 1e-5 of that
                     ///< of series
  double time = 0;   ///< where about it is [s]
};

/// Upper bounds over all times of sign x (derivative `order`, 0 to 3, of a coordinate), sign 1 or
/// -1. A piece of a spline is a polynomial in Bernstein's form, whose coefficients bound it; pieces
/// are halved until the bound is met. A Fourier series exceeds the largest of its samples, dt
/// apart, by no more than dt^2 / 8 times the largest of its second derivative.
Extreme upper_bound(const CoefficientMotion& motion, int coordinate, int order, int sign);

/// What no derivative of that order of a Fourier series exceeds, the sum of its amplitudes; of a
/// spline, order 6 or more, zero.
double largest_derivative(const CoefficientMotion& motion, int coordinate, int order);

}  // namespace heft::excite
