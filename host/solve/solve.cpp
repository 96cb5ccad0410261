#include "heft/solve/solve.hpp"

#include <cmath>

#include "admm.hpp"
#include "interior_point.hpp"
#include "phase_one.hpp"

namespace heft {

namespace {

// From here up ADMM is the faster one, by 2 to 4 in the median and never slower at the 90th percentile
// (bench/solver).
constexpr double kSplittingWeight = 1e-4;

Solution run(const Problem& problem, const SolveOptions& options, SolveMethod method) {
  return method == SolveMethod::admm ? solver::solve_admm(problem, options)
                                     : solver::solve_interior_point(problem, options);
}

// Splitting where its penalty is known to suit: a strong enough metric prior and nothing but bodies and
// signs.
SolveMethod suited(const Problem& problem) {
  const bool plain = problem.prior.kind == PriorKind::metric && problem.has_orthonormal_rows;
  return plain && problem.prior.weight >= kSplittingWeight ? SolveMethod::admm : SolveMethod::interior_point;
}

void explain_infeasibility(const solver::Feasibility& feasibility, Solution& solution) {
  solution.status = SolveStatus::infeasible;
  solution.conflicts = feasibility.conflicts;
  solution.reason = "these constraints contradict each other:";
  for (const auto& name : feasibility.conflicts) solution.reason += " [" + name + "]";
}

}  // namespace

Result<Done> validate(const SolveOptions& options) {
  if (!(options.gap_tolerance > 0) || !(options.violation_tolerance > 0)) {
    return Error{"solve options", "tolerances must be above zero", "1e-8 for the gap, 1e-9 for violations"};
  }
  if (!(options.relaxation > 0) || !(options.relaxation < 2)) {
    return Error{"solve options: relaxation", "must lie between 0 and 2", "1.6 is a good choice"};
  }
  if (!(options.penalty_over_weight > 0) || !std::isfinite(options.penalty_over_weight)) {
    return Error{"solve options: penalty", "must be above zero", "10 is a good choice"};
  }
  if (options.method == SolveMethod::semismooth_newton) {
    return Error{"solve options: method", "batches choose the semismooth Newton method by themselves",
                 "take automatic"};
  }
  if (options.max_iterations < 0 || options.anderson_memory < 0) {
    return Error{"solve options", "iterations and memory cannot be negative", "give numbers of zero or more"};
  }
  return Done{};
}

Result<Solution> solve(const Problem& problem, const SolveOptions& options) {
  HEFT_CHECK(validate(options));
  const bool automatic = options.method == SolveMethod::automatic;
  const SolveMethod first = automatic ? suited(problem) : options.method;
  Solution solution = run(problem, options, first);
  if (solution.status == SolveStatus::optimal) return solution;

  const solver::Feasibility feasibility = solver::phase_one(problem);
  if (feasibility.infeasible) {
    explain_infeasibility(feasibility, solution);
    return solution;
  }
  if (automatic) {
    const SolveMethod other = first == SolveMethod::admm ? SolveMethod::interior_point : SolveMethod::admm;
    Solution second = run(problem, options, other);
    if (second.status < solution.status || (second.status == solution.status && second.gap < solution.gap))
      return second;
  }
  return solution;
}

}  // namespace heft
