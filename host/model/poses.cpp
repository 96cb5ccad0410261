#include "heft/model/poses.hpp"

namespace heft {

namespace {

/// Pose of a body in its parent.
Eigen::Isometry3d pose_in_parent(const Body& body, const Eigen::VectorXd& position) {
  const double coordinate = body.coordinate >= 0 && position.size() > 0 ? position[body.coordinate] : 0;
  const double moved = body.ratio * coordinate + body.offset;
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (body.type == JointType::revolute || body.type == JointType::helical)
    motion.linear() = Eigen::AngleAxisd(moved, body.axis).toRotationMatrix();
  if (body.type == JointType::prismatic) motion.translation() = moved * body.axis;
  if (body.type == JointType::helical) motion.translation() = body.pitch * moved * body.axis;
  return body.X_parent_body * motion;
}

}  // namespace

std::vector<Eigen::Isometry3d> body_poses(const Robot& robot, const Eigen::VectorXd& position) {
  std::vector<Eigen::Isometry3d> X_base_body;
  for (const Body& body : robot.bodies) {
    const Eigen::Isometry3d X_parent_body = pose_in_parent(body, position);
    X_base_body.push_back(body.parent < 0 ? X_parent_body : X_base_body[body.parent] * X_parent_body);
  }
  return X_base_body;
}

}  // namespace heft
