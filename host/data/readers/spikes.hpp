// Replaces single samples far from their neighbors, caused by bad connections or lost bytes, by
// linear interpolation.
//
//   b_k = x_k - (x_k-1 + x_k+1) / 2,   a spike: |b_k| > 30 times the usual |b|, and half of it with
//                                      the other sign on either side
//
// A single row without a number is treated the same way. Longer faults stay unchanged: no data are
// invented for them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "heft/base/result.hpp"
#include "heft/log/source.hpp"

namespace heft {

/// Number of replaced samples per column. Complete once the source's columns are selected.
using BridgedSamples = std::map<std::string, std::int64_t>;

/// Reads the log once more to find them. Keeps a reference to `bridged` and counts in it.
SourcePtr without_spikes(const Log& log, const LogFormat& format, SourcePtr source,
                         std::shared_ptr<BridgedSamples> bridged);

}  // namespace heft
