#include "config/nominal_voltage.hpp"

#include "conditioning/supply_voltage.hpp"

namespace heft::config {

Result<std::vector<Log>> at_nominal_voltage(const Configuration& configuration, const Robot& robot,
                                            const std::vector<Channel>& channels,
                                            std::vector<Log> logs) {
  const SupplyVoltage supply{configuration.supply_voltage, configuration.nominal_voltage};
  if (supply.is_given() && !(supply.nominal > 0))
    return Error{
        "log.nominal_voltage", "is required with log.supply_voltage",
        "give the voltage for which log.torque_scale is stated: log: {nominal_voltage: 24}"};
  if (!supply.is_given() && supply.nominal > 0)
    return Error{"log.supply_voltage", "is required with log.nominal_voltage",
                 "name the column with the voltage, or remove log.nominal_voltage"};
  if (supply.is_given())
    for (Log& log : logs)
      log = with_supply_voltage(log, supply, robot, channels, configuration.conditioning);
  return logs;
}

}  // namespace heft::config
