// From the solver's coordinates back to physical ones, and the verdict that goes with the answer.
#pragma once

#include "heft/solve.hpp"

namespace heft::solver {

/// Fills x, multipliers, objective, gap, status and reason from y, lambda and history.
void conclude(const Problem& problem, const SolveOptions& options, Solution& solution);

/// Gradient of the objective in physical coordinates, lifted part included (zero there). Without the log det
/// of the entropic prior, which acts through the multipliers of its blocks: at the optimum lambda = w J^-1.
Eigen::VectorXd objective_gradient(const Problem& problem, const Eigen::VectorXd& x);

}  // namespace heft::solver
