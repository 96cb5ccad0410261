// What is wrong with a log of a force-torque sensor, from how force follows a - g.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Directions of gravity of poses at rest that lie more than 2 degrees apart.
int num_directions(const WrenchSamples& samples);

/// Errors: a log that cannot be weighed, with the option that corrects it: poses that tell no mass,
/// a reversed sign, force and torque swapped.
Result<Done> refuse_hopeless(const WrenchSamples& samples, const PayloadOptions& options);

/// Doubts that leave an answer: a turned sensor, a channel that is clipped, units, what few poses
/// cannot tell.
std::vector<PayloadDoubt> doubts_about(const WrenchSamples& samples, const PayloadOptions& options,
                                       const BodyParameters& answer);

}  // namespace heft::payload
