// What a log says of the sensor's offset, of bodies that change on it, and of its clock: doubts
// that ask for other options.
#pragma once

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// An offset that jumps or drifts in mid-log; one where there should be none; one that is the
/// payload's own weight, of a sensor zeroed with it on; another body from some time on; a wrench
/// that is late.
std::vector<PayloadDoubt> doubts_about_offsets(const WrenchSamples& samples,
                                               const PayloadOptions& options,
                                               const BodyParameters& answer);

}  // namespace heft::payload
