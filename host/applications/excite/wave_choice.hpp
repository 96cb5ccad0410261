// Decides where the motions of a search are evaluated. Threads: stateless.
#pragma once

#include <memory>
#include <string>

#include "motion_wave.hpp"
#include "scorer.hpp"

namespace heft::excite {

struct WaveChoice {
  std::unique_ptr<MotionWave> wave;  ///< null: the CPU evaluates
  std::string because;
};

/// For the starts of a search with `task`, by ExciteOptions::backend. `automatic` measures one
/// evaluation with gradient on the CPU and one wave of all starts on the device
/// (is_device_worth()). Errors, only if the device is required: no device, or columns that only the
/// host evaluates.
Result<WaveChoice> choose_wave(const Task& task, const ExciteOptions& options);

}  // namespace heft::excite
