// What the samples of a sensor's log give reason to doubt: its offset, its mounting, and whether
// weight and inertia are of one body.
#pragma once

#include <vector>

#include "force_and_motion.hpp"
#include "heft/payload/payload.hpp"

namespace heft::payload {

/// An offset that jumps or drifts in mid-log; one where there should be none; one that is the
/// payload's own weight, of a sensor zeroed with it on; another body from some time on; a wrench
/// that is late.
std::vector<PayloadDoubt> doubts_about_offsets(const WrenchSamples& samples,
                                               const PayloadOptions& options,
                                               const BodyParameters& answer);

/// A force that is turned against the motion that it belongs to, with the mounting that would undo
/// it.
std::vector<PayloadDoubt> doubts_about_turn(const WrenchSamples& samples, const Centered& about,
                                            BiasKind bias);

/// A weight that is clearly less than the inertia says, from logs that move and know gravity apart
/// from the acceleration: a controller that subtracts a configured payload takes off its weight.
/// Noise of the motion makes the inertia too small, never too large, and so raises no doubt.
std::vector<PayloadDoubt> doubts_about_weight(const WrenchSamples& samples,
                                              const PayloadOptions& options);

}  // namespace heft::payload
