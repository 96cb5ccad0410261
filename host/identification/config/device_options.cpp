#include "config/device_options.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "files/name_hint.hpp"
#include "readers/devices.hpp"

namespace heft::config {

namespace {

bool has_gain(const Configuration& configuration) {
  return configuration.log.torque_scale != PerJoint(1) ||
         configuration.given.contains("log.torque_scale");
}

/// "device ur_rtde logs", or the wording for log.torque_is.
std::string subject_of(const Configuration& configuration) {
  return configuration.torque_is.empty() ? "device " + configuration.device + " logs"
                                         : "the torque columns contain";
}

Error missing_gain(const Configuration& configuration, const std::string& meaning) {
  const bool is_current = meaning == "current";
  const Device* device = find_device(configuration.device);
  const std::string units = device != nullptr ? fmt::format(" ({})", device->units) : "";
  return {"log.torque_scale",
          fmt::format("{} {}{}, not torques in N m", subject_of(configuration),
                      is_current         ? "motor currents"
                      : meaning == "pwm" ? "duty cycles of the motors"
                                         : "fractions of a rated torque",
                      units),
          fmt::format(
              "give N m per unit of the column for each joint, {}: log: {{torque_scale: {{JOINT: "
              "NUMBER, ..}}}}",
              is_current ? "torque constant times gear ratio"
              : meaning == "pwm"
                  ? "the stall torque at full duty divided by the column's full range"
                  : "the rated torque divided by the number that stands for it in the column")};
}

}  // namespace

std::string device_fault(const std::string& name) {
  if (name.empty() || find_device(name) != nullptr) return "";
  return "is not a known device; " + name_hint(name, device_names(), "one of:");
}

std::string torque_meaning_fault(const std::string& meaning) {
  const bool is_known = std::find(std::begin(kTorqueMeanings), std::end(kTorqueMeanings),
                                  meaning) != std::end(kTorqueMeanings);
  return meaning.empty() || is_known
             ? ""
             : fmt::format("must be one of {}", fmt::join(kTorqueMeanings, ", "));
}

std::string torque_meaning(const Configuration& configuration) {
  if (!configuration.torque_is.empty()) return configuration.torque_is;
  const Device* device = find_device(configuration.device);
  return device != nullptr ? device->torque_is : "";
}

Result<Done> check_torque_meaning(const Configuration& configuration) {
  const std::string meaning = torque_meaning(configuration);
  if (meaning == "external")
    return Error{
        configuration.torque_is.empty() ? "log.device" : "log.torque_is",
        subject_of(configuration) +
            " external torques: the torque of the robot's own motion was subtracted, so they do "
            "not identify its parameters",
        "record the measured joint torque; heft info --devices lists the devices that log it"};
  if ((meaning == "current" || meaning == "pwm" || meaning == "percent") &&
      !has_gain(configuration))
    return missing_gain(configuration, meaning);
  if (meaning == "gravity_compensated" && !configuration.robot.gravity.isZero())
    return Error{
        "log.torque_is",
        subject_of(configuration) + " torques without gravity, but robot.gravity is not zero",
        "set robot: {gravity: [0, 0, 0]}, or record the torque with gravity"};
  return Done{};
}

}  // namespace heft::config
