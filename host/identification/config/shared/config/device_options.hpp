// Checks of log.device and log.torque_is, and their requirements on other options.
#pragma once

#include <string>

#include "heft/base/result.hpp"
#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Returns what is wrong with the name of a device, with near misses; empty if it is valid.
std::string device_fault(const std::string& name);

/// Returns what is wrong with a value of log.torque_is; empty if it is valid.
std::string torque_meaning_fault(const std::string& meaning);

/// Returns the quantity in the torque columns, as given or as defined by the device; empty:
/// unknown.
std::string torque_meaning(const Configuration& configuration);

/// Checks that torques of this meaning can be used with the other options. Errors: a missing gain,
/// nonzero gravity, or torques from which the robot's own motion was subtracted.
Result<Done> check_torque_meaning(const Configuration& configuration);

}  // namespace heft::config
#pragma GCC visibility pop
