#include "model/wrench_row.hpp"

#include "heft/core/motion.hpp"

namespace heft {

namespace {

struct PositionInput {
  const Eigen::VectorXd& values;
  double position(int k) const { return values[k]; }
};

/// A wrench about the origin of a frame at X, about the origin of the frame that X is given in.
Wrench moved(const Eigen::Matrix3d& R, const Eigen::Vector3d& p, const Wrench& wrench) {
  Wrench result;
  result.head<3>() = R * wrench.head<3>();
  result.tail<3>() = R * wrench.tail<3>() + p.cross(result.head<3>());
  return result;
}

/// From the kernel frame of a body to its parent's.
Wrench to_parent(const core::BodyEntry& body, const PositionInput& in, const Wrench& wrench) {
  double sine = 0, cosine = 1;
  if (body.turn != 0) core::joint_angle<double>(body, in, sine, cosine);
  const auto pose = core::joint_pose<core::PoseKind::general, double>(body, in, sine, cosine);
  Eigen::Matrix3d R;
  R << pose.R.xx, pose.R.xy, pose.R.xz, pose.R.yx, pose.R.yy, pose.R.yz, pose.R.zx, pose.R.zy,
      pose.R.zz;
  return moved(R, {pose.p.x, pose.p.y, pose.p.z}, wrench);
}

}  // namespace

Eigen::VectorXd wrench_row(const RegressorPlan& plan, const LinkFrame& frame,
                           const Eigen::VectorXd& position, const Wrench& wrench) {
  const PositionInput in{position};
  const Eigen::Isometry3d X_kernel_frame =
      plan.kernel_frames[static_cast<std::size_t>(frame.body)].in_body.inverse() *
      frame.X_body_frame;
  Wrench here = moved(X_kernel_frame.linear(), X_kernel_frame.translation(), wrench);
  Eigen::VectorXd row = Eigen::VectorXd::Zero(plan.num_channels());
  for (int b = frame.body; b >= 0;) {
    const core::BodyEntry& body = plan.bodies[static_cast<std::size_t>(b)];
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const core::ScrewEntry& screw = plan.screws[static_cast<std::size_t>(s)];
      const Eigen::Map<const Eigen::Vector3d> angular(screw.angular), linear(screw.linear);
      row[plan.rows[static_cast<std::size_t>(body.first_row + screw.row)].channel] -=
          linear.dot(here.head<3>()) + angular.dot(here.tail<3>());
    }
    here = to_parent(body, in, here);
    b = body.parent;
  }
  return row;
}

}  // namespace heft
