// A wrench that is logged later, or earlier, than the motion that it belongs to.
#pragma once

#include <optional>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Samples with the wrench of `delay` seconds later, on a straight line between samples; ends
/// without it drop out. Error: nothing is left.
Result<WrenchSamples> advanced(const WrenchSamples& samples, double delay);

struct DelayEstimate {
  double delay = 0;  ///< [s] by which the wrench is late, between -kLongestDelay and kLongestDelay
  double left = 1;   ///< share of what is left without it
  double log_likelihood = 0;  ///< gained
};

inline constexpr double kLongestDelay = 0.25;

/// Where one body on one offset a log explains the wrench best. Nothing of poses, of short logs,
/// and of logs on which it would not show.
std::optional<DelayEstimate> estimate_delay(const WrenchSamples& samples,
                                            const PayloadOptions& options);

}  // namespace heft::payload
