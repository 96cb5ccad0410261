// Comparison of logged velocities with derivatives of the positions.
#pragma once

#include <optional>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the ratio of logged velocities to derivatives of positions by stamps, the median over
/// moving joints. Empty if the log has no velocities, if they are not derivatives of the positions,
/// or if they were computed from its positions and stamps. Errors: those of reading the log;
/// stopped().
Result<std::optional<double>> logged_velocity_scale(const Model& model, const Log& log,
                                                    const LogFormat& format,
                                                    const ConditioningOptions& conditioning);

}  // namespace heft
#pragma GCC visibility pop
