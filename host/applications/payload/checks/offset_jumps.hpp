// Detects jumps of a sensor's offset within a log, after zeroing, a restart or an overload. The
// model is one body with one offset per part.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

struct OffsetJump {
  double time = 0;  ///< [s], between two samples; for poses, the index of the first pose after the
                    ///< jump
  Vector6d by = Vector6d::Zero();
  int log = 0;
};

/// Returns the times at which one body with the fewest possible offsets explains the samples far
/// better than with one offset. In order of time; at most seven, each with a gain of forty times
/// what noise would give.
std::vector<OffsetJump> jumps_in(const WrenchSamples& samples, const PayloadOptions& options);

/// Splits the samples of one log into parts with separate offsets, at ascending times. Error: a
/// time outside the log.
Result<WrenchSamples> split_at_jumps(const WrenchSamples& samples,
                                     const std::vector<double>& times);

}  // namespace heft::payload
