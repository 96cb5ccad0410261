// Converts from the solver's coordinates to physical ones, and determines the status of the
// solution.
#pragma once

#include "heft/solve/solve.hpp"

namespace heft::solver {

/// Fills x, multipliers, objective, gap, status and reason from y, lambda and the record of that
/// iterate. The caller sets status to `optimal` if the solver met its own criterion.
void conclude(const Problem& problem, const SolveOptions& options, const IterationRecord& record,
              Solution& solution);

/// Returns nu for which E'nu = gradient - A'multipliers in least squares, in scaled coordinates.
/// Arguments are physical.
Eigen::VectorXd equality_multipliers(const Problem& problem, const Eigen::VectorXd& gradient,
                                     const Eigen::VectorXd& multipliers);

/// Converts multipliers of F y + g in K to those of A x + a in K.
Eigen::VectorXd physical_multipliers(const Problem& problem, const Eigen::VectorXd& lambda);

/// Returns the gradient of the objective in physical coordinates, including the lifted part (zero
/// there). Excludes the log det of the entropic prior, which acts through the multipliers of its
/// blocks: at the optimum lambda = w J^-1.
Eigen::VectorXd objective_gradient(const Problem& problem, const Eigen::VectorXd& x);

}  // namespace heft::solver
