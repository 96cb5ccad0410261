// Conditioning with another cutoff of the motion alone.
#pragma once

#include "heft/log/log.hpp"

namespace heft {

/// Returns the options with another cutoff of the motion; torques and used rows stay the same.
inline ConditioningOptions with_motion_cutoff(ConditioningOptions options, double cutoff_hz) {
  options.torque_lowpass_hz = options.torque_cutoff_hz();
  if (!options.dead_band.empty() && !(options.dead_band_lowpass_hz > 0))
    options.dead_band_lowpass_hz = options.lowpass_hz;
  options.lowpass_hz = cutoff_hz;
  return options;
}

}  // namespace heft
