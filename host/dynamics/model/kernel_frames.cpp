#include "kernel_frames.hpp"

#include <cmath>
#include <utility>

#include "axis_frame.hpp"

namespace heft {

namespace {

using core::PoseKind;

/// Smaller entries of a rotation are rounding.
constexpr double kRounding = 1e-15;

/// The body's own frame turned so that z is the joint axis.
Eigen::Matrix3d frame_on_axis(const Body& body) {
  if (body.type == JointType::rigid) return Eigen::Matrix3d::Identity();
  return rotation_onto(body.axis);
}

/// For every body, the child with the most descendants, preferably a revolute one; -1 if it has
/// none.
std::vector<int> largest_branches(const Robot& robot) {
  std::vector<int> largest(robot.bodies.size(), -1), size(robot.bodies.size(), 1);
  const auto rank = [&](int b) {
    return std::pair(robot.bodies[b].type == JointType::revolute, size[b]);
  };
  for (int b = robot.num_bodies() - 1; b >= 0; --b) {
    const int parent = robot.bodies[b].parent;
    if (parent < 0) continue;
    size[parent] += size[b];
    if (largest[parent] < 0 || rank(b) >= rank(largest[parent])) largest[parent] = b;
  }
  return largest;
}

/// Rz(a) of R = Rz(a) Rx(twist) Rz(b) with sin(twist) >= 0; 1 where the twist leaves it open.
/// Without an arc tangent, so that every C library gives the same frames.
Eigen::Matrix3d turn_before_twist(const Eigen::Matrix3d& R) {
  Eigen::Matrix3d turn = Eigen::Matrix3d::Identity();
  const double sine_of_twist = std::sqrt(R(0, 2) * R(0, 2) + R(1, 2) * R(1, 2));
  if (sine_of_twist <= kRounding) return turn;
  const double cosine = -R(1, 2) / sine_of_twist, sine = R(0, 2) / sine_of_twist;
  turn.topLeftCorner<2, 2>() << cosine, -sine, sine, cosine;
  return turn;
}

/// Splits R = Rx(twist) Rz(angle), if it is such a product, into in_parent and angle.
void split_twist(KernelFrame& frame) {
  const Eigen::Matrix3d R = frame.in_parent.linear();
  if (std::abs(R(0, 2)) > kRounding) return;
  double sine = -R(1, 2), cosine = R(2, 2);
  frame.pose = PoseKind::twist;
  if (std::abs(cosine) <= kRounding && sine > 0)
    frame.pose = PoseKind::perpendicular, sine = 1, cosine = 0;
  if (std::abs(sine) <= kRounding && cosine > 0)
    frame.pose = PoseKind::parallel, sine = 0, cosine = 1;
  frame.angle = std::atan2(-R(0, 1), R(0, 0));
  frame.in_parent.linear() << 1, 0, 0, 0, cosine, -sine, 0, sine, cosine;
}

}  // namespace

std::vector<KernelFrame> kernel_frames(const Robot& robot) {
  const std::vector<int> largest = largest_branches(robot);
  std::vector<KernelFrame> frames;
  for (int b = 0; b < robot.num_bodies(); ++b) {
    const Body& body = robot.bodies[b];
    KernelFrame frame{Eigen::Isometry3d::Identity(), Eigen::Isometry3d::Identity(), 0,
                      PoseKind::general};
    frame.in_body.linear() = frame_on_axis(body);
    if (body.type != JointType::rigid && largest[b] >= 0) {
      const Body& next = robot.bodies[largest[b]];
      const Eigen::Matrix3d R =
          frame.in_body.linear().transpose() * next.X_parent_body.linear() * frame_on_axis(next);
      frame.in_body.linear() *= turn_before_twist(R);
    }
    frame.in_parent = body.X_parent_body * frame.in_body;
    if (body.parent >= 0) frame.in_parent = frames[body.parent].in_body.inverse() * frame.in_parent;
    if (body.type == JointType::revolute) split_twist(frame);
    frames.push_back(frame);
  }
  return frames;
}

}  // namespace heft
