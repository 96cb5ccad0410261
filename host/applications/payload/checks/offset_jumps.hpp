// A sensor whose offset becomes another one in mid-log: it was zeroed, restarted or overloaded. One
// body, an offset a part.
#pragma once

#include <vector>

#include "heft/payload/payload.hpp"

namespace heft::payload {

struct OffsetJump {
  double time = 0;  ///< [s], between two samples; of poses the index of the first behind it
  Vector6d by = Vector6d::Zero();
  int log = 0;
};

/// Where one body and as few offsets as possible explain the samples of a log far better than one
/// offset does. In order of time; seven at most. Each gains forty times what noise would.
std::vector<OffsetJump> jumps_in(const WrenchSamples& samples, const PayloadOptions& options);

/// The samples of one log with another offset from each of the times on, ascending. Error: a time
/// outside of the log.
Result<WrenchSamples> split_at_jumps(const WrenchSamples& samples,
                                     const std::vector<double>& times);

}  // namespace heft::payload
