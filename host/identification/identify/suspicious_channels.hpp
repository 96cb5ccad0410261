// Channels that fight every physical answer: wrong unit, sign or gear ratio, or not a torque at
// all.
#pragma once

#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/setup/setup.hpp"
#include "heft/solve/solve.hpp"
#include "heft/training/training_data.hpp"

namespace heft {

/// Channels without which physics comes cheap: the price of the constraints
/// (PriceOfPhysics::relative) is above a tenth of the residual cost, and leaving the channel out
/// brings it below a quarter of what it was. The channel that lowers it most comes first. Errors of
/// make_problem and solve_batch.
Result<std::vector<int>> suspicious_channels(const TrainingData& data,
                                             const Eigen::VectorXd& channel_weights,
                                             const Setup& setup, const Solving& solving,
                                             const PriceOfPhysics& price);

}  // namespace heft
