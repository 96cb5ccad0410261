// Translates a Configuration into the options of the modules, none of which sees all of it.
// Threads: plain values and functions without memory.
#pragma once

#include "heft/config/configuration.hpp"
#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The links that sensors carry stay bodies of their own.
RobotOptions robot_options(const Configuration& configuration);
ModelOptions model_options(const Configuration& configuration);
SetupOptions setup_options(const Configuration& configuration);
EstimationOptions estimation_options(const Configuration& configuration);
/// With the configuration as the record, and in it the inertias that the model's loads are computed
/// with, so that these do not depend on the file that the robot is read from next.
GatherOptions gather_options(const Configuration& configuration, const Model& model);

}  // namespace heft
#pragma GCC visibility pop
