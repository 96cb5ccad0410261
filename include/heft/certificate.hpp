// Proof of an answer: recomputed from physical, unscaled data in extended precision by code that no solver
// uses.
//
// Weak duality (FORMULAS 2): with multipliers lambda in K* and any nu,
//   f(x') >= d = const - 1/2 v'Hv - lambda'a + nu'e,   v = x + H^-1 (A'lambda + E'nu - grad f(x)),
// for every feasible x', H the Hessian of f, which the prior makes positive definite. So gap = f(x) - d
// bounds how far f(x) is from the optimum.
#pragma once

#include <string>
#include <vector>

#include "heft/problem.hpp"
#include "heft/solution.hpp"

namespace heft {

struct Certificate {
  bool certified = false;  ///< feasible, dual feasible and gap within the tolerances asked for
  bool rigorous = false;  ///< the bound holds by strong convexity; without, it rests on small residuals below
  std::string verdict;    ///< in plain words

  double primal = 0;         ///< f(x)
  double dual = 0;           ///< lower bound on the optimum
  double gap = 0;            ///< (primal - dual) / max(residual cost, 1e-10 tau'W tau)
  double residual_cost = 0;  ///< mean squared weighted residual, the data term of f

  std::vector<double>
      psd_margin;  ///< per body: largest t with J >= t J0, proven by Cholesky; negative: impossible; 0 if held
  bool bodies_positive_definite = false;  ///< Cholesky of every J succeeded (true with no bodies to check)
  double constraint_violation = 0;        ///< largest of all constraints, scaled by the prior
  double equality_violation = 0;          ///< largest |E x - e| relative to the terms of its row
  double dual_violation = 0;              ///< how far the multipliers are outside K*, relative to the largest
  double stationarity =
      0;  ///< |grad f - A'lambda - E'nu| in scaled coordinates, relative to the gradient's terms
  double condition = 0;  ///< of the scaled Hessian, from its Cholesky factor
};

struct CertifyOptions {
  double gap_tolerance = 1e-7;
  double violation_tolerance = 1e-8;
};

Certificate certify(const Problem& problem, const Solution& solution, const CertifyOptions& options = {});

}  // namespace heft
