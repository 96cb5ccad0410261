// Whether the six channels of a sensor are alive and within their range.
#pragma once

#include <Eigen/Core>
#include <vector>

#include "heft/payload/samples.hpp"

namespace heft::payload {

/// Of a wrench as it was logged (samples x 6: fx..nz), before it is turned, delayed or a tool is
/// taken off: a channel that never changes, or that stands at its largest or least value. Less than
/// a hundred samples tell neither.
std::vector<PayloadDoubt> doubts_about_channels(const Eigen::ArrayXXd& wrench);

/// Whether a doubt is one of these.
bool is_about_a_channel(const PayloadDoubt& doubt);

}  // namespace heft::payload
