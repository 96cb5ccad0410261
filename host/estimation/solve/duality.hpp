// The gap inside a solver, in solver coordinates: how far a point can be from the optimum f*. With
// the Lagrangian L at lambda in K*, strong convexity gives
//
//   L(y) = f(y) - lambda's,   s = F y + g
//   r    = F'lambda - (Q y + c)
//   f*  >= min L = L(y) - 1/2 r'Q^-1 r
//   gap  = f(y) - min L = lambda's + 1/2 r'Q^-1 r
//
// computed without subtracting two large objectives. In a block with a log det barrier of weight w
//
//   w (tr(X) - 4 - log det X),   X = lambda s / w
//
// replaces lambda's. If Q is singular the optimum is assumed within 10 max(1, |y|) of y in each
// eigendirection of Q.
#pragma once

#include <Eigen/Core>

#include "heft/solve/problem.hpp"
#include "linalg/factorizations.hpp"

namespace heft::solver {

/// Smallest unit of relative gaps, relative to tau'W tau (FORMULAS 2): also defined for a fit
/// without residual.
inline constexpr double kResidualFloor = 1e-10;

struct Gap {
  double primal = 0;         ///< objective at y, with barrier terms
  double gap = 0;            ///< absolute, >= f(y) - f* if s is feasible
  double relative = 0;       ///< over max(residual cost, kResidualFloor tau'W tau)
  double residual_cost = 0;  ///< mean squared weighted residual
};

class GapBound {
 public:
  explicit GapBound(const Problem& problem);

  /// Returns the gap at y with slack s = F y + g and lambda in K*. Does not allocate if the problem
  /// is strongly convex.
  Gap evaluate(const Eigen::VectorXd& y, const Eigen::VectorXd& slack,
               const Eigen::VectorXd& lambda);

 private:
  double dual_loss(const Eigen::VectorXd& y);

  const Problem& problem_;
  Eigen::LLT<Eigen::MatrixXd> factor_;  // of Q, if strongly convex
  Eigen::VectorXd eigenvalues_;         // of Q, otherwise
  Eigen::MatrixXd eigenvectors_;
  Eigen::VectorXd gradient_, residual_, scratch_;  // work space
  Eigen::VectorXd x_, Gx_;
};

}  // namespace heft::solver
