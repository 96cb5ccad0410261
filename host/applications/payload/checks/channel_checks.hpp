// Checks whether the six channels of a sensor respond and stay within range.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/payload/samples.hpp"

namespace heft::payload {

/// Checks a wrench as logged (samples x 6: fx..nz), before rotation, delay and tool compensation,
/// for channels that never change or that stay at their maximum or minimum. Needs at least a
/// hundred samples.
std::vector<PayloadDoubt> doubts_about_channels(const Eigen::ArrayXXd& wrench);

/// Returns whether a doubt comes from these checks.
bool is_about_a_channel(const PayloadDoubt& doubt);

}  // namespace heft::payload
