// How far two bodies are from each other, whatever frame and units they are seen in: distances,
// divergences and their derivatives, shortest ways, means and spreads. FORMULAS 4; [Lee, Wensing,
// Park 2020].
//
// With l_i the eigenvalues of B^-1 A, A and B the pseudo-inertias:
//
//   affine-invariant   d(A, B)   = sqrt(1/2 sum log^2 l_i)
//                                a distance: symmetric, triangle inequality
//   entropic           D(A || B) = sum (l_i - 1 - log l_i)         convex in A
//   pull-back          q(A; B)   = sum (l_i - 1)^2
//                                quadratic in A, finite on the boundary
//
// Near B, D = d^2 and q = 2 d^2. All are pure numbers.
// Threads: any number of threads may call, each with objects of its own; what is const may be
// shared.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A on the boundary, or a sum that is no double: all infinite but pullback. nan where A is
/// impossible or B is not inside: B's metric must exist.
struct BodyDistances {
  double affine_invariant = 0;  ///< d(A, B)
  double entropic_ab = 0;       ///< D(A || B)
  double entropic_ba = 0;       ///< D(B || A)
  double pullback = 0;          ///< q(A; B)
};

BodyDistances distances(const BodyParameters& A, const BodyParameters& B);

/// A function of A with its first two derivatives by A's ten parameters.
struct Divergence {
  double value = 0;
  BodyParameters gradient = BodyParameters::Zero();
  Eigen::Matrix<double, 10, 10> hessian = Eigen::Matrix<double, 10, 10>::Zero();
};

/// D(A || B): gradient tr((B^-1 - A^-1) V_k), Hessian tr(A^-1 V_i A^-1 V_j). Error: a body that is
/// not inside.
Result<Divergence> entropic_divergence(const BodyParameters& A, const BodyParameters& B);

/// q(A; B), whose Hessian 2 tr(B^-1 V_i B^-1 V_j) is constant: A may be anything. Error: B is not
/// inside.
Result<Divergence> pullback_divergence(const BodyParameters& A, const BodyParameters& B);

/// The point at t on the shortest way, L exp(t log(L^-1 B L^-T)) L' with A = L L': A at 0, B at 1.
/// Error: a body that is not inside, a t that is not finite or leads to numbers that are none.
Result<BodyParameters> geodesic(const BodyParameters& A, const BodyParameters& B, double t);

/// The symmetric matrix log(L^-1 B L^-T), A = L L', as ten coordinates that are orthonormal in the
/// metric at A: diagonal entries over sqrt(2), then the others, in the order of the exponential
/// chart. Its norm is d(A, B). Error as above.
Result<Eigen::Matrix<double, 10, 1>> tangent_from(const BodyParameters& A, const BodyParameters& B);

struct BodyMean {
  BodyParameters body = BodyParameters::Zero();
  /// Weighted mean of the products of tangents from the mean, in their coordinates: no unbiasing.
  Eigen::Matrix<double, 10, 10> covariance = Eigen::Matrix<double, 10, 10>::Zero();
  double rms_distance = 0;  ///< sqrt of the covariance's trace
  bool converged = false;   ///< the weighted sum of tangents is zero to the tolerance, times their
                            ///< rms where that is above 1
  double residual = 0;      ///< its norm
  int iterations = 0;
};

struct MeanOptions {
  double tolerance = 1e-12;
  int max_iterations = 100;
};

/// The weighted mean of bodies [Karcher]: minimizes sum w_i d(X, A_i)^2, which has one minimum.
/// Steps are halved as long as they do not make the sum of tangents smaller. Where that ends before
/// the tolerance, `converged` is false and the body the best so far. Errors: no bodies, as many
/// weights as bodies or none (all equal), weights that are negative, not finite or all zero, bodies
/// that are not inside.
Result<BodyMean> karcher_mean(const std::vector<BodyParameters>& bodies,
                              const std::vector<double>& weights = {},
                              const MeanOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
