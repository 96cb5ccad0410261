// Positions of one joint that were classified as degrees but may be those of its motor: finds the
// gear ratio that explains the logs best, with free bodies. The rules compare with torques of the
// robot's file, which are unreliable if friction is large.
#pragma once

#include <optional>

#include "evidence/hypotheses.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the approximate motor turns per turn of the joint `coordinate`; empty if degrees explain
/// the logs equally well or nothing is certain. Errors: those of the backend and of solving;
/// stopped().
Result<std::optional<double>> motor_turns(const HypothesisInput& input, int coordinate,
                                          int num_threads, const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
