// The torque of a motion without its accelerations, which a momentum observer compares with the
// measured torque. FORMULAS 4.
#pragma once

#include "heft/rows/backend.hpp"
#include "rows/channel_range.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Momentum and the remaining terms of the torque of every channel, for parameters x; both
/// num_samples x num_channels:
///   torque = d/dt momentum + rest,   rest = -C'v + gravity + friction columns
struct MomentumBalance {
  Eigen::ArrayXXd momentum;  ///< [N m s] or [N s], including the contribution of extra columns
  Eigen::ArrayXXd rest;      ///< [N m] or [N]
};

/// Returns the balance of all channels of `plan` at all samples. Error: a moving base, whose
/// velocity is unknown.
Result<MomentumBalance> momentum_balance(const RegressorPlan& plan, const Samples& samples,
                                         const Eigen::VectorXd& parameters);

}  // namespace heft
#pragma GCC visibility pop
