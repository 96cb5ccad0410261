// Translates a Configuration into the options of the modules, which do not depend on it. Threads:
// stateless; safe to call from several threads.
#pragma once

#include "heft/config/configuration.hpp"
#include "heft/identify/identify.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Returns the options of read_robot. Links that carry sensors remain separate bodies.
RobotOptions robot_options(const Configuration& configuration);
/// Returns the options of make_model.
ModelOptions model_options(const Configuration& configuration);
/// Returns the options of make_setup.
SetupOptions setup_options(const Configuration& configuration);
/// Returns the options of estimate.
EstimationOptions estimation_options(const Configuration& configuration);
/// Returns the options of gather_training_data. The record is the configuration, including the
/// inertias of the model's loads, so that loads do not depend on the file from which the robot is
/// read next.
GatherOptions gather_options(const Configuration& configuration, const Model& model);

}  // namespace heft
#pragma GCC visibility pop
