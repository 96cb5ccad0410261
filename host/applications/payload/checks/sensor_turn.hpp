// Whether the sensor is mounted otherwise than the log says.
#pragma once

#include <vector>

#include "force_and_motion.hpp"
#include "heft/payload/samples.hpp"

namespace heft::payload {

/// A force that is turned against the motion that it belongs to, with the mounting that would undo
/// it.
std::vector<PayloadDoubt> doubts_about_turn(const WrenchSamples& samples, const Centered& about,
                                            BiasKind bias);

}  // namespace heft::payload
