// log.device and log.torque_is: what they may be, and what they ask of the other options.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// What is wrong with a name of a device, with near misses; empty if nothing is.
std::string device_fault(const std::string& name);

/// What is wrong with a value of log.torque_is; empty if nothing is.
std::string torque_meaning_fault(const std::string& meaning);

/// What the torque columns hold, as given or as the device says; empty: unknown.
std::string torque_meaning(const Configuration& configuration);

/// Error where torques of this meaning cannot be used with the other options: a gain is missing,
/// gravity is not zero, or the robot's own motion was subtracted.
Result<Done> check_torque_meaning(const Configuration& configuration);

}  // namespace heft::config
#pragma GCC visibility pop
