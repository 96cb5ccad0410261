// What motions tell about parameters before any torque is measured: the information matrix of each
// of many candidates. Threads: a function without memory: any number of threads may call; calls of
// one Backend may take turns.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "heft/base/progress.hpp"
#include "heft/base/result.hpp"
#include "heft/core/precision.hpp"
#include "heft/model/generated_motion.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/rows/backend.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct InformationOptions {
  /// w_c = 1 / s_c^2 >= 0 of every channel of the plan; empty: ones.
  Eigen::VectorXd channel_weights;
  /// fp32: faster, and right to 1e-5 of the matrix's norm.
  core::Precision precision = core::Precision::fp64;
};

/// Of every motion G = sum over its samples and the channels of w_c row_c' row_c, num_parameters
/// square, in the columns of the plan's layout: the inverse covariance of the parameters that a log
/// of this motion would leave (FORMULAS 8). Motions are evaluated where rows are made, and only
/// sums come back. Errors: weights of another number, negative or not finite; what check_motion()
/// refuses; a backend that breaks down; stopped().
Result<std::vector<Eigen::MatrixXd>> information(Backend& backend, const PlanPtr& plan,
                                                 std::span<const GeneratedMotion> motions,
                                                 const InformationOptions& options = {},
                                                 const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
