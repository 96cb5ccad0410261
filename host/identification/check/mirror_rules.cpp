// Rules about left-right symmetry: reported once per pair, at the left link.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "mirror_symmetry.hpp"
#include "rules.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

constexpr double kMassShare = 0.02, kMomentShare = 0.1, kComShare = 0.1;
constexpr double kMinLength = 2e-3;  // m

// rounding of decimals: a gram, and less for robots below ten kilograms
double least_mass(const RobotFacts& robot) {
  return std::min(1e-3, 1e-4 * robot.total_mass);
}

// independent of the frame: largest relative difference of the principal moments
double moment_difference(const LinkFacts& left, const LinkFacts& right) {
  const Eigen::Vector3d a = principal_moments(left.tensor), b = principal_moments(right.tensor);
  return (a - b).cwiseAbs().maxCoeff() / std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
}

bool same_distance(const LinkFacts& left, const LinkFacts& right) {
  const double a = left.com().norm(), b = right.com().norm();
  return std::abs(a - b) <= kComShare * std::max(a, b) + kMinLength;
}

// how far the joints below are from the frame: differs where the two frames were chosen differently
bool same_frames(const LinkFacts& left, const LinkFacts& right) {
  if (left.joints_below.empty() || left.joints_below.size() != right.joints_below.size())
    return false;
  for (std::size_t k = 0; k < left.joints_below.size(); ++k)
    if (std::abs(left.joints_below[k].norm() - right.joints_below[k].norm()) > kMinLength)
      return false;
  return true;
}

std::string vector_text(const Eigen::Vector3d& v) {
  return fmt::format("({:.3g}, {:.3g}, {:.3g})", v.x(), v.y(), v.z());
}

const char* const kRemedy =
    "mirror the numbers of one side; fine if the two sides carry different parts";

}  // namespace

MaybeEvidence mirror_mass(const RobotFacts& robot, const LinkFacts& left) {
  const LinkFacts* right = right_of(robot, left);
  if (!right) return {};
  const double difference = std::abs(left.mass - right->mass);
  if (!(difference > kMassShare * std::max(left.mass, right->mass) + least_mass(robot))) return {};
  return Evidence{fmt::format("{:.4g} kg, but its mirror image '{}' has {:.4g} kg", left.mass,
                              right->name, right->mass),
                  difference, "kg", kRemedy, left.where_mass};
}

MaybeEvidence mirror_com(const RobotFacts& robot, const LinkFacts& left) {
  const LinkFacts* right = right_of(robot, left);
  if (!right || !same_frames(left, *right) || same_distance(left, *right)) return {};
  return Evidence{
      fmt::format("center of mass {:.3g} m from the origin, but that of its mirror image '{}' is "
                  "{:.3g} m",
                  left.com().norm(), right->name, right->com().norm()),
      std::abs(left.com().norm() - right->com().norm()), "m", kRemedy, left.where_com};
}

MaybeEvidence mirror_com_side(const RobotFacts& robot, const LinkFacts& left) {
  const LinkFacts* right = right_of(robot, left);
  if (!right || !same_distance(left, *right) || !is_mirrored(robot, left, *right)) return {};
  const double miss = (mirrored_com(left) - com_in_root(*right)).norm();
  if (!(miss > 2 * kComShare * left.com().norm() + 2 * kMinLength)) return {};
  return Evidence{
      fmt::format("center of mass {} m mirrors to {} m in '{}', which has {} m (root's axes)",
                  vector_text(com_in_root(left)), vector_text(mirrored_com(left)), right->name,
                  vector_text(com_in_root(*right))),
      miss, "m",
      fmt::format("check the signs of {}; fine if both sides carry the same part",
                  robot.terms.origin),
      left.where_com};
}

MaybeEvidence mirror_moments(const RobotFacts& robot, const LinkFacts& left) {
  const LinkFacts* right = right_of(robot, left);
  if (!right) return {};
  const double difference = moment_difference(left, *right);
  const double finest =
      std::max(left.rounding, right->rounding) + std::min(1e-7, 1e-6 * robot.total_mass);
  if (!(difference > kMomentShare) || left.tensor.isApprox(right->tensor, 1e-9)) return {};
  if ((principal_moments(left.tensor) - principal_moments(right->tensor)).cwiseAbs().maxCoeff() <
      4 * finest)
    return {};
  return Evidence{fmt::format("principal moments {} kg m^2, but those of its mirror image '{}' {}",
                              vector_text(principal_moments(left.tensor)), right->name,
                              vector_text(principal_moments(right->tensor))),
                  difference, "1", kRemedy, left.where_tensor};
}

MaybeEvidence mirror_products(const RobotFacts& robot, const LinkFacts& left) {
  const LinkFacts* right = right_of(robot, left);
  if (!right || !(moment_difference(left, *right) <= kMomentShare) ||
      !is_mirrored(robot, left, *right))
    return {};
  const Eigen::Matrix3d miss = mirrored_tensor(left) - tensor_in_root(*right);
  const double share = miss.norm() / left.tensor.norm();
  if (!(share > kMomentShare) || miss.cwiseAbs().maxCoeff() < 8 * (left.rounding + right->rounding))
    return {};
  return Evidence{
      fmt::format(
          "the tensor does not mirror that of '{}': they differ by {:.2g} of its size, in products "
          "of inertia or axes",
          right->name, share),
      share, "1", "across y = 0, ixy and iyz change sign in frames of equal axes",
      left.where_tensor};
}

}  // namespace heft::check
