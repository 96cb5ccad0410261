#include "mirror.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace heft::check {

namespace {

const Eigen::Matrix3d kMirror = Eigen::Vector3d(1, -1, 1).asDiagonal();

bool is_letter(const std::string& text, std::size_t at) {
  return at < text.size() && std::isalpha(static_cast<unsigned char>(text[at]));
}

const JointFacts* joint_above(const RobotFacts& robot, const LinkFacts& link) {
  const auto at = std::find_if(robot.joints.begin(), robot.joints.end(),
                               [&](const JointFacts& joint) { return joint.name == link.joint_above; });
  return at == robot.joints.end() ? nullptr : &*at;
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
    for (std::size_t at = left.name.find(from); at != std::string::npos; at = left.name.find(from, at + 1)) {
      const bool touched = (at > 0 && is_letter(left.name, at - 1)) || is_letter(left.name, at + from.size());
      if (touched && from.size() < 4) continue;
      std::string name = left.name;
      const LinkFacts* right = robot.link(name.replace(at, from.size(), to));
      if (right && has_inertia(*right)) return right;
    }
  return nullptr;
}

bool is_mirrored(const RobotFacts& robot, const LinkFacts& left, const LinkFacts& right) {
  constexpr double kNear = 1e-3;  // m, or of a unit vector
  const auto same = [&](const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
    return (kMirror * a - b).norm() <= kNear;
  };
  const JointFacts *left_joint = joint_above(robot, left), *right_joint = joint_above(robot, right);
  if (!left_joint || !right_joint || left.joints_below.size() != right.joints_below.size()) return false;
  if (!same(left.X_root_link.translation(), right.X_root_link.translation())) return false;

  const Eigen::Vector3d left_axis = left.X_root_link.linear() * left_joint->axis.stableNormalized();
  const Eigen::Vector3d right_axis = right.X_root_link.linear() * right_joint->axis.stableNormalized();
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
