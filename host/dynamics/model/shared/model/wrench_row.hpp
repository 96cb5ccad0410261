// A known wrench on a link, next to the wrenches that sensors measure: a contact, a spring, a tool
// cable. Threads: stateless; safe to call from several threads.
#pragma once

#include <Eigen/Geometry>

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A wrench of the surroundings on a link, at a frame that moves with its body. The axes are the
/// frame's: a wrench in base axes needs the rotation of body_poses.
struct LinkWrench {
  int body = 0;
  Eigen::Isometry3d X_body_frame = Eigen::Isometry3d::Identity();
  Eigen::Vector3d force = Eigen::Vector3d::Zero();   ///< [N]
  Eigen::Vector3d torque = Eigen::Vector3d::Zero();  ///< about the frame's origin [N m]
};

/// What the channels feel at a frame on a body.
struct FrameRows {
  /// J', num_channels x 6: the row of a wrench in the frame's axes and about its origin (force,
  /// then torque) is -J' times it.
  Eigen::MatrixXd J_transposed;
  Eigen::Isometry3d X_base_frame = Eigen::Isometry3d::Identity();  ///< pose of the frame in the
                                                                   ///< base
};

/// Returns the rows of a frame at `X_body_frame` of a body. Each screw (w, u) of a channel inward
/// of the body, with the frame at (R, p) in the screw's axes, contributes
///   force: R'(u + w x p),   torque: R'w
/// `position`: one number per coordinate, [rad] or [m].
FrameRows frame_rows(const RegressorPlan& plan, int body, const Eigen::Isometry3d& X_body_frame,
                     const Eigen::VectorXd& position);

/// Does the same in the memory of `result`, for calls sample after sample.
void put_frame_rows(const RegressorPlan& plan, int body, const Eigen::Isometry3d& X_body_frame,
                    const Eigen::VectorXd& position, FrameRows& result);

/// Returns what a known wrench adds to the torque of every channel, the row
///   -J' w,   J'w = sum over the channel's screws s inward of the frame of (us'f + ws'n),
/// the power that the wrench takes from each channel's unit rate [N m or N]. Geared, mimicking and
/// helical joints, floating bases and sensors have their screws in the plan's tables. FORMULAS 1.
/// `position`: one number a coordinate, [rad] or [m].
Eigen::VectorXd wrench_row(const RegressorPlan& plan, const LinkWrench& wrench,
                           const Eigen::VectorXd& position);

}  // namespace heft
#pragma GCC visibility pop
