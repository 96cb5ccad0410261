// How predicted torques change if one body's frame in its parent is another, or its joint's zero:
// for several such changes of the same samples, of which only the bodies outward of each move
// differently.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <span>
#include <vector>

#include "heft/executor/executor.hpp"
#include "heft/model/regressor_plan.hpp"
#include "heft/model/samples.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct FrameChange {
  int body = 0;  ///< of Robot::bodies
  Eigen::Isometry3d X_parent_body = Eigen::Isometry3d::Identity();
  double shift = 0;  ///< added to its joint's position; of revolute joints alone
};

/// Whether a change can be computed here: for plans that evaluate their own rows, a body whose
/// coordinate, if its position is shifted, moves no other body and enters no extra column.
bool can_change(const RegressorPlan& plan, const FrameChange& change);

/// Returns the torques with each change minus those without, num_samples x num_channels. The rows
/// of the samples must not be filtered. Error: this processor does not have the instruction set.
Result<std::vector<Eigen::ArrayXXd>> torque_changes(const RegressorPlan& plan,
                                                    const Samples& samples,
                                                    const Eigen::VectorXd& parameters,
                                                    std::span<const FrameChange> changes,
                                                    InstructionSet set = InstructionSet::widest);

}  // namespace heft
#pragma GCC visibility pop
