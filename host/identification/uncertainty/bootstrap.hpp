// Block bootstrap with prior and constraints active: the spread of the answer if the log had been
// another.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/model/parameter_layout.hpp"
#include "heft/moments/normal_equations.hpp"
#include "heft/solve/prior.hpp"
#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

/// Answers to `num_resamples` data sets drawn with replacement from the blocks, P x the resamples
/// that were solved. Same seed, same draws. Errors of make_problem and solve_batch; stopped().
Result<Eigen::MatrixXd> bootstrap(const ParameterLayout& layout,
                                  const std::vector<NormalEquations>& blocks, const Prior& prior,
                                  const Constraints& constraints, const Solving& solving,
                                  int num_resamples);

/// The central part of a sample that holds `confidence` of it.
Interval percentile_interval(const Eigen::VectorXd& sample, double confidence);

}  // namespace heft
