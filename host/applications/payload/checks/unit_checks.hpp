// Checks whether force, torque and known mass are in newtons, newton meters and kilograms.
#pragma once

#include <vector>

#include "force_and_motion.hpp"
#include "heft/payload/samples.hpp"

namespace heft::payload {

/// Checks for an implausible center of mass, and for a known mass that contradicts the log, with
/// the unit that would explain it.
std::vector<PayloadDoubt> doubts_about_units(const WrenchSamples& samples, const Centered& about,
                                             const PayloadOptions& options);

/// Checks a known mass against the joint torques.
std::vector<PayloadDoubt> doubts_about_mass_by_torques(double mass, double known_mass);

}  // namespace heft::payload
