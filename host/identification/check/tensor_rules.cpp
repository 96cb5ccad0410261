// Rules about tensors. Causes are tested before the symptoms that they explain, in the order of the
// table in check_robot.cpp.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "rules.hpp"
#include "tensor.hpp"

namespace heft::check {

namespace {

bool has_body(const LinkFacts& link) {
  return link.has_tensor && link.mass > 0;
}

bool is_impossible(const LinkFacts& link) {
  return has_body(link) && !is_possible(link.tensor);
}

// negative beyond the rounding of the decimals
bool is_clearly_impossible(const LinkFacts& link) {
  return is_impossible(link) && !(smallest_spread(link.tensor) >= -rounding_allowance(link));
}

std::string moments_text(const LinkFacts& link) {
  const Eigen::Vector3d moments = principal_moments(link.tensor);
  return fmt::format("principal moments {:.3g}, {:.3g}, {:.3g} kg m^2", moments[2], moments[1],
                     moments[0]);
}

// an impossible tensor explained by another reading
Evidence explained(const LinkFacts& link, const Reading& reading, const std::string& remedy) {
  return {fmt::format("{}: not physically consistent, but consistent {}", moments_text(link),
                      reading.meaning),
          smallest_spread(link.tensor), "kg m^2", remedy, link.where_tensor};
}

// for a tensor that is impossible in any unit
std::string unit_words(const RobotFacts& robot, const LinkFacts& link) {
  const auto reading = tensor_unit_slip(robot, link);
  return reading ? "; " + reading->meaning +
                       " it would have the link's size, but still not be physically consistent"
                 : "";
}

// moments of m / 6, as written, on a link that is not that large
bool is_cube_of_one_meter(const LinkFacts& link) {
  constexpr double kEdge = 1;  // m
  const double expected = link.mass * kEdge * kEdge / 6;
  const bool fits =
      std::abs(link.tensor(0, 0) - expected) <= std::max(1.5 * link.rounding, 1e-9 * expected);
  return fits && !(link.geometry.whole && link.geometry.diagonal() > kEdge);
}

}  // namespace

MaybeEvidence tensor_units(const RobotFacts& robot, const LinkFacts& link) {
  // report a tensor that is impossible in any unit first, with its unit
  if (!has_body(link) || is_clearly_impossible(link)) return {};
  const auto reading = tensor_unit_slip(robot, link);
  if (!reading) return {};
  const double spread = spread_radius(link.tensor, link.mass);
  return Evidence{fmt::format("mass spread {:.3g} m from its center; {} it would be {:.3g} m",
                              spread, reading->meaning, spread_radius(reading->tensor, link.mass)),
                  spread, "m", "write the tensor in kg m^2", link.where_tensor};
}

MaybeEvidence tensor_zero(const RobotFacts&, const LinkFacts& link) {
  constexpr double kPoint = 1e-5;  // m: spread of what counts as a point
  if (!has_body(link) || !(link.tensor.cwiseAbs().maxCoeff() <= link.mass * kPoint * kPoint))
    return {};
  return Evidence{fmt::format("{:.3g} kg with a tensor of zero: a point", link.mass), 0, "kg m^2",
                  "give the tensor about the center of mass; heft check --fix writes a small one",
                  link.where_tensor};
}

MaybeEvidence tensor_default(const RobotFacts&, const LinkFacts& link) {
  if (!has_body(link) || is_clearly_impossible(link)) return {};
  const double moment = link.tensor.diagonal().maxCoeff();
  const bool is_scalar = link.tensor.isApprox(moment * Eigen::Matrix3d::Identity(), 1e-12);
  const bool is_unit_cube = is_scalar && is_cube_of_one_meter(link);
  if (!is_round_placeholder(link.tensor) && !is_unit_cube) return {};
  return Evidence{fmt::format("{} kg m^2{}: a placeholder; it means a spread of {:.2g} m",
                              is_scalar ? fmt::format("ixx = iyy = izz = {:g}", moment)
                                        : fmt::format("moments of 0 and {:g}", moment),
                              is_unit_cube ? ", that of a cube of one meter" : "",
                              spread_radius(link.tensor, link.mass)),
                  moment, "kg m^2",
                  "use the tensor of the CAD model, or of a box of the link's size",
                  link.where_tensor};
}

MaybeEvidence products_sign(const RobotFacts& robot, const LinkFacts& link) {
  if (!is_clearly_impossible(link)) return {};
  const auto reading = products_negated(link);
  if (!reading) return {};
  return explained(
      link, *reading,
      fmt::format("negate ixy, ixz, iyz: {} expects -int xy dm; many CAD programs print +int xy dm",
                  robot.terms.format));
}

MaybeEvidence tensor_entries(const RobotFacts&, const LinkFacts& link) {
  if (!is_clearly_impossible(link)) return {};
  const auto reading = entries_reordered(link);
  if (!reading) return {};
  return explained(link, *reading, "write each of the six numbers to its own attribute");
}

MaybeEvidence tensor_shifted(const RobotFacts&, const LinkFacts& link) {
  if (!is_clearly_impossible(link)) return {};
  const auto reading = parallel_axes_restored(link);
  if (!reading) return {};
  return explained(link, *reading,
                   "give the tensor about the center of mass, as the CAD program prints it");
}

MaybeEvidence moment_negative(const RobotFacts& robot, const LinkFacts& link) {
  if (!is_clearly_impossible(link)) return {};
  const double smallest = principal_moments(link.tensor)[0];
  if (!(smallest < -rounding_noise(link.tensor))) return {};
  return Evidence{
      fmt::format("{}: one is negative{}", moments_text(link), unit_words(robot, link)), smallest,
      "kg m^2",
      "use the tensor of the CAD model; heft check --fix writes the nearest consistent one",
      link.where_tensor};
}

MaybeEvidence triangle_inequality(const RobotFacts& robot, const LinkFacts& link) {
  if (!is_clearly_impossible(link)) return {};
  const Eigen::Vector3d moments = principal_moments(link.tensor);
  const double excess = moments[2] - moments[1] - moments[0];
  return Evidence{
      fmt::format("{}: the largest exceeds the sum of the others by {:.2g} ({:.2g} %){}",
                  moments_text(link), excess, 100 * excess / moments[2], unit_words(robot, link)),
      smallest_spread(link.tensor), "kg m^2",
      "use the tensor of the CAD model; heft check --fix writes the nearest consistent one",
      link.where_tensor};
}

MaybeEvidence placeholder_impossible(const RobotFacts& robot, const LinkFacts& link) {
  const auto placeholder = mass_placeholder(robot, link);
  if (!placeholder) return {};
  auto impossible = moment_negative(robot, link);
  if (!impossible) impossible = triangle_inequality(robot, link);
  if (impossible) impossible->what = placeholder->what + "; but " + impossible->what;
  return impossible;
}

MaybeEvidence impossible_by_rounding(const RobotFacts&, const LinkFacts& link) {
  if (!is_impossible(link)) return {};
  const double smallest = smallest_spread(link.tensor);
  return Evidence{
      fmt::format(
          "not physically consistent by {:.2g} kg m^2, which is less than the rounding of the file",
          -smallest),
      smallest, "kg m^2", "write the tensor with more decimals, or use heft check --fix",
      link.where_tensor};
}

MaybeEvidence tensor_about_link_origin(const RobotFacts&, const LinkFacts& link) {
  if (!has_body(link)) return {};
  const auto reading = about_link_origin(link);
  if (!reading) return {};
  return Evidence{fmt::format("spread {:.3g} m; {}, the body would have {:.3g} m and fit",
                              spread_radius(link.tensor, link.mass), reading->meaning,
                              spread_radius(reading->tensor, link.mass)),
                  spread_radius(link.tensor, link.mass) / spread_radius(reading->tensor, link.mass),
                  "1", "give the tensor about the center of mass: subtract m (c'c 1 - c c')",
                  link.where_tensor};
}

MaybeEvidence tensor_in_wrong_frame(const RobotFacts& robot, const LinkFacts& link) {
  if (!has_body(link)) return {};
  const auto reading = in_other_axes(robot, link);
  if (!reading) return {};
  return Evidence{
      fmt::format("{} does not fit the geometry; {} it fits", moments_text(link), reading->meaning),
      0, "1", fmt::format("give the tensor in the axes of the inertial's {}", robot.terms.origin),
      link.where_tensor};
}

MaybeEvidence tensor_copied(const RobotFacts& robot, const LinkFacts& link) {
  if (!has_body(link)) return {};
  std::set<double> masses;
  int copies = 0;
  for (const LinkFacts& other : robot.links) {
    if (!has_body(other) || other.tensor != link.tensor) continue;
    ++copies;
    masses.insert(other.mass);
  }
  if (copies < 3 || masses.size() < 2) return {};
  return Evidence{
      fmt::format("the same tensor as {} other links, whose masses differ ({:.3g} to {:.3g} kg)",
                  copies - 1, *masses.begin(), *masses.rbegin()),
      static_cast<double>(copies), "1", "use the link's own tensor from the CAD model",
      link.where_tensor};
}

MaybeEvidence tensor_too_small(const RobotFacts&, const LinkFacts& link) {
  if (!has_body(link) || !link.geometry.whole) return {};
  constexpr double kSmallest = 0.04;  // of the diagonal: a solid box has sqrt(1/12) = 0.29
  const double spread = spread_radius(link.tensor, link.mass), diagonal = link.geometry.diagonal();
  if (!(spread < kSmallest * diagonal)) return {};
  return Evidence{
      fmt::format("mass spread {:.2g} m from its center in a link of {:.2g} m", spread, diagonal),
      spread / diagonal, "1", "check the tensor's unit: kg m^2", link.where_tensor};
}

MaybeEvidence tensor_flat(const RobotFacts&, const LinkFacts& link) {
  if (!has_body(link)) return {};
  const double smallest = smallest_spread(link.tensor);
  if (!(smallest <= rounding_noise(link.tensor))) return {};
  return Evidence{"a body without thickness: its pseudo-inertia has a zero eigenvalue", smallest,
                  "kg m^2",
                  "fine for a point, rod or plate; heft check --fix gives it a little thickness",
                  link.where_tensor};
}

}  // namespace heft::check
