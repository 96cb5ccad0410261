// Rules about joints: axes, limits, friction, poses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "rules.hpp"

namespace heft::check {

namespace {

constexpr double kPi = std::numbers::pi;

bool has_range(const JointFacts& joint) {
  return joint.type == "revolute" || joint.type == "prismatic";
}

double farthest_limit(const JointFacts& joint) {
  return std::max(std::abs(joint.lower.value_or(0)), std::abs(joint.upper.value_or(0)));
}

MaybeEvidence below_zero(const JointFacts& joint, const char* name,
                         const std::optional<double>& limit, const std::string& unit) {
  const double value = limit.value_or(0);
  if (!joint.moves() || !(value < 0)) return {};
  return Evidence{fmt::format("{} limit {:g} {}", name, value, unit), value, unit,
                  "give its absolute value", joint.where_limit};
}

MaybeEvidence at_zero(const JointFacts& joint, const char* name, const std::optional<double>& limit,
                      const std::string& unit) {
  if (!has_range(joint) || joint.is_mimic || limit != 0.0) return {};
  return Evidence{fmt::format("{} limit 0: the joint cannot move", name), 0, unit,
                  "give the motor's limit, or make the joint fixed", joint.where_limit};
}

}  // namespace

MaybeEvidence unused_number(const RobotFacts&, const JointFacts& joint) {
  if (joint.unused_number.empty()) return {};
  return Evidence{fmt::format("{}; a {} joint does not use it", joint.unused_number, joint.type), 0,
                  "1", "remove it or write a number: other programs may refuse the file",
                  joint.where};
}

MaybeEvidence axis_zero(const RobotFacts& robot, const JointFacts& joint) {
  if (!joint.moves() || joint.type == "floating" || joint.axis.norm() > 0) return {};
  return Evidence{"the axis has zero length", 0, "1",
                  fmt::format("give a direction, e.g. {}", robot.terms.axis_form),
                  joint.where_axis};
}

MaybeEvidence axis_not_unit(const RobotFacts&, const JointFacts& joint) {
  const double length = joint.axis.norm();
  if (!joint.moves() || joint.type == "floating" || std::abs(length - 1) < 1e-3 || !(length > 0))
    return {};
  return Evidence{fmt::format("the axis has length {:.4g}", length), length, "1",
                  "give a unit vector: some programs scale the motion by its length",
                  joint.where_axis};
}

MaybeEvidence limit_missing(const RobotFacts& robot, const JointFacts& joint) {
  if (!has_range(joint) || (joint.effort_is_written && joint.velocity_is_written)) return {};
  return Evidence{
      fmt::format("a {} joint without {}", joint.type, robot.terms.needed_limits), 0, joint.unit(),
      fmt::format("add {}, or make it continuous", robot.terms.limit_form), joint.where};
}

MaybeEvidence limits_inverted(const RobotFacts&, const JointFacts& joint) {
  const double lower = joint.lower.value_or(0), upper = joint.upper.value_or(0);
  if (!has_range(joint) || !(lower > upper)) return {};
  return Evidence{fmt::format("lower limit {:g} {} above the upper limit {:g} {}", lower,
                              joint.unit(), upper, joint.unit()),
                  lower - upper, joint.unit(), "swap them", joint.where_limit};
}

MaybeEvidence limits_in_degrees(const RobotFacts&, const JointFacts& joint) {
  const double farthest = farthest_limit(joint);
  // ten turns indicate degrees even if intended; cables allow less
  if (joint.type != "revolute" || !(farthest > 6 * kPi) || !(farthest <= 1080)) return {};
  return Evidence{fmt::format("a limit of {:g} rad, {:.2g} turns: it is in degrees", farthest,
                              farthest / (2 * kPi)),
                  farthest, "rad", fmt::format("write {:.5g}", farthest * kPi / 180),
                  joint.where_limit};
}

MaybeEvidence limits_in_millimeters(const RobotFacts& robot, const JointFacts& joint) {
  const double farthest = farthest_limit(joint);
  // rails of 12 m exist; their speed is that of a machine all the same
  const bool is_fast = joint.velocity.value_or(0) > 5;
  if (joint.type != "prismatic" || !(farthest > (is_fast ? 10 : 50)) ||
      !(farthest > 5 * robot.reach))
    return {};
  return Evidence{fmt::format("a limit of {:g} m on a robot of {:.2g} m: it is in millimeters",
                              farthest, robot.reach),
                  farthest, "m", fmt::format("write {:g}", farthest / 1000), joint.where_limit};
}

MaybeEvidence limits_without_range(const RobotFacts&, const JointFacts& joint) {
  const double lower = joint.lower.value_or(0), upper = joint.upper.value_or(0);
  if (!has_range(joint) || joint.is_mimic || lower != upper || !joint.has_limit()) return {};
  return Evidence{fmt::format("lower and upper limit are both {:g} {}: the joint cannot move",
                              lower, joint.unit()),
                  0, joint.unit(), "give its range, or make it continuous or fixed",
                  joint.where_limit};
}

MaybeEvidence effort_negative(const RobotFacts&, const JointFacts& joint) {
  return below_zero(joint, "effort", joint.effort, joint.type == "prismatic" ? "N" : "N m");
}

MaybeEvidence velocity_negative(const RobotFacts&, const JointFacts& joint) {
  return below_zero(joint, "velocity", joint.velocity, joint.type == "prismatic" ? "m/s" : "rad/s");
}

MaybeEvidence effort_zero(const RobotFacts&, const JointFacts& joint) {
  return at_zero(joint, "effort", joint.effort, joint.type == "prismatic" ? "N" : "N m");
}

MaybeEvidence velocity_zero(const RobotFacts&, const JointFacts& joint) {
  return at_zero(joint, "velocity", joint.velocity, joint.type == "prismatic" ? "m/s" : "rad/s");
}

MaybeEvidence friction_negative(const RobotFacts&, const JointFacts& joint) {
  for (const auto& [name, written] :
       {std::pair{"damping", joint.damping}, {"friction", joint.friction}}) {
    const double value = written.value_or(0);
    if (value < 0)
      return Evidence{fmt::format("{} {:g}: negative friction would drive the joint", name, value),
                      value, "SI", "give its absolute value", joint.where_dynamics};
  }
  return {};
}

MaybeEvidence origin_in_millimeters(const RobotFacts& robot, const JointFacts& joint) {
  const double distance = joint.X_parent_joint.translation().norm();
  // the second sign: nothing of the parent is nearly as long
  const LinkFacts* parent = robot.link(joint.parent);
  if (!parent || !(parent->body_size() > 0) || !(distance > 15 * parent->body_size())) return {};
  const double rest = robot.reach - distance;  // without this joint
  const bool alone = distance > 15 * rest && rest > 0 && distance / 1000 < 2 * rest;
  const bool all = robot.reach > 60 && distance > 1;
  if (!alone && !all) return {};
  return Evidence{fmt::format("{:.4g} m from its parent: it is in millimeters", distance), distance,
                  "m", fmt::format("write the {} in meters", robot.terms.origin),
                  joint.where_origin};
}

MaybeEvidence angle_in_degrees(const RobotFacts&, const JointFacts& joint) {
  const double largest = joint.rpy.cwiseAbs().maxCoeff();
  if (!(largest > 4 * kPi) || !(largest <= 720)) return {};
  return Evidence{fmt::format("rpy of {:g} rad: it is in degrees", largest), largest, "rad",
                  fmt::format("write {:.10g}", largest * kPi / 180), joint.where_origin};
}

// 1.57 for a right angle: 0.8 mrad are 0.8 mm at a meter, and gravity finds its way into other axes
MaybeEvidence angle_rounded(const RobotFacts&, const JointFacts& joint) {
  for (const double angle : joint.rpy) {
    const double exact = std::round(angle / (kPi / 4)) * (kPi / 4);
    const double off = std::abs(angle - exact);
    if (off > 5e-5 && off < 3e-3)
      return Evidence{fmt::format("rpy has {:g} rad, {:.2g} mrad from {:g} degrees", angle,
                                  1000 * off, exact * 180 / kPi),
                      off, "rad", fmt::format("write {:.16g}", exact), joint.where_origin};
  }
  return {};
}

}  // namespace heft::check
