// The user's estimation options in the terms of the solver.
#pragma once

#include "heft/config/configuration.hpp"
#include "heft/solve/constraints.hpp"
#include "heft/solve/prior.hpp"
#include "heft/solve/solve.hpp"

#pragma GCC visibility push(default)
namespace heft {

inline bool is_least_squares(const EstimationOptions& options) {
  return options.solver == Estimator::ordinary_least_squares ||
         options.solver == Estimator::weighted_least_squares;
}

inline PriorOptions prior_options(const EstimationOptions& options) {
  return {.kind = options.prior, .weight = options.prior_weight.value, .ridge = options.column_ridge};
}

/// Reads options.ellipsoids for a robot if they are asked for and not there yet. Errors: those of
/// bounding_ellipsoids; ellipsoids without full consistency, which say nothing about where mass is.
Result<Done> read_ellipsoids(EstimationOptions& options, const Robot& robot);

/// With the ellipsoids of all bodies but those that the prior holds. Error if they have not been read.
Result<Constraints> constraints(const EstimationOptions& options, const ParameterLayout& layout,
                                const Prior& prior);

inline SolveOptions solve_options(const EstimationOptions& options) {
  const SolveMethod method = options.solver == Estimator::admm             ? SolveMethod::admm
                             : options.solver == Estimator::interior_point ? SolveMethod::interior_point
                                                                           : SolveMethod::automatic;
  return {.method = method, .gap_tolerance = options.gap_tolerance, .max_iterations = options.max_iterations};
}

}  // namespace heft
#pragma GCC visibility pop
