#include "nearly_parallel.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace heft::identifiability {

namespace {

constexpr double kRounding = 1e-12;    ///< [rad] below it axes are parallel
constexpr double kSmallAngle = 1e-3;   ///< [rad] from it on an angle is meant
constexpr double kCouldBeSmall = 0.1;  ///< [rad] below it products of several angles may drop below
                                       ///< a tolerance
constexpr double kClearly = 0.3;       ///< [rad] between axes that are clearly not parallel
constexpr std::size_t kMaxPairs = 16;  ///< two counts each

bool has_axis(const Body& body) {
  return body.type != JointType::rigid;
}

/// Turns the joint of a body so that its axis, now at `angle` from `other` (in the parent's frame),
/// is at `wanted`.
Robot with_angle(Robot robot, int index, const Eigen::Vector3d& axis, const Eigen::Vector3d& other,
                 double angle, double wanted) {
  const Eigen::Vector3d normal = other.cross(axis).normalized();
  const double sign = other.dot(axis) < 0 ? -1 : 1;  // about antiparallel axes the angle grows the
                                                     // other way
  Body& body = robot.bodies[static_cast<std::size_t>(index)];
  body.X_parent_body.linear() =
      Eigen::AngleAxisd(sign * (wanted - angle), normal).toRotationMatrix() *
      body.X_parent_body.linear();
  return robot;
}

/// A joint's axis in its parent's frame, and its reference: the parent's axis or gravity.
struct AxisPair {
  Eigen::Vector3d axis, other;
  std::string name;
  double angle = 0;
};

std::optional<AxisPair> axis_pair(const Robot& robot, int index) {
  const Body& body = robot.bodies[static_cast<std::size_t>(index)];
  if (!has_axis(body) || body.is_rotor) return {};
  AxisPair pair{body.X_parent_body.linear() * body.axis, {}, "gravity"};
  if (body.parent >= 0) {
    const Body& parent = robot.bodies[static_cast<std::size_t>(body.parent)];
    if (!has_axis(parent)) return {};
    pair.other = parent.axis;
    pair.name = parent.joint;
  } else {
    if (robot.floating_base || robot.gravity.isZero(0)) return {};
    pair.other = robot.gravity.normalized();
  }
  pair.angle = std::atan2(pair.axis.cross(pair.other).norm(), std::abs(pair.axis.dot(pair.other)));
  return pair;
}

}  // namespace

std::vector<NearlyParallel> nearly_parallel(const Robot& robot,
                                            const std::function<int(const Robot&)>& count) {
  std::vector<NearlyParallel> found;
  for (int index = 0; index < robot.num_bodies() && found.size() < kMaxPairs; ++index) {
    const std::optional<AxisPair> pair = axis_pair(robot, index);
    if (!pair || !(pair->angle > kRounding) || !(pair->angle < kSmallAngle)) continue;
    const auto count_at = [&](double wanted) {
      return count(with_angle(robot, index, pair->axis, pair->other, pair->angle, wanted));
    };
    const int if_parallel = count_at(0), if_not = count_at(kClearly);
    if (if_parallel != if_not)
      found.push_back({robot.bodies[static_cast<std::size_t>(index)].joint, pair->name, pair->angle,
                       if_parallel, if_not});
  }
  return found;
}

std::optional<Robot> with_clear_angles(const Robot& robot) {
  std::vector<std::pair<int, AxisPair>> small;
  double largest = 0;
  for (int index = 0; index < robot.num_bodies(); ++index)
    if (auto pair = axis_pair(robot, index);
        pair && pair->angle > kRounding && pair->angle < kCouldBeSmall) {
      largest = std::max(largest, pair->angle);
      small.emplace_back(index, *std::move(pair));
    }
  if (small.empty()) return {};
  Robot cleared = robot;
  for (const auto& [index, pair] : small)
    cleared = with_angle(std::move(cleared), index, pair.axis, pair.other, pair.angle,
                         pair.angle * kClearly / largest);
  return cleared;
}

}  // namespace heft::identifiability
