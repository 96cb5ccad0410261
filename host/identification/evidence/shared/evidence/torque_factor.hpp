// The factor by which the torque of one joint is logged too large, beside bodies that are free:
// confirms or retracts what the bodies of the robot's file say.
#pragma once

#include <optional>
#include <string>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Looked for near `factor`; nothing where no factor explains training and held-out logs better
/// than one, by what a doubt asks for. Errors: the backend's, those of solving; stopped().
Result<std::optional<Hypothesis>> torque_factor_near(const HypothesisInput& input,
                                                     const std::string& joint, double factor,
                                                     int num_threads,
                                                     const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
