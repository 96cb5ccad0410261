#include "conditioning/unwrap.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

namespace heft {

namespace {

constexpr double kSure = 0.4;  ///< of a turn from row to row: more could be the other way round

}  // namespace

Result<Unwrapping> Unwrapping::make(const LogFormat& format, const Robot& robot,
                                    const LogColumns& columns) {
  HEFT_CHECK(check_joints("log.unwrap", format.unwrap.names, robot));
  Unwrapping unwrapping;
  for (int k = 0; k < robot.num_coordinates(); ++k) {
    const Coordinate& joint = robot.coordinates[static_cast<std::size_t>(k)];
    if (!format.unwrap.has(joint.name)) continue;
    if (!joint.is_angle) {
      if (format.unwrap.all) continue;
      return Error{"log.unwrap", "joint '" + joint.name + "' is prismatic and cannot be unwrapped",
                   "remove it from log.unwrap"};
    }
    const double turn = 2 * std::numbers::pi * std::abs(format.position_scale.of(joint.name, k));
    unwrapping.joints_.push_back({joint.name, columns.first_position + k, turn});
  }
  return unwrapping;
}

double Unwrapping::nearest_turns(const Joint& joint, double position) {
  return std::round((position - joint.position) / joint.turn);
}

std::string Unwrapping::judge(const Joint& joint, double time, double max_gap, double position) {
  if (time - joint.time > max_gap)
    return fmt::format("the turns of {} in a pause of {:.3g} s are unknown", joint.name,
                       time - joint.time);
  if (std::abs(position - joint.position) > kSure * joint.turn)
    return fmt::format("{} moves by {:.2g} of a turn from one row to the next, in either direction",
                       joint.name, std::abs(position - joint.position) / joint.turn);
  return {};
}

Error Unwrapping::fault(const Joint& joint, const std::string& where, const std::string& what) {
  return {
      where, "log.unwrap: " + what,
      "split the log there, raise conditioning.max_gap_s if the joint stood still, or name only the joints "
      "that need it: log: {unwrap: [" +
          joint.name + "]}"};
}

}  // namespace heft
