// The cutoff and the channels that a watcher and the batch share.
#pragma once

#include <algorithm>

#include "watch/watcher.hpp"

namespace heft::watch {

inline double wanted_cutoff(const WatchModel& model, const WatchOptions& options) {
  return options.lowpass_hz > 0 ? options.lowpass_hz : model.lowpass_hz;
}

inline double cutoff_of(const WatchModel& model, const WatchOptions& options) {
  constexpr double kMostOfRate = 0.125;
  return std::min(wanted_cutoff(model, options), kMostOfRate * options.rate_hz);
}

/// Channels without a residual in the result were excluded from it.
inline bool is_used(const WatchModel& model, int channel) {
  return model.residual_rms[channel] > 0 || (model.residual_rms.array() == 0).all();
}

}  // namespace heft::watch
