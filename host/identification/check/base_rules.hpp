// Rules about wrenches and the IMU of a floating base.
#pragma once

#include <vector>

#include "log_facts.hpp"

namespace heft::check {

/// Returns wrenches with a wrong sign, in wrong axes, late or missing, a rotated IMU, and contacts
/// without wrenches. Nothing if the log cannot be conditioned. Error: stopped().
Result<std::vector<Finding>> check_base(const LogFacts& log, const Log& file);

}  // namespace heft::check
