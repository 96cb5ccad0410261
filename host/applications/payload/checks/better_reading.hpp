// Tests whether another interpretation of the columns explains inconsistent logs, and which option
// selects it.
#pragma once

#include <functional>
#include <optional>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Samples of all logs under another sensor option.
using ReadAs = std::function<Result<WrenchSamples>(const SensorOptions& sensor)>;

/// Returns the doubt `wrench-frame`, `orientation-transposed` or `gravity-axis` with the option to
/// set, if another frame of the wrench, the inverse orientation, another vertical axis or other
/// columns of gravity leave a small residual of force or torque: less than a quarter of the current
/// one, and less than a quarter of that with the opposite sign of the wrench. `rotation`:
/// orientation used by the logs. Empty if the current interpretation explains the log well.
std::optional<PayloadDoubt> better_reading(const WrenchSamples& samples,
                                           const PayloadOptions& options, LoggedRotation rotation,
                                           const ReadAs& read);

}  // namespace heft::payload
