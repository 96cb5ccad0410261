// Devices and drivers by name: how each writes positions and torques, and how a log is recognized
// as one of theirs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// One file of host/data/readers/device_data.
struct Device {
  std::string name;
  std::string title;
  std::string units;                 ///< of time, positions, velocities and torques, in words
  std::string torque_is;             ///< one of kTorqueMeanings
  std::string source;                ///< where the convention is written, with version
  std::vector<std::string> columns;  ///< a log that has all of these is the device's; {i}: any
                                     ///< number
  std::string note;                  ///< may be empty
  std::string options;               ///< the configuration (YAML) that reads its logs
};

/// Values of log.torque_is.
inline constexpr std::string_view kTorqueMeanings[] = {
    "link_side", "motor_side",          "current",  "pwm",
    "percent",   "gravity_compensated", "external", "command"};

/// All of them, by name.
const std::vector<Device>& devices();

/// Null if there is no such device.
const Device* find_device(std::string_view name);

std::vector<std::string> device_names();

struct DeviceGuess {
  const Device* device = nullptr;  ///< null: no device is recognized
  double confidence = 0;           ///< 0 .. 1
};

/// The device whose columns a log has: of several the one that tells most, and one that logs
/// measured torques first.
DeviceGuess guess_device(const std::vector<std::string>& columns);

}  // namespace heft
#pragma GCC visibility pop
