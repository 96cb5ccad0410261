// Whether force, torque and known mass are in newtons, newton meters and kilograms.
#pragma once

#include <vector>

#include "force_and_motion.hpp"
#include "heft/payload/samples.hpp"

namespace heft::payload {

/// A center of mass that no payload has; a known mass that the log does not weigh, with the unit
/// that would explain it.
std::vector<PayloadDoubt> doubts_about_units(const WrenchSamples& samples, const Centered& about,
                                             const PayloadOptions& options);

/// A known mass that the joint torques do not weigh.
std::vector<PayloadDoubt> doubts_about_mass_by_torques(double mass, double known_mass);

}  // namespace heft::payload
