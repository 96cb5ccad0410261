// Duty cycles of motors with their supply voltage. A duty cycle u drives a motor by the voltage
// u V, so the torque of a drive that reports u follows u V, not u. With the motor's resistance R,
// constants k_t (torque) and k_e (back-EMF) and the gear ratio n,
//
//   u V = R / (k_t n) tau + k_e n qd,    u V / V_0 = (1 + g) (tau + b qd)
//
// The first factor is a gain, and the back-EMF is a part of viscous friction.
#pragma once

#include <string>
#include <vector>

#include "heft/log/log.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Column of the supply voltage.
struct SupplyVoltage {
  std::string column;  ///< [V]; empty: torques are not scaled
  double nominal = 0;  ///< V_0 > 0 [V], for which the torques are stated

  bool is_given() const { return !column.empty(); }
};

/// Returns the log with the torques of all joints multiplied by the voltage of their row over the
/// nominal one; they are missing where the voltage is missing or not positive. The digest is that
/// of the log. Errors of its sources: no such column, a column in another table than the torques,
/// those of find_log_columns.
Log with_supply_voltage(const Log& log, const SupplyVoltage& supply, const Robot& robot,
                        const std::vector<Channel>& channels, const ConditioningOptions& options);

}  // namespace heft
#pragma GCC visibility pop
