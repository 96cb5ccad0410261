// Rules about masses: presence, sign, unit and density.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "model/units.hpp"
#include "rules.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

constexpr double kLightest = 8;  // kg/m^3: of a closed shape; rigid foam is 15 and more

pugi::xml_node mass_node(const LinkFacts& link) {
  return link.inertial.child("mass");
}

bool fills_its_shapes(const LinkFacts& link) {
  if (!link.geometry.whole) return false;
  const double density = link.mass / link.geometry.box.volume();
  return density > kLightest && density < kDensestMaterial;
}

}  // namespace

MaybeEvidence mass_missing(const RobotFacts&, const LinkFacts& link) {
  if (!link.inertial || link.inertial.child("mass").attribute("value")) return {};
  return Evidence{"an <inertial> without a mass that is a number", 0, "kg",
                  "add <mass value=\"..\"/> in kg, or remove the <inertial>", link.inertial};
}

MaybeEvidence tensor_missing(const RobotFacts&, const LinkFacts& link) {
  const pugi::xml_node inertia = link.inertial.child("inertia");
  const auto has_entry = [&](const char* name) { return !inertia.attribute(name).empty(); };
  constexpr const char* kEntries[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  if (!link.inertial || std::all_of(std::begin(kEntries), std::end(kEntries), has_entry)) return {};
  return Evidence{"an <inertial> without the six numbers of a tensor", 0, "kg m^2",
                  "add <inertia ixx ixy ixz iyy iyz izz> in kg m^2, about the center of mass",
                  link.inertial};
}

MaybeEvidence mass_negative(const RobotFacts&, const LinkFacts& link) {
  if (!(link.mass < 0)) return {};
  return Evidence{fmt::format("mass {:.4g} kg", link.mass), link.mass, "kg",
                  "give the link's mass; if it is not known, remove the <inertial>",
                  mass_node(link)};
}

MaybeEvidence mass_zero_with_tensor(const RobotFacts&, const LinkFacts& link) {
  const double largest = link.tensor.cwiseAbs().maxCoeff();
  if (!link.has_mass || link.mass != 0 || !(largest > 0)) return {};
  return Evidence{fmt::format("no mass, but moments of inertia up to {:.3g} kg m^2", largest),
                  largest, "kg m^2",
                  "give the mass that the tensor belongs to, or remove the <inertial>",
                  mass_node(link)};
}

MaybeEvidence leaf_without_mass(const RobotFacts&, const LinkFacts& link) {
  if (link.moved_mass != 0 || !link.joints_below.empty()) return {};
  return Evidence{"the last link of its chain moves and has no mass: the mass matrix is singular",
                  0, "kg", "give it its mass, or make the joint fixed", link.node};
}

MaybeEvidence body_without_mass(const RobotFacts&, const LinkFacts& link) {
  if (link.moved_mass != 0) return {};
  return Evidence{"the link, including everything fixed to it, moves and has no mass", 0, "kg",
                  "fine for a link inside a compound joint; else give it its mass", link.node};
}

MaybeEvidence mass_unit_slip(const RobotFacts& robot, const LinkFacts& link) {
  if (!(link.mass > 0) || !mass_in_grams(robot, link)) return {};
  const double volume = link.geometry.whole ? link.geometry.box.volume() : 0;
  const std::string against =
      (volume > 0 ? fmt::format("{:.3g} kg/m^3 in the box around its geometry", link.mass / volume)
                  : fmt::format("the other links weigh {:.3g} kg in total",
                                robot.total_mass - link.mass)) +
      fmt::format(", {:.3g} kg/m^3 according to its tensor",
                  density_by_tensor(link.tensor, link.mass));
  return Evidence{fmt::format("mass {:.4g} kg ({}): these are grams", link.mass, against),
                  link.mass, "kg", fmt::format("write {:.4g}", link.mass / 1000), mass_node(link)};
}

MaybeEvidence mass_placeholder(const RobotFacts& robot, const LinkFacts& link) {
  constexpr double kShare = 1e-5;         // of the robot
  if (fills_its_shapes(link)) return {};  // a small part of a large robot
  if (!(link.mass > 0) || !(link.mass < kShare * robot.total_mass)) return {};
  return Evidence{fmt::format("mass {:.3g} kg on a robot of {:.3g} kg: a placeholder", link.mass,
                              robot.total_mass),
                  link.mass, "kg", "remove the <inertial> if nothing needs it", mass_node(link)};
}

MaybeEvidence density_too_high(const RobotFacts&, const LinkFacts& link) {
  const double volume = link.geometry.box.isEmpty() ? 0 : link.geometry.box.volume();
  if (!link.geometry.whole || !(volume > 0) || !(link.mass > kDensestMaterial * volume)) return {};
  const double density = link.mass / volume;
  return Evidence{
      fmt::format("{:.3g} kg in a box of {:.3g} l: {:.3g} kg/m^3, denser than any material",
                  link.mass, 1000 * volume, density),
      density, "kg/m^3",
      "check the mass and the mesh's scale; fine if the geometry shows only part of the link",
      mass_node(link)};
}

MaybeEvidence density_too_low(const RobotFacts&, const LinkFacts& link) {
  const double volume = link.geometry.largest_volume;
  if (!(volume > 0) || !(link.mass > 0) || !(link.mass < kLightest * volume)) return {};
  const double density = link.mass / volume;
  return Evidence{
      fmt::format("{:.3g} kg in a closed shape of {:.3g} l: {:.2g} kg/m^3, lighter than foam",
                  link.mass, 1000 * volume, density),
      density, "kg/m^3", "check the mass and the mesh's scale; fine for an empty shell",
      mass_node(link)};
}

}  // namespace heft::check
