// log.supply_voltage: scales torque columns that hold duty cycles to the nominal voltage.
#pragma once

#include <vector>

#include "heft/config/configuration.hpp"

#pragma GCC visibility push(default)
namespace heft::config {

/// Returns the logs with torques scaled by log.supply_voltage, or unchanged without this option.
/// Errors: log.supply_voltage without log.nominal_voltage, or the reverse.
Result<std::vector<Log>> at_nominal_voltage(const Configuration& configuration, const Robot& robot,
                                            const std::vector<Channel>& channels,
                                            std::vector<Log> logs);

}  // namespace heft::config
#pragma GCC visibility pop
