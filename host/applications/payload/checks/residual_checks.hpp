// Checks the residual of a log for more than noise.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Serious: force or torque with more than 15 % residual in the band below the low-pass, and four
/// times the power expected there from white noise as strong as that above it; motion and wrench
/// then do not match. Minor: a residual of more than half that looks like noise.
std::vector<PayloadDoubt> doubts_about_residuals(const WrenchSamples& samples,
                                                 const PayloadOptions& options,
                                                 const BodyParameters& answer);

}  // namespace heft::payload
