// Logs that make no sense as they were told to be read, read in other ways: which option would explain them.
#pragma once

#include <functional>
#include <optional>

#include "heft/payload/payload.hpp"

namespace heft::payload {

/// Samples of all logs with a sensor that reports otherwise.
using ReadAs = std::function<Result<WrenchSamples>(const SensorOptions& sensor)>;

/// The doubt `wrench-frame` or `gravity-axis` with the option to set, if another frame of the wrench, another axis of the world that points
/// up, or other columns of gravity leave less than a quarter of what is left of force or
/// torque now, and hardly anything. Nothing if the log is explained well as it was read.
std::optional<PayloadDoubt> better_reading(const WrenchSamples& samples, const PayloadOptions& options,
                                           const ReadAs& read);

}  // namespace heft::payload
