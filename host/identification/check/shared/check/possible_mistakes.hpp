// Possible errors in the columns of joints that an estimate explains poorly and about which the
// robot file's torques say nothing, because friction and rotors dominate at light wrists. The
// caller tests how well each explains the log.
#pragma once

#include <vector>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns findings without evidence: a reversed torque, a reversed position or both, or two
/// exchanged torques, for joints whose torques are among `channels`; each with its Fix. Errors:
/// those of opening the log and of its columns.
Result<std::vector<Finding>> possible_mistakes(const Model& model, const Log& log,
                                               const LogFormat& format,
                                               const ConditioningOptions& conditioning,
                                               const std::vector<int>& channels);

}  // namespace heft
#pragma GCC visibility pop
