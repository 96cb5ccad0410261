// Alternative interpretations of mass, center of mass and tensor, each compared with what is
// physically consistent or with the geometry.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "model/units.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

constexpr double kLightestSolid = 50;  // kg/m^3 of a link in the box around it
constexpr double kDensestSolid = 12000;
constexpr double kLightestInGrams = 5;  // lighter links are placeholders rather than slips
constexpr double kLighterThanFoam = 8;  // kg/m^3

Eigen::Matrix3d symmetric(double xx, double xy, double xz, double yy, double yz, double zz) {
  Eigen::Matrix3d tensor;
  tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return tensor;
}

// well inside the cone: a reading that makes a tensor barely possible is no explanation
bool is_comfortable(const Eigen::Matrix3d& tensor) {
  const Eigen::Vector3d spreads = principal_moments(covariance(tensor));
  return spreads[0] > 0.01 * spreads[2] && spreads[0] > rounding_noise(tensor);
}

// reference length of a link: its own or, if unknown, the robot's
double length_scale(const RobotFacts& robot, const LinkFacts& link) {
  return link.geometry.whole ? link.geometry.diagonal() : std::max(robot.reach, link.size());
}

double box_volume(const LinkFacts& link) {
  return link.geometry.whole ? link.geometry.box.volume() : 0;
}

bool is_density_of_a_link(double density) {
  return density > kLightestSolid && density < kDensestSolid;
}

// in its own shapes, or as a share of the robot
bool is_plausible_mass(const RobotFacts& robot, const LinkFacts& link) {
  constexpr double kLeastShare = 0.002;
  if (const double volume = box_volume(link); volume > 0) {
    const double density = link.mass / volume;
    return density > kLightestSolid && density < kDensestMaterial;
  }
  return link.mass > kLeastShare * robot.total_mass;
}

// 1000 times too heavy beside its shapes, beside the other links, or together with them
bool looks_like_grams(const RobotFacts& robot, const LinkFacts& link) {
  if (const double volume = box_volume(link); volume > 0)
    return is_density_of_a_link(link.mass / volume / 1000);
  const double rest = robot.total_mass - link.mass;
  const bool unlike_the_rest = link.mass > 20 * rest && link.mass / 1000 < 3 * rest;
  const bool all =
      robot.moving_mass > 2000 && robot.moving_mass / std::pow(robot.reach, 3) > kDensestMaterial;
  return robot.reach > 0 && link.moves && (unlike_the_rest || all);
}

}  // namespace

std::optional<Reading> products_negated(const LinkFacts& link) {
  Eigen::Matrix3d tensor = -link.tensor;
  tensor.diagonal() = link.tensor.diagonal();
  if (!is_comfortable(tensor)) return {};
  return Reading{tensor, "with the other sign of ixy, ixz and iyz"};
}

std::optional<Reading> entries_reordered(const LinkFacts& link) {
  const Eigen::Matrix3d& T = link.tensor;
  const std::array<double, 6> n = {T(0, 0), T(0, 1), T(0, 2), T(1, 1), T(1, 2), T(2, 2)};
  const Reading readings[] = {
      {symmetric(n[0], n[3], n[4], n[1], n[5], n[2]), "read in the order xx, yy, zz, xy, xz, yz"},
      {symmetric(n[0], n[3], n[5], n[1], n[4], n[2]), "read in the order xx, yy, zz, xy, yz, xz"},
      {symmetric(n[0], n[1], n[3], n[2], n[4], n[5]), "read in the order xx, xy, yy, xz, yz, zz"}};
  for (const Reading& reading : readings)
    if (is_comfortable(reading.tensor)) return reading;
  return {};
}

// m (c'c 1 - c c') was subtracted from a tensor that already was about the center of mass.
std::optional<Reading> parallel_axes_restored(const LinkFacts& link) {
  const Eigen::Vector3d c = link.X_link_inertial.linear().transpose() * link.com();
  const Eigen::Matrix3d tensor = link.tensor + parallel_axes(link.mass, c);
  if (!is_comfortable(tensor)) return {};
  return Reading{tensor, "with m (c'c 1 - c c') added back"};
}

std::optional<Reading> tensor_unit_slip(const RobotFacts& robot, const LinkFacts& link) {
  constexpr struct {
    const char* name;
    double si;
  } kUnits[] = {
      {"g m^2", 1e-3}, {"kg cm^2", 1e-4}, {"kg mm^2", 1e-6}, {"g cm^2", 1e-7}, {"g mm^2", 1e-9}};
  constexpr double kUsual = 0.3;  // spread radius of a link over its diagonal
  const double scale = length_scale(robot, link);
  const double spread = spread_radius(link.tensor, link.mass);
  const double share = (link.geometry.whole ? 1.0 : 0.25);  // of the scale that is the link's own
  if (!(scale > 0) || !(spread > (link.geometry.whole ? 4.0 : 1.2) * scale)) return {};
  const auto misfit = [&](double si) {
    return std::abs(std::log(spread * std::sqrt(si) / (kUsual * share * scale)));
  };
  const auto* best = &kUnits[0];
  for (const auto& unit : kUnits)
    if (misfit(unit.si) < misfit(best->si)) best = &unit;
  if (!(misfit(best->si) < std::log(link.geometry.whole ? 3.0 : 8.0))) return {};
  // a light mass with a correct tensor looks the same: require a mass that fits the link
  if (is_round_placeholder(link.tensor) || !is_plausible_mass(robot, link)) return {};
  // the mass is the second indication: a body as large as its tensor indicates has a plausible
  // density
  if (!(density_by_tensor(link.tensor, link.mass) < kLighterThanFoam)) return {};
  return Reading{best->si * link.tensor, fmt::format("taken as {}", best->name)};
}

// Two signs are needed: the mass beside the shapes or the other links, and the tensor, by which it
// is denser than any material unless it counts grams.
std::optional<Reading> mass_in_grams(const RobotFacts& robot, const LinkFacts& link) {
  if (!link.has_tensor || !(link.mass > kLightestInGrams) || !looks_like_grams(robot, link))
    return {};
  if (!(density_by_tensor(link.tensor, link.mass) > 2 * kDensestMaterial)) return {};
  if (is_density_of_a_link(density_by_tensor(link.tensor / 1000, link.mass / 1000)))
    return Reading{link.tensor / 1000, "mass and tensor taken as grams"};
  if (is_density_of_a_link(density_by_tensor(link.tensor, link.mass / 1000)))
    return Reading{link.tensor, "mass taken as grams"};
  return {};
}

bool com_in_millimeters(const RobotFacts& robot, const LinkFacts& link) {
  const double scale = length_scale(robot, link);
  const double distance = link.com().norm();
  if (!(scale > 0) || !(distance > 3 * scale) || !(distance / 1000 < 2 * scale)) return false;
  // the second sign: the mass is not spread so far, or so far that its tensor is in millimeters,
  // too
  const double spread = link.has_tensor ? spread_radius(link.tensor, link.mass) : 0;
  if (spread > 0) return distance > 10 * spread || spread > 30 * scale;
  return distance > 10 * std::max(robot.reach, link.size());
}

// A tensor about the link's origin also belongs to a possible body, only a larger one. Its
// products, which match the parallel axis theorem, or the geometry reveal it.
std::optional<Reading> about_link_origin(const LinkFacts& link) {
  const Eigen::Matrix3d R = link.X_link_inertial.linear();
  const Eigen::Vector3d c = R.transpose() * link.com();
  const Eigen::Matrix3d shift = parallel_axes(link.mass, c);
  const Reading reading{link.tensor - shift, "taken about the link's origin"};
  if (!(shift.trace() > 0.2 * link.tensor.trace()) || !is_possible(reading.tensor)) return {};

  double largest = 0, left = 0;
  for (const auto& [i, j] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
    largest = std::max(largest, std::abs(shift(i, j)));
    left = std::max(left, std::abs(reading.tensor(i, j)));
  }
  const bool tells = largest > 0.01 * link.tensor.trace() && largest > 10 * link.rounding;
  if (tells && left <= 0.02 * largest + 2 * link.rounding) return reading;

  if (link.geometry.solid.empty()) return {};
  const Eigen::Matrix3d expected = link.mass * R.transpose() * link.geometry.solid.covariance() * R;
  const double as_written = dissimilarity(covariance(link.tensor), expected);
  if (as_written > 1.0 && dissimilarity(covariance(reading.tensor), expected) < 0.4 * as_written)
    return reading;
  return {};
}

// The tensor fits the geometry much better without the rotation of its frame, or with its axes
// renamed.
std::optional<Reading> in_other_axes(const RobotFacts& robot, const LinkFacts& link) {
  if (link.geometry.solid.empty()) return {};
  const Eigen::Matrix3d R = link.X_link_inertial.linear();
  const Eigen::Matrix3d expected = link.mass * link.geometry.solid.covariance();
  const Eigen::Matrix3d sigma = covariance(link.tensor);
  const double as_written = dissimilarity(R * sigma * R.transpose(), expected);
  if (!(as_written > 1.5)) return {};
  const auto fits = [&](const Eigen::Matrix3d& in_link) {
    return dissimilarity(in_link, expected) < 0.25 * as_written;
  };
  if (!R.isIdentity(1e-6) && fits(sigma))
    return Reading{R.transpose() * link.tensor * R,
                   fmt::format("taken in the link's axes, not those of {}", robot.terms.rotation)};
  for (const auto& [order, name] : {std::pair{Eigen::Vector3i(1, 0, 2), "x and y"},
                                    {Eigen::Vector3i(0, 2, 1), "y and z"},
                                    {Eigen::Vector3i(2, 1, 0), "x and z"},
                                    {Eigen::Vector3i(1, 2, 0), "x, y and z"},
                                    {Eigen::Vector3i(2, 0, 1), "x, y and z"}}) {
    const Eigen::PermutationMatrix<3> P(order);
    const Eigen::Matrix3d renamed = P * sigma * P.transpose();
    if (fits(R * renamed * R.transpose()))
      return Reading{P * link.tensor * P.transpose(),
                     fmt::format("with its axes {} swapped", name)};
  }
  return {};
}

}  // namespace heft::check
