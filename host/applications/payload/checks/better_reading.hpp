// Logs that make no sense as they were told to be read, read in other ways: which option would
// explain them.
#pragma once

#include <functional>
#include <optional>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Samples of all logs with a sensor that reports otherwise.
using ReadAs = std::function<Result<WrenchSamples>(const SensorOptions& sensor)>;

/// The doubt `wrench-frame`, `orientation-transposed` or `gravity-axis` with the option to set, if
/// another frame of the wrench, an orientation that turns the other way, another axis of the world
/// that points up, or other columns of gravity leave less than a quarter of what is left of force
/// or torque now, and hardly anything, and less than a quarter of what the other sign of the wrench
/// leaves. `rotation`: by which the logs are oriented. Nothing if the log is explained well as it
/// was read.
std::optional<PayloadDoubt> better_reading(const WrenchSamples& samples,
                                           const PayloadOptions& options, LoggedRotation rotation,
                                           const ReadAs& read);

}  // namespace heft::payload
