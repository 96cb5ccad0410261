// A motion of all coordinates as splines, given by control points instead of samples: motions that
// begin and end at rest, or that change here and stay as they are there, which a Fourier series
// cannot.
//
// Degree five, because a controller has to follow what an excitation study finds: accelerations are
// then twice continuously differentiable. Those of a cubic spline have a kink at every knot, where
// the jerk jumps. Threads: plain values: share them for reading; a thread that changes one must own
// it.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#pragma GCC visibility push(default)
namespace heft {

/// Uniform B-splines. Knots are at t = 0, interval, 2 interval, ..; between knot s and the next,
/// with u from 0 to 1 and the basis polynomials of core/spline.hpp:
///   q_k(t) = sum_r B_r(u) control_{s+r,k},   r = 0 .. 5
/// So K control points give K - 5 intervals. Where five in a row, from s on, are equal, the motion
/// is at rest at knot s: velocity, acceleration, jerk and its rate are zero. Sample i is at t =
/// begin + i step, from t = 0 on and not after the last knot.
struct SplineMotion {
  double interval = 0.25;         ///< between knots [s]
  double begin = 0, step = 0.01;  ///< [s]
  std::int64_t num_samples = 1000;
  Eigen::MatrixXd control;  ///< num_control_points >= 6 x num_coordinates, [rad] or [m]
};

}  // namespace heft
#pragma GCC visibility pop
