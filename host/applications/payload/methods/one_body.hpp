// The convex problem of one body with the metric prior, in fixed sizes and without allocation: what
// `auto` solves twice or more for every payload. heft/solve solves the same among many others;
// tests hold the two together.
//
//   f(x) = (x'Gx - 2 b'x + tau2) / N + w |L^-1 J(x) L^-T - 1|_F^2        J(x) >= margin J0
//   L L' = J0
//
// In z, the isometric coordinates of L^-1 J L^-T, the prior is 2 w times the identity. If the
// minimizer of f lies inside, it is the answer, found by one Cholesky factorisation. Else s = z -
// margin and the multiplier lambda are the parts of one symmetric matrix v, s = v+ and lambda = rho
// v-, and grad f(s + margin) = lambda is solved by a semismooth Newton method.
#pragma once

#include <Eigen/Core>
#include <string>

#include "heft/model/robot.hpp"
#include "heft/solve/solve.hpp"

namespace heft::payload {

using Matrix10d = Eigen::Matrix<double, 10, 10>;

/// G, b, tau2 and N of weighted rows, as NormalEquations has them.
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
  BodyParameters reference = BodyParameters::Zero();  ///< J0 positive definite, as make_prior would
                                                      ///< have it
  double weight = 1e-2, margin = 1e-6;
};

struct OneBodySolution {
  bool converged = false;
  int steps = 0;  ///< of Newton's method; 0: the minimizer lies inside
  BodyParameters x = BodyParameters::Zero();
  Eigen::Matrix4d multiplier = Eigen::Matrix4d::Zero();  ///< of J - margin J0, physical
  double objective = 0;
};

/// Not converged: more than 30 steps, or numbers that break down. Then heft/solve has to.
OneBodySolution solve_one_body(const OneBodyProblem& problem);

/// The proof of certificate.hpp for this problem: in extended precision, from x and the multiplier
/// alone.
Certificate certify_one_body(const OneBodyProblem& problem, const BodyParameters& x,
                             const Eigen::Matrix4d& multiplier, const CertifyOptions& options = {});

}  // namespace heft::payload
