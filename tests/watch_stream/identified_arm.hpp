// The planar arm of tests/watch as if it had been identified.
#pragma once

#include "predict/identified_model.hpp"
#include "tests/watch/watched_arm.hpp"

namespace heft {

inline IdentifiedModel identified_arm() {
  WatchModel model = watched_arm_model();
  IdentifiedModel identified{.model = model.model,
                             .configuration = {},
                             .parameters = model.parameters,
                             .residual_rms = model.residual_rms};
  identified.configuration.conditioning.lowpass_hz = model.lowpass_hz;
  return identified;
}

}  // namespace heft
