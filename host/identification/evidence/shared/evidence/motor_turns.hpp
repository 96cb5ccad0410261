// Positions of one joint that are said to be degrees, and may be those of its motor: by which ratio
// the logs are explained best, with the bodies free to follow. The rules compare with the torques
// of the robot's file, which say little where friction is large.
#pragma once

#include <optional>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Turns of the motor for one of the joint `coordinate`, about right; nothing where degrees explain
/// as much, or nothing is certain. Errors: those of the backend and of solving; stopped().
Result<std::optional<double>> motor_turns(const HypothesisInput& input, int coordinate,
                                          int num_threads, const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
