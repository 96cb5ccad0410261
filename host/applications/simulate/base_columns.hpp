// Columns that a log of a floating base has in addition to its joints: IMU, poses, wrenches and
// flags of contacts, with the errors of their sensors.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "simulate/floating_motion.hpp"

namespace heft {

struct NamedColumn {
  std::string name;
  Eigen::ArrayXd values;
};

/// Returns the columns that the configuration names; with contacts by threshold, also those of
/// their forces. Errors: a frame of the base that does not exist; poses without names or order; a
/// column that is named for two quantities.
Result<std::vector<NamedColumn>> base_columns(const SimulatedTruth& truth,
                                              const SimulateOptions& options,
                                              const std::vector<SimulatedFoot>& feet,
                                              const FloatingMotion& motion);

}  // namespace heft
