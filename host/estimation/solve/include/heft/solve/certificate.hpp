// Proof of an answer, from physical, unscaled data in extended precision and by code that no solver
// uses. What it shares with the solvers are the constraints A x + a, E x = e in physical units and
// the scales of Problem (S, of rows, of blocks, of the barrier), as make_problem wrote them; it
// recomputes the objective.
//
// Weak duality: with multipliers lambda in K* and any nu, every feasible x' has f(x') >= d,
//
//   r   = A'lambda + E'nu - grad f(x)
//   gap = lambda'(A x + a) + nu'(E x - e) + 1/2 r'H^-1 r
//   d   = f(x) - gap
//
// where f, of FORMULAS 2, has the Hessian H, which the prior makes positive definite. So gap bounds
// how far f(x) is from the optimum, and it is summed without subtracting two large objectives. Of
// an entropic prior the blocks' log det and its conjugate are added. Threads: any number of threads
// may call, each with objects of its own; what is const may be shared.
#pragma once

#include <string>
#include <vector>

#include "heft/solve/problem.hpp"
#include "heft/solve/solution.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Certificate {
  bool certified = false;  ///< feasible and with a gap within the tolerances asked for
  /// The bound holds by strong convexity alone; if not, provided that the optimum lies within ten
  /// times the size of the answer.
  bool rigorous = false;
  std::string verdict;  ///< in plain words

  double primal = 0;         ///< f(x)
  double dual = 0;           ///< lower bound on the optimum
  double gap = 0;            ///< (primal - dual) / max(residual cost, 1e-10 tau'W tau)
  double residual_cost = 0;  ///< mean squared weighted residual, the data term of f

  /// Per body the largest t with J >= t J0, proven by Cholesky; negative: impossible; 0 if the body
  /// is held.
  std::vector<double> psd_margin;
  /// Cholesky succeeded for J of every body that is not held.
  bool bodies_positive_definite = false;
  double constraint_violation = 0;  ///< largest of all constraints, scaled by the prior
  double equality_violation = 0;    ///< largest |E x - e| relative to the terms of its row
  double dual_violation = 0;  ///< how far the multipliers are outside K*, relative to the largest
  double stationarity = 0;    ///< |r| in scaled coordinates, relative to the gradient's terms
  double condition = 0;       ///< of the scaled Hessian, from its Cholesky factor
};

struct CertifyOptions {
  double gap_tolerance = 1e-7;        ///< on Certificate::gap
  double violation_tolerance = 1e-8;  ///< on constraint_violation and equality_violation
};

/// Checks a solution of `problem`: whether it is feasible, and how far from the optimum it can be
/// at most. Of the solution only x and the multipliers count, from any solver; multipliers outside
/// K* are moved inside before the bound is computed. Never fails: an answer of the wrong size or
/// with numbers that are not finite comes back not certified, with an infinite gap and a verdict
/// that says so.
Certificate certify(const Problem& problem, const Solution& solution,
                    const CertifyOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
