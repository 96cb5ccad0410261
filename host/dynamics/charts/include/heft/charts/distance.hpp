// Distances between two bodies that do not depend on frame or units: distances, divergences with
// derivatives, geodesics, means and covariances. FORMULAS 4; [Lee, Wensing, Park 2020].
//
// With l_i the eigenvalues of B^-1 A, A and B the pseudo-inertias:
//
//   affine-invariant   d(A, B)   = sqrt(1/2 sum log^2 l_i)
//                                a distance: symmetric, triangle inequality
//   entropic           D(A || B) = sum (l_i - 1 - log l_i)         convex in A
//   pull-back          q(A; B)   = sum (l_i - 1)^2
//                                quadratic in A, finite on the boundary
//
// Near B, D = d^2 and q = 2 d^2. All are dimensionless. Threads: safe to call from several threads
// on separate objects; const objects may be shared.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The distances between two bodies A and B. If A is on the boundary or a sum overflows, all but
/// pullback are infinite. NaN if A is impossible or if B, whose metric must exist, is not inside.
struct BodyDistances {
  double affine_invariant = 0;  ///< d(A, B)
  double entropic_ab = 0;       ///< D(A || B)
  double entropic_ba = 0;       ///< D(B || A)
  double pullback = 0;          ///< q(A; B)
};

/// Returns all distances between A and B.
BodyDistances distances(const BodyParameters& A, const BodyParameters& B);

/// A function of A with its gradient and Hessian with respect to the ten parameters of A.
struct Divergence {
  double value = 0;
  BodyParameters gradient = BodyParameters::Zero();
  Eigen::Matrix<double, 10, 10> hessian = Eigen::Matrix<double, 10, 10>::Zero();
};

/// Returns D(A || B) with gradient tr((B^-1 - A^-1) V_k) and Hessian tr(A^-1 V_i A^-1 V_j). Error:
/// a body that is not inside.
Result<Divergence> entropic_divergence(const BodyParameters& A, const BodyParameters& B);

/// Returns q(A; B) with its constant Hessian 2 tr(B^-1 V_i B^-1 V_j); A may be any ten numbers.
/// Error: B is not inside.
Result<Divergence> pullback_divergence(const BodyParameters& A, const BodyParameters& B);

/// Returns the point at t on the geodesic L exp(t log(L^-1 B L^-T)) L' with A = L L': A at t = 0, B
/// at t = 1. Errors: a body that is not inside, a t that is not finite or whose point is not
/// finite.
Result<BodyParameters> geodesic(const BodyParameters& A, const BodyParameters& B, double t);

/// Returns the symmetric matrix log(L^-1 B L^-T), A = L L', as ten coordinates that are orthonormal
/// in the metric at A: diagonal entries over sqrt(2), then the others, in the order of the
/// exponential chart. The norm is d(A, B). Errors: those of geodesic().
Result<Eigen::Matrix<double, 10, 1>> tangent_from(const BodyParameters& A, const BodyParameters& B);

/// The mean of bodies, and their covariance about it.
struct BodyMean {
  BodyParameters body = BodyParameters::Zero();
  /// weighted mean of the outer products of the tangents at the mean, in their coordinates; without
  /// Bessel's correction
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();
  double rms_distance = 0;  ///< square root of the covariance's trace
  bool converged = false;  ///< the weighted sum of tangents is below the tolerance, times their rms
                           ///< where the rms is above 1
  double residual = 0;     ///< norm of the weighted sum of tangents
  int iterations = 0;
};

/// Stopping criteria of karcher_mean().
struct MeanOptions {
  double tolerance = 1e-12;
  int max_iterations = 100;
};

/// Returns the weighted Karcher mean: the unique minimizer of sum w_i d(X, A_i)^2. A step is halved
/// until it reduces the sum of tangents. If that fails before the tolerance is reached, `converged`
/// is false and the body is the best one found. `weights` may be empty: all equal. Errors: no
/// bodies, a count of weights that differs from that of the bodies, weights that are negative, not
/// finite or all zero, bodies that are not inside.
Result<BodyMean> karcher_mean(const std::vector<BodyParameters>& bodies,
                              const std::vector<double>& weights = {},
                              const MeanOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
