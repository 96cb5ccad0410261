// Merges several blocks of options into one to paste, for logs with more than one fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/check/check.hpp"

namespace heft::check {

/// Returns the options of all errors in one block; empty if two contradict each other. Multiplies
/// scales of one joint, such as reversed and in N mm. `in_force`: options with which the log was
/// read.
std::optional<std::string> merged_options(const std::vector<Finding>& findings, const Robot& robot,
                                          const LogFormat& in_force);

}  // namespace heft::check
