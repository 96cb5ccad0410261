// The certified gap inside a solver, in solver coordinates (FORMULAS 2): how far a point can be from the
// optimum.
//
// Lagrangian at lambda in K*: L(y) = f(y) - lambda'(F y + g). With r = F'lambda - (Q y + c), strong convexity
// gives
//   f* >= min L = L(y) - 1/2 r'Q^-1 r,     gap = lambda's + 1/2 r'Q^-1 r,   s = F y + g,
// computed without subtracting two large objectives. A log det barrier adds w (tr(X) - 4 - log det X), X =
// lambda s / w. Where Q is singular the optimum is assumed within 10 max(1, |y|) of y in each eigendirection
// of Q.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Core>

#include "heft/problem.hpp"

namespace heft::solver {

struct Gap {
  double primal = 0;         ///< objective at y, with barrier terms
  double gap = 0;            ///< absolute, >= f(y) - f* if s is feasible
  double relative = 0;       ///< over max(residual cost, 1e-10 tau'W tau)
  double residual_cost = 0;  ///< mean squared weighted residual
};

class GapBound {
 public:
  explicit GapBound(const Problem& problem);

  /// Gap at y with slack s = F y + g and lambda in K*. No allocation if the problem is strongly convex.
  Gap evaluate(const Eigen::VectorXd& y, const Eigen::VectorXd& slack, const Eigen::VectorXd& lambda);

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
