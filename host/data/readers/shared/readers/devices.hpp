// Devices and drivers by name: how they log positions and torques, and how their logs are
// recognized.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace heft {

/// Numbers that a device can log: from low to high, in multiples of a step (0: any).
struct DeviceNumbers {
  double low = 0, high = 0, step = 0;
};

/// One file of host/data/readers/device_data.
struct Device {
  std::string name;
  std::string title;
  std::string units;                 ///< of time, positions, velocities and torques, in words
  std::string torque_is;             ///< one of kTorqueMeanings
  std::string source;                ///< source of the convention, with version
  std::vector<std::string> columns;  ///< a log of the device has all of these; {i}: any number
  std::string note;                  ///< may be empty
  std::optional<DeviceNumbers> position, torque;  ///< empty: any numbers
  std::string options;                            ///< the configuration (YAML) that reads its logs
};

/// Values of log.torque_is.
inline constexpr std::string_view kTorqueMeanings[] = {
    "link_side", "motor_side",          "current",  "pwm",
    "percent",   "gravity_compensated", "external", "command"};

/// Returns all devices, by name.
const std::vector<Device>& devices();

/// Returns the device of this name; null if it is unknown.
const Device* find_device(std::string_view name);

std::vector<std::string> device_names();

/// A recognized device.
struct DeviceGuess {
  const Device* device = nullptr;  ///< null: no device was recognized
  double confidence = 0;           ///< 0 .. 1
};

/// Returns the device whose columns a log has; among several, devices that log measured torques
/// first and then the one with the most specific columns.
DeviceGuess guess_device(const std::vector<std::string>& columns);

/// Numbers of a log's positions or torques: their extremes, and whether all are integers.
struct LoggedNumbers {
  double low = 0, high = 0;
  bool are_integers = false;
};

/// Returns the devices that log only such numbers, and use at least a fifth of their range of
/// positions; none if no device's numbers are that special.
std::vector<const Device*> devices_by_numbers(const LoggedNumbers& position,
                                              const LoggedNumbers& torque);

}  // namespace heft
#pragma GCC visibility pop
