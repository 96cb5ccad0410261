// Effects of real drives on a simulated log: friction that falls as the robot warms up, play
// between encoder and joint, a low-pass on the logged torque. Joints only: sensors have none.
#pragma once

#include <Eigen/Core>

#include "heft/simulate/simulate.hpp"

namespace heft {

/// Applies the effects of the options to the positions of `samples` and to `torque`, rows x
/// channels, without noise. Errors: those of the backend.
Result<Done> add_drive_effects(const SimulatedTruth& truth, const SimulateOptions& options,
                               Samples& samples, Eigen::ArrayXXd& torque);

}  // namespace heft
