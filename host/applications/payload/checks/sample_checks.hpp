// Checks the samples of a sensor's log: its offset, its mounting, and whether weight and inertia
// belong to one body.
#pragma once

#include <vector>

#include "force_and_motion.hpp"
#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Checks for an offset that jumps or drifts within a log; an offset where there should be none; an
/// offset equal to the payload's weight, from zeroing the sensor with the payload attached; a
/// change of the body; a delayed wrench.
std::vector<PayloadDoubt> doubts_about_offsets(const WrenchSamples& samples,
                                               const PayloadOptions& options,
                                               const BodyParameters& answer);

/// Checks for a force rotated relative to its motion, and gives the mounting that corrects it.
std::vector<PayloadDoubt> doubts_about_turn(const WrenchSamples& samples, const Centered& about,
                                            BiasKind bias);

/// Checks for a weight clearly below what the inertia implies, in logs with motion and with gravity
/// separate from the acceleration: a controller that compensates a configured payload subtracts its
/// weight. Noise of the motion can only decrease the inertia, so it raises no doubt.
std::vector<PayloadDoubt> doubts_about_weight(const WrenchSamples& samples,
                                              const PayloadOptions& options);

}  // namespace heft::payload
