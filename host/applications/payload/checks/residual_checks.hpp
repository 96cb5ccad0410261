// What a payload leaves of a log unexplained, beyond what noise would leave.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Serious: force or torque of which more than 15 % are left in the band below the low-pass, and
/// four times the power of what white noise as strong as that above it would leave there: then
/// motion and wrench do not belong together. Minor: more than half is left, but it looks like
/// noise.
std::vector<PayloadDoubt> doubts_about_residuals(const WrenchSamples& samples,
                                                 const PayloadOptions& options,
                                                 const BodyParameters& answer);

}  // namespace heft::payload
