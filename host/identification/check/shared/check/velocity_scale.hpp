// How logged velocities compare with the derivatives of the positions.
#pragma once

#include <optional>

#include "heft/check/check.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the factor by which logged velocities are larger than positions and stamps say, median
/// of the joints that move; nothing where the log has no velocities, they are not derivatives of
/// the positions, or they were made of its positions and stamps. Errors: those of reading the log;
/// stopped().
Result<std::optional<double>> logged_velocity_scale(const Model& model, const Log& log,
                                                    const LogFormat& format,
                                                    const ConditioningOptions& conditioning);

}  // namespace heft
#pragma GCC visibility pop
