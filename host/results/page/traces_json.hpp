// Traces as compact JSON text: five digits per number, null for missing values.
#pragma once

#include <string>

#include "heft/traces/traces.hpp"

namespace heft {

/// Returns {"held_out", "num_samples", "samples_per_bin", "start_s", "time_s", "gaps", "parts",
/// "frequency_hz", "channels": [{"channel", "unit", "measured", "predicted", "residual", "parts",
/// "bin_width", "counts", "amplitude_density"}]}. An envelope is {"lower", "upper"}, without
/// "upper" if every bin is one sample; gaps are the bins that begin a segment.
std::string traces_json(const Traces& traces);

}  // namespace heft
