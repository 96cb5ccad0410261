// The convex problem of one body with the metric prior, in fixed sizes and without allocation;
// `auto` solves it at least twice per payload. heft/solve handles the same problem among many
// others, and tests compare the two.
//
//   f(x) = (x'Gx - 2 b'x + tau2) / N + w |L^-1 J(x) L^-T - 1|_F^2        J(x) >= margin J0
//   L L' = J0
//
// In z, the isometric coordinates of L^-1 J L^-T, the prior is 2 w times the identity. If the
// minimizer of f is feasible, it is the answer, found by one Cholesky factorization. Otherwise s =
// z - margin and the multiplier lambda are the parts of one symmetric matrix v, s = v+ and lambda =
// rho v-, and a semismooth Newton method solves grad f(s + margin) = lambda.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/model/robot.hpp"
#include "heft/solve/solve.hpp"

namespace heft::payload {

using Matrix10d = Eigen::Matrix<double, 10, 10>;

/// G, b, tau2 and N of weighted rows, as in NormalEquations.
struct WeightedSums {
  Matrix10d G = Matrix10d::Zero();
  BodyParameters b = BodyParameters::Zero();
  double tau2 = 0, num_rows = 0;

  /// (x'Gx - 2 b'x + tau2) / N
  double cost(const BodyParameters& x) const {
    return (x.dot(G * x) - 2 * b.dot(x) + tau2) / num_rows;
  }
};

struct OneBodyProblem {
  WeightedSums sums;
  BodyParameters reference = BodyParameters::Zero();  ///< J0 positive definite, as make_prior
                                                      ///< returns it
  double weight = 1e-2, margin = 1e-6;
};

struct OneBodySolution {
  bool converged = false;
  int steps = 0;  ///< of Newton's method; 0: the unconstrained minimizer is feasible
  BodyParameters x = BodyParameters::Zero();
  Eigen::Matrix4d multiplier = Eigen::Matrix4d::Zero();  ///< of J - margin J0, physical
  double objective = 0;
};

/// Not converged: more than 30 steps, or numerical breakdown. The caller then uses heft/solve.
OneBodySolution solve_one_body(const OneBodyProblem& problem);

/// Computes the certificate of certificate.hpp for this problem, in extended precision, from x and
/// the multiplier alone.
Certificate certify_one_body(const OneBodyProblem& problem, const BodyParameters& x,
                             const Eigen::Matrix4d& multiplier, const CertifyOptions& options = {});

}  // namespace heft::payload
