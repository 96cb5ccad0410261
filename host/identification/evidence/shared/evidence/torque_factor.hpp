// The factor by which the torque of one joint is logged too large, estimated with free bodies:
// confirms or rejects the result with the bodies of the robot's file.
#pragma once

#include <optional>
#include <string>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the best factor near `factor`; empty unless a factor explains training and held-out logs
/// better than no factor by the margin required of a doubt. Errors: those of the backend and of
/// solving; stopped().
Result<std::optional<Hypothesis>> torque_factor_near(const HypothesisInput& input,
                                                     const std::string& joint, double factor,
                                                     int num_threads,
                                                     const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
