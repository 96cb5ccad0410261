#include "mirror_symmetry.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <utility>
#include <vector>

namespace heft::check {

namespace {

const Eigen::Matrix3d kMirror = Eigen::Vector3d(1, -1, 1).asDiagonal();

bool is_letter(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at]));
}

const JointFacts* joint_above(const RobotFacts& robot, const LinkFacts& link) {
  const auto at =
      std::find_if(robot.joints.begin(), robot.joints.end(),
                   [&](const JointFacts& joint) { return joint.name == link.joint_above; });
  return at == robot.joints.end() ? nullptr : &*at;
}

constexpr double kNearby = 1e-3;  // m

// returns the link, its parent, and so on up to the root
std::vector<const LinkFacts*> way_to_root(const RobotFacts& robot, const LinkFacts& link) {
  std::vector<const LinkFacts*> way = {&link};
  while (way.size() <= robot.links.size()) {
    const JointFacts* joint = joint_above(robot, *way.back());
    const LinkFacts* carrier = joint ? robot.link(joint->parent) : nullptr;
    if (!carrier) break;
    way.push_back(carrier);
  }
  return way;
}

// Equally far from a point of the plane of symmetry, and apart along one axis of the frame.
bool are_mirrored(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  constexpr double kAlong = 0.999;
  const double slack = 2 * kNearby + 0.01 * a.norm();
  return (a - b).cwiseAbs().maxCoeff() > kAlong * (a - b).norm() &&
         std::abs(a.norm() - b.norm()) <= slack;
}

// True if the branches that hold the two links leave the link that carries both at places that
// mirror each other, in its axes or in the root's. Further out frames and zero poses may differ;
// only the lengths are those of a mirror image.
bool are_on_opposite_sides(const RobotFacts& robot, const LinkFacts& left, const LinkFacts& right) {
  std::vector<const LinkFacts*> left_way = way_to_root(robot, left),
                                right_way = way_to_root(robot, right);
  const LinkFacts* carrier = nullptr;
  while (!left_way.empty() && !right_way.empty() && left_way.back() == right_way.back()) {
    carrier = left_way.back();
    left_way.pop_back();
    right_way.pop_back();
  }
  if (!carrier || left_way.empty() || left_way.size() != right_way.size()) return false;
  bool is_apart = false;
  const LinkFacts *left_from = carrier, *right_from = carrier;
  for (std::size_t k = left_way.size(); k-- > 0;) {
    const LinkFacts &a = *left_way[k], &b = *right_way[k];
    const auto step = [](const LinkFacts& from, const LinkFacts& to) -> Eigen::Vector3d {
      return from.X_root_link.linear().transpose() *
             (to.X_root_link.translation() - from.X_root_link.translation());
    };
    const double left_step = step(*left_from, a).norm(), right_step = step(*right_from, b).norm();
    if (std::abs(left_step - right_step) > 2 * kNearby + 0.05 * std::max(left_step, right_step))
      return false;
    left_from = &a;
    right_from = &b;
    const Eigen::Vector3d &left_place = a.X_root_link.translation(),
                          &right_place = b.X_root_link.translation();
    if (is_apart || (left_place - right_place).norm() <= kNearby) continue;
    is_apart = true;
    if (!are_mirrored(left_place, right_place) &&
        !are_mirrored(step(*carrier, a), step(*carrier, b)))
      return false;
  }
  return is_apart;
}

bool has_inertia(const LinkFacts& link) {
  return link.has_mass && link.has_tensor && link.mass > 0;
}

}  // namespace

const LinkFacts* right_of(const RobotFacts& robot, const LinkFacts& left) {
  // short words count only where no other letters touch them
  static const std::pair<std::string, std::string> kSides[] = {
      {"left", "right"}, {"Left", "Right"}, {"LEFT", "RIGHT"}, {"l", "r"},   {"L", "R"},
      {"lf", "rf"},      {"lh", "rh"},      {"LF", "RF"},      {"LH", "RH"}, {"fl", "fr"},
      {"hl", "hr"},      {"rl", "rr"},      {"FL", "FR"},      {"HL", "HR"}, {"RL", "RR"}};
  if (!has_inertia(left)) return nullptr;
  for (const auto& [from, to] : kSides)
    for (std::size_t at = left.name.find(from); at != std::string::npos;
         at = left.name.find(from, at + 1)) {
      const bool touched =
          (at > 0 && is_letter(left.name, at - 1)) || is_letter(left.name, at + from.size());
      if (touched && from.size() < 4) continue;
      std::string name = left.name;
      const LinkFacts* right = robot.link(name.replace(at, from.size(), to));
      if (right && has_inertia(*right) && are_on_opposite_sides(robot, left, *right)) return right;
    }
  return nullptr;
}

bool is_mirrored(const RobotFacts& robot, const LinkFacts& left, const LinkFacts& right) {
  constexpr double kNear = 1e-3;  // m, or of a unit vector
  const auto same = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return (kMirror * a - b).norm() <= kNear;
  };
  const JointFacts *left_joint = joint_above(robot, left), *right_joint = joint_above(robot, right);
  if (!left_joint || !right_joint || left.joints_below.size() != right.joints_below.size())
    return false;
  if (!same(left.X_root_link.translation(), right.X_root_link.translation())) return false;

  const Eigen::Vector3d left_axis = left.X_root_link.linear() * left_joint->axis.stableNormalized();
  const Eigen::Vector3d right_axis =
      right.X_root_link.linear() * right_joint->axis.stableNormalized();
  if (!same(left_axis, right_axis) && !same(left_axis, -right_axis)) return false;
  bool orientation_fixed = false;
  for (std::size_t k = 0; k < left.joints_below.size(); ++k) {
    const Eigen::Vector3d below = left.X_root_link.linear() * left.joints_below[k];
    if (!same(below, right.X_root_link.linear() * right.joints_below[k])) return false;
    orientation_fixed = orientation_fixed || below.cross(left_axis).norm() > 0.01;
  }
  return orientation_fixed;
}

Eigen::Vector3d com_in_root(const LinkFacts& link) {
  return link.X_root_link.linear() * link.com();
}

Eigen::Matrix3d tensor_in_root(const LinkFacts& link) {
  const Eigen::Matrix3d R = link.X_root_link.linear() * link.X_link_inertial.linear();
  return R * link.tensor * R.transpose();
}

Eigen::Vector3d mirrored_com(const LinkFacts& link) {
  return kMirror * com_in_root(link);
}

Eigen::Matrix3d mirrored_tensor(const LinkFacts& link) {
  return kMirror * tensor_in_root(link) * kMirror;
}

}  // namespace heft::check
