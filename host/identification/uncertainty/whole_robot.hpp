// Intervals of the mass and the center of mass of a whole robot.
#pragma once

#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

/// Noise and prior bias are independent: their squares add, on either side of the estimate.
Interval widened(const Interval& sampling, double estimate, double pull);

/// Adds intervals to `whole`, that of `parameters`, from the bootstrap's solutions, P x resamples,
/// widened by the prior's own error. Errors: those of prior_of_functions.
Result<Done> add_whole_intervals(const Robot& robot, const ParameterLayout& layout,
                                 const NormalEquations& equations, const Prior& prior,
                                 const Eigen::VectorXd& parameters, const Eigen::MatrixXd& answers,
                                 double confidence, double rows_worth_one, WholeRobot& whole);

}  // namespace heft
