#include "model/wrench_row.hpp"

#include "heft/core/motion.hpp"

namespace heft {

namespace {

struct PositionInput {
  const Eigen::VectorXd& values;
  double position(int k) const { return values[k]; }
};

/// A force and its torque about the origin of the current frame.
struct Load {
  Eigen::Vector3d force, torque;
};

/// Transforms from a frame at (R, p) to the reference frame of (R, p).
Load moved(const Eigen::Matrix3d& R, const Eigen::Vector3d& p, const Load& load) {
  const Eigen::Vector3d force = R * load.force;
  return {force, R * load.torque + p.cross(force)};
}

/// Transforms from the kernel frame of a body to its parent's.
Load to_parent(const core::BodyEntry& body, const PositionInput& in, const Load& load) {
  double sine = 0, cosine = 1;
  if (body.turn != 0) core::joint_angle<double>(body, in, sine, cosine);
  const auto pose = core::joint_pose<core::PoseKind::general, double>(body, in, sine, cosine);
  Eigen::Matrix3d R;
  R << pose.R.xx, pose.R.xy, pose.R.xz, pose.R.yx, pose.R.yy, pose.R.yz, pose.R.zx, pose.R.zy,
      pose.R.zz;
  return moved(R, {pose.p.x, pose.p.y, pose.p.z}, load);
}

}  // namespace

Eigen::VectorXd wrench_row(const RegressorPlan& plan, const LinkWrench& wrench,
                           const Eigen::VectorXd& position) {
  const PositionInput in{position};
  const Eigen::Isometry3d X_kernel_frame =
      plan.kernel_frames[static_cast<std::size_t>(wrench.body)].in_body.inverse() *
      wrench.X_body_frame;
  Load here =
      moved(X_kernel_frame.linear(), X_kernel_frame.translation(), {wrench.force, wrench.torque});
  Eigen::VectorXd row = Eigen::VectorXd::Zero(plan.num_channels());
  for (int b = wrench.body; b >= 0;) {
    const core::BodyEntry& body = plan.bodies[static_cast<std::size_t>(b)];
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const core::ScrewEntry& screw = plan.screws[static_cast<std::size_t>(s)];
      const Eigen::Map<const Eigen::Vector3d> angular(screw.angular), linear(screw.linear);
      row[plan.rows[static_cast<std::size_t>(body.first_row + screw.row)].channel] -=
          linear.dot(here.force) + angular.dot(here.torque);
    }
    here = to_parent(body, in, here);
    b = body.parent;
  }
  return row;
}

}  // namespace heft
