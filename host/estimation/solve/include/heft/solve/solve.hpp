// Solving a Problem: a semismooth Newton method for plain ones (bodies and signs, metric prior), a
// Nesterov-Todd interior point method, operator splitting (ADMM), or whichever suits. Threads: any
// number of threads may call, each with objects of its own; what is const may be shared.
#pragma once

#include "heft/base/result.hpp"
#include "heft/solve/problem.hpp"
#include "heft/solve/solution.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct SolveOptions {
  SolveMethod method = SolveMethod::automatic;
  double gap_tolerance = 1e-8;        ///< relative to the residual cost (FORMULAS 2)
  double violation_tolerance = 1e-9;  ///< of the cones, in coordinates where the prior is 1
  int max_iterations = 0;  ///< 0: 20 semismooth Newton steps, 100 of the interior point method,
                           ///< 4000 of ADMM
  double penalty_over_weight = 10;  ///< ADMM: rho = this times the prior weight
  double relaxation = 1.6;          ///< ADMM: over-relaxation, in (0, 2)
  int anderson_memory = 10;         ///< ADMM: 0 switches acceleration off
  bool adapt_penalty = true;  ///< ADMM: balance primal and dual residuals when progress stalls
};

/// Refuses options that make no sense.
Result<Done> validate(const SolveOptions& options);

/// Solves the problem. Returns an Error only for options that make no sense; what happened to the
/// problem is Solution::status. Deterministic: same problem and options, same bits.
Result<Solution> solve(const Problem& problem, const SolveOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
