// Point-mass discretization as published [Nadeau, Giamou, Kelly 2022, eq. 8]: a payload consists of
// masses mu >= 0 at points within its shape, so its ten parameters x = B mu are physically
// consistent and its mass lies within the points' hull. Norms are not squared:
//
//   min  |A1 x - b1| + |A2 x - b2| + lambda |mu|        x = B mu, mu >= 0
//
// with A1, b1 the rows at rest and A2, b2 those of the motion, each weighted sample by sample. They
// enter only through [A b]'[A b], 11 x 11. With y = grad (|A1 x - b1| + |A2 x - b2|) the optimum
// satisfies
//
//   mu = tau max(0, -B'y)        |max(0, -B'y)| = lambda
//
// eleven equations for y and tau, independent of the number of points. Newton's method solves them
// from the result of a majorizer: each norm |r| <= (|r|^2 / s + s) / 2 at s = |r|, whose minimum is
// given by ten equations. Any y with |max(0, -B'y)| <= lambda gives a lower bound of the optimum,
// which verifies the solution.
//
// Known limits, lower <= e'x <= upper, become squares with an increasing weight rho and multipliers
// nu (augmented Lagrangian), so every intermediate problem has the form above with y + E nu instead
// of y; the bound includes - nu'e.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft::payload {

using Matrix11d = Eigen::Matrix<double, 11, 11>;

/// The limit lower <= row'x <= upper; equal bounds for a known value.
struct PointMassLimit {
  BodyParameters row = BodyParameters::Zero();
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();
};

/// A point-mass problem in terms of its sums.
struct PointMassProblem {
  Matrix11d at_rest = Matrix11d::Zero(), moving = at_rest;  ///< [A b]'[A b]
  Eigen::Matrix<double, 10, Eigen::Dynamic> B;  ///< one column per point: ten parameters of 1 kg
                                                ///< there, times a weight of the point
  double lambda = 0.1;
  std::vector<PointMassLimit> limits;
};

/// The masses at the points.
struct PointMassSolution {
  bool converged = false;
  int steps = 0;           ///< of Newton's method and of the majorizer
  Eigen::VectorXd masses;  ///< mu
  BodyParameters x = BodyParameters::Zero();
  double objective = 0, bound = 0;  ///< the optimum lies between them
};

/// Solves a problem; safe to call from several threads on separate problems. Converged: objective
/// and bound agree to the relative `gap`, and x satisfies the limits to 1e-9 of the terms in them.
PointMassSolution solve_point_masses(const PointMassProblem& problem, double gap = 1e-9);

}  // namespace heft::payload
#pragma GCC visibility pop
