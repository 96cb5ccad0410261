// A known wrench on a link, next to the wrenches that sensors measure: a contact, a spring, a tool
// cable. Threads: a function without memory: any number of threads may call it.
#pragma once

#include <Eigen/Geometry>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Force [N], then torque [N m] about the origin of a frame, both in the axes of the frame.
using Wrench = Eigen::Matrix<double, 6, 1>;

/// A frame that moves with a body. The axes are free: a wrench in base axes needs the rotation of
/// body_poses.
struct LinkFrame {
  int body = 0;
  Eigen::Isometry3d X_body_frame = Eigen::Isometry3d::Identity();
};

/// Returns what the surroundings' wrench on a link adds to the torque of every channel, the row
///   -J' w,   J'w = sum over the channel's screws s inward of the frame of (us'f + ws'n),
/// the power that the wrench takes from each channel's unit rate [N m or N]. Geared, mimicking and
/// helical joints, floating bases and sensors have their screws in the plan's tables. FORMULAS 1.
/// `position`: one number a coordinate, [rad] or [m].
Eigen::VectorXd wrench_row(const RegressorPlan& plan, const LinkFrame& frame,
                           const Eigen::VectorXd& position, const Wrench& wrench);

}  // namespace heft
#pragma GCC visibility pop
