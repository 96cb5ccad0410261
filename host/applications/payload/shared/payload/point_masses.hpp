// Point-mass discretisation as published [Nadeau, Giamou, Kelly 2022, eq. 8]: a payload is masses
// mu >= 0 at points within its shape, so that its ten parameters x = B mu are those of a possible
// body and its mass lies within the points' hull. Norms are not squared:
//
//   min  |A1 x - b1| + |A2 x - b2| + lambda |mu|        x = B mu, mu >= 0
//
// with A1, b1 the rows at rest and A2, b2 those of the motion, each weighted sample by sample. Only
// [A b]'[A b] counts of them, 11 x 11. With y = grad (|A1 x - b1| + |A2 x - b2|) the optimum has
//
//   mu = tau max(0, -B'y)        |max(0, -B'y)| = lambda
//
// eleven equations for y and tau, whatever the number of points; Newton's method solves them from
// where a majoriser has come: each norm |r| <= (|r|^2 / s + s) / 2 at s = |r|, whose minimum is ten
// equations. Any y with |max(0, -B'y)| <= lambda bounds the optimum from below, which proves the
// answer.
//
// What is known besides, lower <= e'x <= upper, becomes squares of a growing weight rho with
// multipliers nu (augmented Lagrangian), so that every problem on the way is one of the kind above
// with y + E nu in place of y; the bound takes - nu'e along.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft::payload {

using Matrix11d = Eigen::Matrix<double, 11, 11>;

/// lower <= row'x <= upper; equal for what is known.
struct PointMassLimit {
  BodyParameters row = BodyParameters::Zero();
  double lower = -std::numeric_limits<double>::infinity(),
         upper = std::numeric_limits<double>::infinity();
};

struct PointMassProblem {
  Matrix11d at_rest = Matrix11d::Zero(), moving = at_rest;  ///< [A b]'[A b]
  Eigen::Matrix<double, 10, Eigen::Dynamic> B;  ///< a column a point: ten parameters of 1 kg there,
                                                ///< times a weight of the point
  double lambda = 0.1;
  std::vector<PointMassLimit> limits;
};

struct PointMassSolution {
  bool converged = false;
  int steps = 0;           ///< of Newton's method and of the majoriser
  Eigen::VectorXd masses;  ///< mu
  BodyParameters x = BodyParameters::Zero();
  double objective = 0, bound = 0;  ///< the optimum lies between
};

/// Several threads may solve problems of their own. Converged: objective and bound agree to `gap`,
/// relative, and x keeps to the limits to 1e-9 of what it has of them.
PointMassSolution solve_point_masses(const PointMassProblem& problem, double gap = 1e-9);

}  // namespace heft::payload
#pragma GCC visibility pop
