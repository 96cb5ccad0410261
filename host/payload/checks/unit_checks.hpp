// Whether force, torque and known mass are in newtons, newton metres and kilograms.
#pragma once

#include <vector>

#include "force_and_motion.hpp"
#include "heft/payload/doubt.hpp"

namespace heft::payload {

/// A centre of mass that no payload has; a known mass that the log does not weigh, with the unit that would explain it.
std::vector<PayloadDoubt> doubts_about_units(const WrenchSamples& samples, const Centred& about,
                                             const PayloadOptions& options);

}  // namespace heft::payload
