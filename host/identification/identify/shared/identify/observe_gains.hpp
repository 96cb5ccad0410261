// Identifiability of the gains of drives before any log exists: without and with a weighed load.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Identifiability of the gain of one joint.
struct ObservableGain {
  std::string joint;
  bool alone = false;  ///< whether logs without a known load determine it
  /// Links on which a weighed load in some of the logs makes the gain identifiable.
  std::vector<std::string> with_load_on;
  /// Joints whose ratio of (1 + g) to that of this joint is identifiable without a load.
  std::vector<std::string> ratio_to;
};

/// Returns which gains logs of many random motions of all joints determine, with unknown gains,
/// viscous and Coulomb friction and offsets of all joints. Bodies have the inertias of the robot
/// file. Errors: those of make_model and of the CPU backend.
Result<std::vector<ObservableGain>> observe_gains(const Robot& robot);

}  // namespace heft
#pragma GCC visibility pop
