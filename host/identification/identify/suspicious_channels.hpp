// Channels that are inconsistent with every physically consistent model: wrong unit, sign or gear
// ratio, or not a torque.
#pragma once

#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/setup/setup.hpp"
#include "heft/solve/solve.hpp"
#include "heft/training/training_data.hpp"

namespace heft {

/// Returns channels whose exclusion removes most of the constraint cost: the price of the
/// constraints (PriceOfPhysics::relative) exceeds a tenth of the residual cost, and excluding the
/// channel reduces it to less than a quarter. Largest reduction first. Errors: those of
/// make_problem and solve_batch.
Result<std::vector<int>> suspicious_channels(const TrainingData& data,
                                             const Eigen::VectorXd& channel_weights,
                                             const Setup& setup, const Solving& solving,
                                             const PriceOfPhysics& price);

}  // namespace heft
