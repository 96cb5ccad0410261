// Diagnoses faults in a log of a force-torque sensor from the relation between force and a - g.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Directions of gravity among poses at rest that are more than 2 degrees apart.
int num_directions(const WrenchSamples& samples);

/// Errors: a log that cannot be weighed, with the option that corrects it: poses that do not
/// determine a mass, a reversed sign, swapped force and torque.
Result<Done> refuse_hopeless(const WrenchSamples& samples, const PayloadOptions& options);

/// Doubts about a usable answer: a rotated sensor, a clipped channel, units, quantities that too
/// few poses determine.
std::vector<PayloadDoubt> doubts_about(const WrenchSamples& samples, const PayloadOptions& options,
                                       const BodyParameters& answer);

}  // namespace heft::payload
