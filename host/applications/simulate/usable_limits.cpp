#include "usable_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "heft/simulate/simulate.hpp"
#include "model/units.hpp"

namespace heft {

namespace {

constexpr double kFreeSpeed = 2;  // of joints without a limit, [rad/s] or [m/s]
constexpr double kTurningSpeed = 1,
                 kSlidingSpeed = 0.25;  // where the limit is unusable: as heft excite assumes
constexpr double kFreeEffort = 10;      // [N m] or [N]
constexpr double kSlowestLimit = 1e-6, kLargestLimit = 1e12;  // plausible size of a limit

bool has_mass(const Robot& robot) {
  return std::any_of(robot.bodies.begin(), robot.bodies.end(),
                     [](const Body& body) { return body.prior[core::kMass] > 0; });
}

bool stands_still(const Coordinate& joint) {
  return has_usable_range(joint) && joint.lower == joint.upper;
}

}  // namespace

double usable_velocity(const Coordinate& joint) {
  if (!std::isfinite(joint.max_velocity) || joint.max_velocity > kLargestLimit) return kFreeSpeed;
  if (joint.max_velocity >= kSlowestLimit) return joint.max_velocity;
  return joint.is_angle ? kTurningSpeed : kSlidingSpeed;
}

double usable_effort(const Coordinate& joint) {
  return std::abs(joint.max_effort) <= kLargestLimit ? std::max(joint.max_effort, 0.0)
                                                     : kFreeEffort;
}

bool has_usable_range(const Coordinate& joint) {
  return std::abs(joint.lower) <= kLargestLimit && std::abs(joint.upper) <= kLargestLimit;
}

Result<std::vector<std::string>> simulation_notes(const Robot& robot) {
  std::vector<std::string> notes;
  bool moves = false;
  for (const Coordinate& joint : robot.coordinates) {
    if (has_usable_range(joint) && joint.lower > joint.upper)
      return Error{robot.source,
                   fmt::format("the lower limit of joint '{}', {}, is above the upper limit, {}",
                               joint.name, number_text(joint.lower), number_text(joint.upper)),
                   "swap them"};
    moves = moves || !stands_still(joint);
    if (stands_still(joint))
      notes.push_back(fmt::format("{} stays at {}: its lower and upper limits are equal",
                                  joint.name, number_text(joint.lower)));
    const std::string unit = std::string(position_unit(joint.is_angle)) + "/s";
    if (joint.max_velocity < kSlowestLimit)
      notes.push_back(fmt::format(
          "{} has the velocity limit {} {}: {} {} is used instead, as in heft excite", joint.name,
          number_text(joint.max_velocity), unit, number_text(usable_velocity(joint)), unit));
    if (usable_effort(joint) == 0)
      notes.push_back(fmt::format("{} has the effort limit 0: its friction is zero", joint.name));
  }
  if (!moves)
    return Error{robot.source,
                 "no joint can move: the lower and upper limits of every joint are equal",
                 "give the joints their ranges in <limit lower upper>, or make them continuous"};
  if (!has_mass(robot))
    notes.emplace_back("no moving link has mass: the torques consist of friction and noise only");
  return notes;
}

}  // namespace heft
