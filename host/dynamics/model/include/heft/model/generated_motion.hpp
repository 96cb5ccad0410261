// Motions given by coefficients, of which excitation studies evaluate thousands. A job takes a
// generated motion instead of samples, and the backend evaluates it together with the rows; one
// call may mix jobs of both kinds. Threads: stateless; safe to call from several threads.
#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <variant>

#include "heft/base/result.hpp"
#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A periodic motion of all coordinates, given by Fourier coefficients instead of samples. With w
/// the frequency, sample i at t = begin + i step, and h counted from 1:
///   q_k(t) = center_k + sum_h sine_hk sin(h w t) + cosine_hk cos(h w t)
struct FourierMotion {
  double frequency = 0.2 * 3.14159265358979323846;  ///< w [rad/s]
  double begin = 0, step = 0.01;                    ///< [s]
  std::int64_t num_samples = 1000;
  Eigen::VectorXd center;        ///< num_coordinates, [rad] or [m]
  Eigen::MatrixXd sine, cosine;  ///< num_harmonics x num_coordinates
};

// A motion of all coordinates as splines, given by control points instead of samples. Unlike a
// Fourier series, it can begin and end at rest, and a control point changes it only locally.
//
// Degree five because a controller has to follow the motion: its accelerations are then twice
// continuously differentiable. The accelerations of a cubic spline have a kink at every knot, where
// the jerk jumps.

/// Uniform B-splines. Knots are at t = 0, interval, 2 interval, ..; between knot s and the next,
/// with u from 0 to 1 and the basis polynomials of core/spline.hpp:
///   q_k(t) = sum_r B_r(u) control_{s+r,k},   r = 0 .. 5
/// K control points give K - 5 intervals. If five consecutive control points from s on are equal,
/// the motion is at rest at knot s: velocity, acceleration, jerk and its rate are zero. Sample i is
/// at t = begin + i step, between t = 0 and the last knot.
struct SplineMotion {
  double interval = 0.25;         ///< between knots [s]
  double begin = 0, step = 0.01;  ///< [s]
  std::int64_t num_samples = 1000;
  Eigen::MatrixXd control;  ///< num_control_points >= 6 x num_coordinates, [rad] or [m]
};

/// A motion given by coefficients.
using GeneratedMotion = std::variant<FourierMotion, SplineMotion>;

/// Checks that a motion fits a plan. Errors: samples [begin, begin + count) exceed those of the
/// motion, a coefficient is missing or not finite, a spline ends before its samples, or the plan
/// needs data that a generated motion lacks (base motion, signals).
Result<Done> check_motion(const RegressorPlan& plan, const GeneratedMotion& motion,
                          std::int64_t begin, std::int64_t count);

}  // namespace heft
#pragma GCC visibility pop
