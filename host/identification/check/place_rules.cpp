// Rules about positions: meshes, centers of mass, and the distribution of mass within the geometry.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "rules.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

const std::string& where_com(const LinkFacts& link) {
  return link.where_com.empty() ? link.where_inertial : link.where_com;
}

std::string point_text(const Eigen::Vector3d& v) {
  return fmt::format("({:.3g}, {:.3g}, {:.3g}) m", v.x(), v.y(), v.z());
}

}  // namespace

// Two signs are needed: the way along the joints, and the spread of the link's own mass. A link
// without a tensor shows by joints alone: it must be far larger, and a part of the root may be a
// table or a room.
MaybeEvidence mesh_in_millimeters(const RobotFacts& robot, const LinkFacts& link) {
  constexpr double kTooLarge = 15, kFarTooLarge = 60;
  constexpr double kSmallestPart = 2;  // mm
  const double spread = link.has_tensor ? spread_radius(link.tensor, link.mass) : 0;
  const double scale = std::max({robot.reach, link.com().norm(), 3 * spread});
  const double diagonal = link.geometry.largest_mesh;
  if (!(scale > 0) || !(diagonal > kTooLarge * scale) || !(diagonal / 1000 < 2 * scale)) return {};
  if (!(diagonal > kSmallestPart)) return {};
  if (!(spread > 0 ? diagonal > kFarTooLarge * spread
                   : link.moves && diagonal > kFarTooLarge * scale))
    return {};
  return Evidence{
      fmt::format("mesh of {:.3g} m on a robot of {:.3g} m: it is in millimeters", diagonal, scale),
      diagonal, "m", robot.terms.millimeters_form, link.where};
}

MaybeEvidence meshes_unread(const RobotFacts& robot) {
  std::size_t num_links = 0;
  const LinkFacts* first = nullptr;
  for (const LinkFacts& link : robot.links) {
    if (link.geometry.unread.empty() || link.geometry.whole) continue;
    ++num_links;
    if (!first) first = &link;
  }
  if (!first) return {};
  return Evidence{
      fmt::format(
          "the geometry of {} of {} links is not compared: meshes are missing or unreadable, e.g. "
          "{}",
          num_links, robot.links.size(), first->geometry.unread.front()),
      static_cast<double>(num_links), "1",
      "name the folder of the package with --package-path, or give STL, OBJ or DAE meshes",
      first->where};
}

MaybeEvidence com_units(const RobotFacts& robot, const LinkFacts& link) {
  if (!(link.mass > 0) || !com_in_millimeters(robot, link)) return {};
  const double distance = link.com().norm();
  return Evidence{
      fmt::format("center of mass {:.3g} m from the link's origin: it is in millimeters", distance),
      distance, "m", fmt::format("write the {} in meters", robot.terms.origin), where_com(link)};
}

MaybeEvidence com_outside_geometry(const RobotFacts& robot, const LinkFacts& link) {
  if (!(link.mass > 0) || !link.geometry.whole) return {};
  constexpr double kShare = 0.1;  // of the diagonal
  const double least = std::min(0.005, 0.1 * std::max(robot.reach, link.geometry.diagonal()));  // m
  const double distance = link.geometry.box.exteriorDistance(link.com());
  if (!(distance > kShare * link.geometry.diagonal() + least)) return {};
  return Evidence{
      fmt::format("center of mass {} is {:.2g} m outside the link's geometry",
                  point_text(link.com()), distance),
      distance, "m",
      fmt::format("check {}: meters, from the link's own frame, signs", robot.terms.origin),
      where_com(link)};
}

MaybeEvidence com_beyond_reach(const RobotFacts& robot, const LinkFacts& link) {
  if (!(link.mass > 0) || link.geometry.known()) return {};
  const double distance = link.com().norm();
  const double scale = std::max(robot.reach, 4 * spread_radius(link.tensor, link.mass));
  if (!(robot.reach > 0) || !(distance > 1.1 * scale)) return {};
  return Evidence{
      fmt::format("center of mass {} is farther out than the robot's joints reach, {:.2g} m",
                  point_text(link.com()), robot.reach),
      distance, "m", fmt::format("check {}: meters, from the link's own frame", robot.terms.origin),
      where_com(link)};
}

// Mass inside [b - a, b + a] has a second moment about b of at most a^2 along every axis.
MaybeEvidence spread_beyond_geometry(const RobotFacts& robot, const LinkFacts& link) {
  if (!(link.mass > 0) || !link.has_tensor || !link.geometry.whole) return {};
  constexpr double kTolerance = 1.2;
  const double least = std::min(0.005, 0.1 * std::max(robot.reach, link.geometry.diagonal()));  // m
  const Eigen::Matrix3d R = link.X_link_inertial.linear();
  const Eigen::Matrix3d sigma = R * covariance(link.tensor) * R.transpose() / link.mass;
  const Eigen::Vector3d from_center = link.com() - link.geometry.box.center();
  const Eigen::Array3d half = link.geometry.box.sizes().array() / 2 + least;
  const Eigen::Array3d spread =
      (sigma.diagonal().array() + from_center.array().square()).max(0).sqrt();
  Eigen::Index axis = 0;
  const double ratio = (spread / half).maxCoeff(&axis);
  if (!(ratio > kTolerance)) return {};
  return Evidence{
      fmt::format(
          "mass spread {:.2g} m along {}, but the geometry reaches only {:.2g} m: {:.2g} times as "
          "far",
          spread[axis], "xyz"[axis], half[axis], ratio),
      ratio, "1",
      "check tensor and center of mass; fine if the geometry shows only part of the link",
      link.where_inertial};
}

}  // namespace heft::check
