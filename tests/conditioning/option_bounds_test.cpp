// A configuration file and a program accept the same values of an option: both accept its bounds
// and reject values just beyond.
#include "readers/option_bounds.hpp"

#include <cmath>

#include "heft/config/configuration.hpp"
#include "heft/log/arrays.hpp"
#include "tests/conditioning/log_test_support.hpp"

namespace heft {
namespace {

/// What an option of a file sets in a program.
struct BoundedOption {
  const char* section;
  const char* name;
  option_bounds::Bounds bounds;
  void (*set)(double value, LogFormat& format, ConditioningOptions& options);
};

const BoundedOption kOptions[] = {
    {"log", "rate_hz", option_bounds::kRate,
     [](double value, LogFormat& format, ConditioningOptions&) { format.rate_hz = value; }},
    {"log", "torque_scale", option_bounds::kScale,
     [](double value, LogFormat& format, ConditioningOptions&) { format.torque_scale = value; }},
    {"log", "position_scale", option_bounds::kScale,
     [](double value, LogFormat& format, ConditioningOptions&) { format.position_scale = value; }},
    {"log", "torque_offset", option_bounds::kTorqueOffset,
     [](double value, LogFormat& format, ConditioningOptions&) { format.torque_offset = value; }},
    {"log", "position_offset", option_bounds::kPositionOffset,
     [](double value, LogFormat& format, ConditioningOptions&) { format.position_offset = value; }},
    {"conditioning", "torque_delay_s", option_bounds::kTorqueDelay,
     [](double value, LogFormat&, ConditioningOptions& options) {
       options.torque_delay_s = value;
     }},
};

bool file_accepts(const BoundedOption& option, double value) {
  return configuration_from_yaml(
             fmt::format("{}: {{{}: {:.17g}}}", option.section, option.name, value), "arm.yaml")
      .ok();
}

/// Whether a log is read with the option, whatever becomes of its numbers.
bool program_accepts(const BoundedOption& option, double value) {
  const Robot robot = arm_of({"a"});
  const std::vector<Channel> channels = joint_channels(robot);
  const std::vector<double> time{0, 0.01}, position{0, 1}, torque{0, 1};
  LogFormat format;
  ConditioningOptions options;
  const DerivedSignals derived;
  option.set(value, format, options);
  const auto read = condition_log(array_log("log", time, position, torque),
                                  {robot, channels, format, options, derived},
                                  [](int, const Samples&) { return Done{}; });
  return read.ok() || read.error().where != fmt::format("{}.{}", option.section, option.name);
}

TEST(OptionBounds, AreTheSameForFilesAndPrograms) {
  for (const BoundedOption& option : kOptions) {
    const auto [lowest, highest] = option.bounds;
    const double below = std::nextafter(lowest, -INFINITY),
                 above = std::nextafter(highest, INFINITY);
    for (const double value : {lowest, highest}) {
      EXPECT_TRUE(file_accepts(option, value)) << option.name << " " << value;
      EXPECT_TRUE(program_accepts(option, value)) << option.name << " " << value;
    }
    for (const double value : {below, above}) {
      EXPECT_FALSE(file_accepts(option, value)) << option.name << " " << value;
      EXPECT_FALSE(program_accepts(option, value)) << option.name << " " << value;
    }
  }
}

}  // namespace
}  // namespace heft
