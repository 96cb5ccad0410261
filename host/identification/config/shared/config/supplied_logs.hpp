// log.supply_voltage: torque columns in duty cycles, as if the motors had their nominal voltage.
#pragma once

#include <vector>

#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Returns the logs with torques scaled by log.supply_voltage, or unchanged without this option.
/// Errors: a voltage without log.nominal_voltage, or the other way round.
Result<std::vector<Log>> with_supply(const Configuration& configuration, const Robot& robot,
                                     const std::vector<Channel>& channels, std::vector<Log> logs);

}  // namespace heft::config
#pragma GCC visibility pop
