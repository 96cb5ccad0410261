// Rules about masses: present, possible, in the right unit, and with the density of a real
// material.
#include <fmt/format.h>

#include "model/units.hpp"
#include "rules.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

constexpr double kLightest = 8;  // kg/m^3: of a closed shape; rigid foam is 15 and more

bool fills_its_shapes(const LinkFacts& link) {
  if (!link.geometry.whole) return false;
  const double density = link.mass / link.geometry.box.volume();
  return density > kLightest && density < kDensestMaterial;
}

}  // namespace

MaybeEvidence mass_missing(const RobotFacts& robot, const LinkFacts& link) {
  if (!link.has_inertial() || link.mass_is_written) return {};
  const RobotFileTerms& terms = robot.terms;
  return Evidence{fmt::format("an {} without a numeric mass", terms.inertial), 0, "kg",
                  fmt::format("add {} in kg, or remove the {}", terms.mass_form, terms.inertial),
                  link.where_inertial};
}

MaybeEvidence tensor_missing(const RobotFacts& robot, const LinkFacts& link) {
  if (!link.has_inertial() || link.tensor_is_written) return {};
  return Evidence{
      fmt::format("an {} without the six numbers of a tensor", robot.terms.inertial), 0, "kg m^2",
      fmt::format("add {} in kg m^2, about the center of mass", robot.terms.tensor_form),
      link.where_inertial};
}

MaybeEvidence mass_negative(const RobotFacts& robot, const LinkFacts& link) {
  if (!(link.mass < 0)) return {};
  return Evidence{
      fmt::format("mass {:.4g} kg", link.mass), link.mass, "kg",
      fmt::format("give the link's mass; if it is not known, remove the {}", robot.terms.inertial),
      link.where_mass};
}

MaybeEvidence mass_zero_with_tensor(const RobotFacts& robot, const LinkFacts& link) {
  const double largest = link.tensor.cwiseAbs().maxCoeff();
  if (!link.has_mass || link.mass != 0 || !(largest > 0)) return {};
  return Evidence{fmt::format("no mass, but moments of inertia up to {:.3g} kg m^2", largest),
                  largest, "kg m^2",
                  fmt::format("give the mass that the tensor belongs to, or remove the {}",
                              robot.terms.inertial),
                  link.where_mass};
}

MaybeEvidence leaf_without_mass(const RobotFacts&, const LinkFacts& link) {
  if (link.moved_mass != 0 || !link.joints_below.empty()) return {};
  return Evidence{"the last link of its chain moves and has no mass: the mass matrix is singular",
                  0, "kg", "give it its mass, or make the joint fixed", link.where};
}

MaybeEvidence body_without_mass(const RobotFacts&, const LinkFacts& link) {
  if (link.moved_mass != 0) return {};
  return Evidence{"the link, including everything fixed to it, moves and has no mass", 0, "kg",
                  "fine for a link inside a compound joint; else give it its mass", link.where};
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
  return Evidence{fmt::format("mass {:.4g} kg ({}): it is in grams", link.mass, against), link.mass,
                  "kg", fmt::format("write {:.4g}", link.mass / 1000), link.where_mass};
}

MaybeEvidence mass_placeholder(const RobotFacts& robot, const LinkFacts& link) {
  constexpr double kShare = 1e-5;         // of the robot
  if (fills_its_shapes(link)) return {};  // a small part of a large robot
  if (!(link.mass > 0) || !(link.mass < kShare * robot.total_mass)) return {};
  return Evidence{fmt::format("mass {:.3g} kg on a robot of {:.3g} kg: a placeholder", link.mass,
                              robot.total_mass),
                  link.mass, "kg",
                  fmt::format("remove the {} if nothing needs it", robot.terms.inertial),
                  link.where_mass};
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
      link.where_mass};
}

MaybeEvidence density_too_low(const RobotFacts&, const LinkFacts& link) {
  const double volume = link.geometry.largest_volume;
  if (!(volume > 0) || !(link.mass > 0) || !(link.mass < kLightest * volume)) return {};
  const double density = link.mass / volume;
  return Evidence{
      fmt::format("{:.3g} kg in a closed shape of {:.3g} l: {:.2g} kg/m^3, lighter than foam",
                  link.mass, 1000 * volume, density),
      density, "kg/m^3", "check the mass and the mesh's scale; fine for an empty shell",
      link.where_mass};
}

}  // namespace heft::check
