#include "nearly_parallel.hpp"

#include <Eigen/Geometry>
#include <cmath>

namespace heft::identifiability {

namespace {

constexpr double kRounding = 1e-12;    ///< [rad] below it axes are parallel
constexpr double kSmallAngle = 1e-3;   ///< [rad] from it on an angle is meant
constexpr double kClearly = 0.3;       ///< [rad] between axes that are clearly not parallel
constexpr std::size_t kMaxPairs = 16;  ///< two counts each

bool has_axis(const Body& body) {
  return body.type != JointType::rigid;
}

/// Turns the joint of a body so that its axis, now at `angle` from `other` (in the parent's frame), is at `wanted`.
Robot with_angle(Robot robot, int index, const Eigen::Vector3d& axis, const Eigen::Vector3d& other,
                 double angle, double wanted) {
  const Eigen::Vector3d normal = other.cross(axis).normalized();
  const double sign = other.dot(axis) < 0 ? -1 : 1;  // about antiparallel axes the angle grows the other way
  Body& body = robot.bodies[static_cast<std::size_t>(index)];
  body.X_parent_body.linear() =
      Eigen::AngleAxisd(sign * (wanted - angle), normal).toRotationMatrix() * body.X_parent_body.linear();
  return robot;
}

}  // namespace

std::vector<NearlyParallel> nearly_parallel(const Robot& robot,
                                            const std::function<int(const Robot&)>& count) {
  std::vector<NearlyParallel> found;
  for (int index = 0; index < robot.num_bodies() && found.size() < kMaxPairs; ++index) {
    const Body& body = robot.bodies[static_cast<std::size_t>(index)];
    if (!has_axis(body) || body.is_rotor) continue;
    const Eigen::Vector3d axis = body.X_parent_body.linear() * body.axis;
    Eigen::Vector3d other;
    std::string name = "gravity";
    if (body.parent >= 0) {
      const Body& parent = robot.bodies[static_cast<std::size_t>(body.parent)];
      if (!has_axis(parent)) continue;
      other = parent.axis;
      name = parent.joint;
    } else {
      if (robot.floating_base || robot.gravity.isZero(0)) continue;
      other = robot.gravity.normalized();
    }
    const double angle = std::atan2(axis.cross(other).norm(), std::abs(axis.dot(other)));
    if (!(angle > kRounding) || !(angle < kSmallAngle)) continue;
    const int if_parallel = count(with_angle(robot, index, axis, other, angle, 0));
    const int if_not = count(with_angle(robot, index, axis, other, angle, kClearly));
    if (if_parallel != if_not) found.push_back({body.joint, name, angle, if_parallel, if_not});
  }
  return found;
}

}  // namespace heft::identifiability
