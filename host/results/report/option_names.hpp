// Names of options in remedies, as in a configuration.
#pragma once

namespace heft::option_names {

inline constexpr const char* kBoundingMargin = "estimation.bounding_margin";
inline constexpr const char* kPriorWeight = "estimation.prior_weight";
inline constexpr const char* kTotalMass = "estimation.total_mass";
inline constexpr const char* kVelocity = "conditioning.velocity";

}  // namespace heft::option_names
