#include "model/poses.hpp"

namespace heft {

namespace {

/// Pose of a body in its parent.
Eigen::Isometry3d pose_in_parent(const Body& body, const Eigen::VectorXd& position) {
  const double coordinate =
      body.coordinate >= 0 && position.size() > 0 ? position[body.coordinate] : 0;
  const double moved = body.ratio * coordinate + body.offset;
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (body.type == JointType::revolute || body.type == JointType::helical)
    motion.linear() = Eigen::AngleAxisd(moved, body.axis).toRotationMatrix();
  if (body.type == JointType::prismatic) motion.translation() = moved * body.axis;
  if (body.type == JointType::helical) motion.translation() = body.pitch * moved * body.axis;
  return body.X_parent_body * motion;
}

/// The motion seen from a frame that is fixed to this one at X: R' w, R' wd, R' (u + wd x p + w x
/// (w x p)).
BodyMotion carried(const BodyMotion& motion, const Eigen::Isometry3d& X) {
  const Eigen::Vector3d p = X.translation();
  const Eigen::Vector3d u = motion.u + motion.wd.cross(p) + motion.w.cross(motion.w.cross(p));
  const Eigen::Matrix3d R = X.linear();
  return {motion.X_base_body * X, R.transpose() * motion.w, R.transpose() * motion.wd,
          R.transpose() * u};
}

/// Adds the joint's own turn about its axis and slide along it.
void add_joint(const Body& body, const CoordinateMotion& state, BodyMotion& motion) {
  if (body.coordinate < 0 || body.type == JointType::rigid) return;
  const double rate = body.ratio * state.velocity[body.coordinate],
               change = body.ratio * state.acceleration[body.coordinate];
  const double turns = body.type == JointType::prismatic ? 0 : 1;
  const double slides = body.type == JointType::prismatic ? 1
                        : body.type == JointType::helical ? body.pitch
                                                          : 0;
  const Eigen::Vector3d turning = turns * rate * body.axis, sliding = slides * rate * body.axis;
  motion.u += 2 * motion.w.cross(sliding) + slides * change * body.axis;
  motion.wd += motion.w.cross(turning) + turns * change * body.axis;
  motion.w += turning;
}

}  // namespace

BodyMotion body_motion(const Robot& robot, int body, const Eigen::Isometry3d& X_body_frame,
                       const CoordinateMotion& state) {
  std::vector<int> chain;
  for (int b = body; b >= 0; b = robot.bodies[static_cast<std::size_t>(b)].parent)
    chain.push_back(b);
  BodyMotion motion{.u = -robot.gravity};
  if (robot.floating_base)
    motion = {Eigen::Isometry3d::Identity(), state.base_motion.head<3>(),
              state.base_motion.segment<3>(3), state.base_motion.tail<3>()};
  for (auto b = chain.rbegin(); b != chain.rend(); ++b) {
    const Body& link = robot.bodies[static_cast<std::size_t>(*b)];
    motion = carried(motion, pose_in_parent(link, state.position));
    add_joint(link, state, motion);
  }
  return carried(motion, X_body_frame);
}

std::vector<Eigen::Isometry3d> body_poses(const Robot& robot, const Eigen::VectorXd& position) {
  std::vector<Eigen::Isometry3d> X_base_body;
  for (const Body& body : robot.bodies) {
    const Eigen::Isometry3d X_parent_body = pose_in_parent(body, position);
    X_base_body.push_back(body.parent < 0 ? X_parent_body
                                          : X_base_body[body.parent] * X_parent_body);
  }
  return X_base_body;
}

}  // namespace heft
