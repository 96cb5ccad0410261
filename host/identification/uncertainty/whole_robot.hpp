// Standard errors and intervals of the mass and the center of mass of a whole robot.
//
// Both are functions of the parameters; to first order about the estimate (m, c)
//
//   dm = c_m' dx     dc = (d(m c) - c dm) / m
//
// so that noise and the error of the prior reach them as they reach single parameters.
#pragma once

#include "block_noise.hpp"
#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

/// Adds shares of the prior and standard errors to `whole`, the whole robot of `parameters`.
/// `per_score`: Uncertainty::per_score; empty: there is no prior, and only the bootstrap gives
/// intervals. `disagreement`: factor on the variance of the noise, see BlockNoise. Errors: those of
/// prior_of_functions.
Result<Done> add_whole_errors(const Robot& robot, const ParameterLayout& layout,
                              const NormalEquations& equations, const Prior& prior,
                              const Eigen::VectorXd& parameters, const BlockNoise& noise,
                              double disagreement, const Eigen::MatrixXd& per_score,
                              WholeRobot& whole);

/// Adds the percentiles of the bootstrap's solutions, P x resamples.
void add_whole_resamples(const Robot& robot, const ParameterLayout& layout,
                         const Eigen::MatrixXd& answers, double confidence, WholeRobot& whole);

/// Sets the intervals from the errors and resamples.
void set_whole_intervals(double confidence, WholeRobot& whole);

}  // namespace heft
