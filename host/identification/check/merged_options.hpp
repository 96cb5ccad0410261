// One block of options from several: what is to be pasted where a log has more than one fault.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "heft/check/check.hpp"

namespace heft::check {

/// Returns the options of all errors that have some, in one block; nothing where two exclude each
/// other. Scales of one joint are multiplied: reversed, and in N mm. `in_force`: how the log was
/// read.
std::optional<std::string> merged_options(const std::vector<Finding>& findings, const Robot& robot,
                                          const LogFormat& in_force);

}  // namespace heft::check
