// Whether weight and inertia of the payload are of one body: a controller that subtracts a
// configured payload takes off its weight.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// A weight that is clearly less than the inertia says, from logs that move and know gravity apart
/// from the acceleration. Noise of the motion makes the inertia too small, never too large, and so
/// raises no doubt.
std::vector<PayloadDoubt> doubts_about_weight(const WrenchSamples& samples,
                                              const PayloadOptions& options);

}  // namespace heft::payload
