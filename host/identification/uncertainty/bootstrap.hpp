// Block bootstrap with prior and constraints: the spread of the estimate over resampled logs.
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

/// Returns the solutions for `num_resamples` data sets drawn with replacement from the blocks, P x
/// the number of solved resamples. Equal seeds give equal draws. Errors: those of make_problem and
/// solve_batch; stopped().
Result<Eigen::MatrixXd> bootstrap(const ParameterLayout& layout,
                                  const std::vector<NormalEquations>& blocks, const Prior& prior,
                                  const Constraints& constraints, const Solving& solving,
                                  int num_resamples);

/// Returns the central interval of a sample that contains `confidence` of it.
Interval percentile_interval(const Eigen::VectorXd& sample, double confidence);

}  // namespace heft
