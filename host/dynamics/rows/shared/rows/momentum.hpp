// The torque that a motion needs, without its accelerations: what a momentum observer compares with
// the measured one. FORMULAS 4.
#pragma once

#include "heft/rows/backend.hpp"
#include "rows/channel_range.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Momentum and what else a channel's torque is made of, for parameters x; both num_samples x
/// num_channels:
///   torque = d/dt momentum + rest,   rest = -C'v + gravity + friction columns
struct MomentumBalance {
  Eigen::ArrayXXd momentum;  ///< [N m s] or [N s], with what extra columns hold of it
  Eigen::ArrayXXd rest;      ///< [N m] or [N]
};

/// Of the channels of `plan`, of all samples. Error: a base that moves, whose velocity is not
/// known.
Result<MomentumBalance> momentum_balance(const RegressorPlan& plan, const Samples& samples,
                                         const Eigen::VectorXd& parameters);

}  // namespace heft
#pragma GCC visibility pop
