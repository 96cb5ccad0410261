// What may be mistaken in the columns of joints that an answer explains poorly, where the torques
// of the robot's file say nothing of it: friction and rotors hide them at light wrists. The caller
// weighs them by how well the log is explained.
#pragma once

#include <vector>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Findings without what speaks for them: a torque, a position or both reversed, two torques
/// exchanged, of joints whose torques are among `channels`; each with its Fix. Errors: those of
/// opening the log and of its columns.
Result<std::vector<Finding>> possible_mistakes(const Model& model, const Log& log,
                                               const LogFormat& format,
                                               const ConditioningOptions& conditioning,
                                               const std::vector<int>& channels);

}  // namespace heft
#pragma GCC visibility pop
