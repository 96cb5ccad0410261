#include "model/wrench_row.hpp"

#include "heft/core/motion.hpp"

namespace heft {

namespace {

struct PositionInput {
  const Eigen::VectorXd& values;
  double position(int k) const { return values[k]; }
};

/// Pose of the kernel frame of a body in its parent's.
Eigen::Isometry3d pose_in_parent(const core::BodyEntry& body, const PositionInput& in) {
  double sine = 0, cosine = 1;
  if (body.turn != 0) core::joint_angle<double>(body, in, sine, cosine);
  const auto pose = core::joint_pose<core::PoseKind::general, double>(body, in, sine, cosine);
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() << pose.R.xx, pose.R.xy, pose.R.xz, pose.R.yx, pose.R.yy, pose.R.yz, pose.R.zx,
      pose.R.zy, pose.R.zz;
  X.translation() << pose.p.x, pose.p.y, pose.p.z;
  return X;
}

/// Adds a body's own screws, with the frame at X in its kernel frame.
void add_screws(const RegressorPlan& plan, const core::BodyEntry& body, const Eigen::Isometry3d& X,
                Eigen::MatrixXd& rows) {
  for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
    const core::ScrewEntry& screw = plan.screws[static_cast<std::size_t>(s)];
    const Eigen::Map<const Eigen::Vector3d> angular(screw.angular), linear(screw.linear);
    const int channel = plan.rows[static_cast<std::size_t>(body.first_row + screw.row)].channel;
    const Eigen::Vector3d speed = linear + angular.cross(X.translation());
    rows.row(channel).head<3>() += (X.linear().transpose() * speed).transpose();
    rows.row(channel).tail<3>() += (X.linear().transpose() * angular).transpose();
  }
}

}  // namespace

void put_frame_rows(const RegressorPlan& plan, int body, const Eigen::Isometry3d& X_body_frame,
                    const Eigen::VectorXd& position, FrameRows& result) {
  const PositionInput in{position};
  result.J_transposed.setZero(plan.num_channels(), 6);
  Eigen::Isometry3d& X = result.X_base_frame;
  X = plan.kernel_frames[static_cast<std::size_t>(body)].in_body.inverse() * X_body_frame;
  for (int b = body; b >= 0;) {
    const core::BodyEntry& entry = plan.bodies[static_cast<std::size_t>(b)];
    add_screws(plan, entry, X, result.J_transposed);
    X = pose_in_parent(entry, in) * X;
    b = entry.parent;
  }
}

FrameRows frame_rows(const RegressorPlan& plan, int body, const Eigen::Isometry3d& X_body_frame,
                     const Eigen::VectorXd& position) {
  FrameRows result;
  put_frame_rows(plan, body, X_body_frame, position, result);
  return result;
}

Eigen::VectorXd wrench_row(const RegressorPlan& plan, const LinkWrench& wrench,
                           const Eigen::VectorXd& position) {
  const FrameRows frame = frame_rows(plan, wrench.body, wrench.X_body_frame, position);
  return -frame.J_transposed.leftCols<3>() * wrench.force -
         frame.J_transposed.rightCols<3>() * wrench.torque;
}

}  // namespace heft
