// Weighs a log in which the body on the sensor changes: one body per stretch, one sensor offset for
// all.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// `changes`: times between the stretches, ascending. The answer is that of the last stretch.
/// Errors: a time outside the log, a stretch that is too short, stretches that do not determine the
/// offset, those of weigh_payload.
Result<PayloadResult> weigh_stretches(const WrenchSamples& samples,
                                      const std::vector<double>& changes,
                                      const PayloadOptions& options, const PayloadShape& shape,
                                      const std::vector<PayloadMethod>& methods,
                                      const Progress& progress = {});

}  // namespace heft::payload
