// From the solver's coordinates back to physical ones, and the verdict that goes with the answer.
#pragma once

#include "heft/solve/solve.hpp"

namespace heft::solver {

/// Fills x, multipliers, objective, gap, status and reason from y, lambda and the record of the
/// iterate that they are. status must be `optimal` already where the solver stopped by its own
/// criterion.
void conclude(const Problem& problem, const SolveOptions& options, const IterationRecord& record,
              Solution& solution);

/// nu that makes E'nu = gradient - A'multipliers in least squares, in scaled coordinates. Arguments
/// physical.
Eigen::VectorXd equality_multipliers(const Problem& problem, const Eigen::VectorXd& gradient,
                                     const Eigen::VectorXd& multipliers);

/// Multipliers of A x + a in K from those of F y + g in K.
Eigen::VectorXd physical_multipliers(const Problem& problem, const Eigen::VectorXd& lambda);

/// Gradient of the objective in physical coordinates, lifted part included (zero there). Without
/// the log det of the entropic prior, which acts through the multipliers of its blocks: at the
/// optimum lambda = w J^-1.
Eigen::VectorXd objective_gradient(const Problem& problem, const Eigen::VectorXd& x);

}  // namespace heft::solver
