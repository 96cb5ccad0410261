// Single samples far from their neighbors, as a bad connection or a lost byte makes them, replaced
// by the line between these.
//
//   b_k = x_k - (x_k-1 + x_k+1) / 2,   a spike: |b_k| > 30 times the usual |b|, and half of it with
//                                      the other sign on either side
//
// So is a single row without a number. What lasts longer than a sample stays: nothing is made up
// over it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Column -> samples that were replaced. Complete when the source was selected from.
using BridgedSamples = std::map<std::string, std::int64_t>;

/// Reads the log once more to find them. `bridged`, which it keeps, is counted in.
SourcePtr without_spikes(const Log& log, const LogFormat& format, SourcePtr source,
                         std::shared_ptr<BridgedSamples> bridged);

}  // namespace heft
