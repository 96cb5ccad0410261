// Traces as compact JSON text: five digits a number, null where there is nothing.
#pragma once

#include <string>

#include "heft/traces/traces.hpp"

namespace heft {

/// {"held_out", "num_samples", "samples_per_bin", "start_s", "time_s", "gaps", "parts",
/// "frequency_hz", "channels": [{"channel", "unit", "measured", "predicted", "residual", "parts",
/// "bin_width", "counts", "amplitude_density"}]}. An envelope is {"lower", "upper"}, without
/// "upper" where every bin is one sample; gaps are the bins that begin a segment.
std::string traces_json(const Traces& traces);

}  // namespace heft
