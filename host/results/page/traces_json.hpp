// Traces as compact JSON text: five digits per number, null for missing values.
#pragma once

#include <string>

#include "heft/traces/traces.hpp"

namespace heft {

/// Returns {"held_out", "num_samples", "samples_per_bin", "start_s", "time_s", "gaps", "parts",
/// "frequency_hz", "channels": [{"channel", "unit", "measured", "predicted", "residual", "parts",
/// "bin_width", "counts", "amplitude_density"}]}. An envelope is {"lower", "upper"}, without
/// "upper" if every bin is one sample; gaps are the bins that begin a segment. Channels of the base
/// have "base": true. With feet also "feet": [{"name", "frame", "measured", "state", "widen_s",
/// "wrench": [{"component", "envelope"}], "in_contact", "in_contact_unwidened"}], the last two only
/// of contacts without a sensor.
std::string traces_json(const Traces& traces);

}  // namespace heft
