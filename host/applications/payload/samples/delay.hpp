// Delay of the wrench relative to the motion in a log.
#pragma once

#include <optional>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Returns samples with the wrench from `delay` seconds later, linearly interpolated, without ends
/// that have no wrench. Error: no samples remain.
Result<WrenchSamples> advanced(const WrenchSamples& samples, double delay);

struct DelayEstimate {
  double delay = 0;  ///< [s] by which the wrench lags, between -kLongestDelay and kLongestDelay
  double left = 1;   ///< residual relative to that without a delay
  double log_likelihood = 0;  ///< gain
};

inline constexpr double kLongestDelay = 0.25;

/// Estimates the delay at which one body with one offset per log explains the wrench best. Empty
/// for poses, short logs, and logs that cannot show a delay.
std::optional<DelayEstimate> estimate_delay(const WrenchSamples& samples,
                                            const PayloadOptions& options);

}  // namespace heft::payload
