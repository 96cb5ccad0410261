#include "heft/solve/solve.hpp"

#include <cmath>

#include "admm.hpp"
#include "batch/packed_problem.hpp"
#include "batch/solve_plain.hpp"
#include "interior_point.hpp"
#include "phase_one.hpp"

namespace heft {

namespace {

// With a weaker prior, rounding of the curvature limits the semismooth method.
constexpr double kLeastWeightOfSteps = 1e-6;

Solution run(const Problem& problem, const SolveOptions& options, SolveMethod method) {
  return method == SolveMethod::admm ? solver::solve_admm(problem, options)
                                     : solver::solve_interior_point(problem, options);
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
    return Error{"solve options", "tolerances must be positive",
                 "use e.g. 1e-8 for the gap and 1e-9 for violations"};
  }
  if (!(options.relaxation > 0) || !(options.relaxation < 2)) {
    return Error{"solve options: relaxation", "must be between 0 and 2", "1.6 is a good choice"};
  }
  if (!(options.penalty_over_weight > 0) || !std::isfinite(options.penalty_over_weight)) {
    return Error{"solve options: penalty", "must be above zero", "10 is a good choice"};
  }
  if (options.method == SolveMethod::semismooth_newton) {
    return Error{"solve options: method",
                 "the semismooth Newton method cannot be selected; it is "
                 "chosen where it applies",
                 "use automatic"};
  }
  if (options.max_iterations < 0 || options.anderson_memory < 0) {
    return Error{"solve options", "iterations and memory cannot be negative",
                 "give nonnegative numbers"};
  }
  return Done{};
}

Solution solver::solve_without_semismooth(const Problem& problem, const SolveOptions& options) {
  const bool automatic = options.method == SolveMethod::automatic;
  Solution solution =
      run(problem, options, automatic ? SolveMethod::interior_point : options.method);
  if (solution.status == SolveStatus::optimal) return solution;

  const solver::Feasibility feasibility = solver::phase_one(problem);
  if (feasibility.infeasible) {
    explain_infeasibility(feasibility, solution);
    return solution;
  }
  if (automatic) {
    Solution second = run(problem, options, SolveMethod::admm);
    if (second.status < solution.status ||
        (second.status == solution.status && second.gap < solution.gap))
      return second;
  }
  return solution;
}

Result<Solution> solve(const Problem& problem, const SolveOptions& options) {
  HEFT_CHECK(validate(options));
  if (options.method != SolveMethod::automatic || !solver::is_plain(problem))
    return solver::solve_without_semismooth(problem, options);
  Solution solution = problem.prior.weight >= kLeastWeightOfSteps
                          ? solver::solve_plain(problem, options)
                          : run(problem, options, SolveMethod::admm);
  if (solution.status == SolveStatus::optimal && solution.gap <= options.gap_tolerance)
    return solution;
  // continue with another method unless the tolerance is reached
  Solution other = solver::solve_without_semismooth(problem, options);
  const bool was_better = solution.status < other.status ||
                          (solution.status == other.status && solution.gap < other.gap);
  return was_better && other.status != SolveStatus::infeasible ? solution : other;
}

}  // namespace heft
