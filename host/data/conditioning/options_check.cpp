#include "options_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "readers/option_bounds.hpp"
#include "rows/row_kind.hpp"

namespace heft {

namespace {

Result<Done> check_per_item(const std::string& option, const std::vector<double>& values,
                            int num_items, const std::string& items) {
  const auto size = static_cast<int>(values.size());
  if (size > 1 && size != num_items)
    return Error{option, fmt::format("has {} values for {} {}", size, num_items, items),
                 "give one value for all, or one for each"};
  for (const double value : values)
    if (!(value >= 0))
      return Error{option, fmt::format("{} is negative", value), "give a value >= 0"};
  return Done{};
}

std::function<bool(double)> within(const option_bounds::Bounds& bounds) {
  return [bounds](double x) { return bounds.contains(x); };
}

Result<Done> check_angle_units(const PerJointOf<std::string>& units) {
  Result<Done> checked = Done{};
  units.for_each([&](const std::string& unit) {
    if (!option_bounds::is_angle_unit(unit))
      checked =
          Error{"log.angle_unit", "'" + unit + "' is unknown", "give \"rad\", \"deg\" or \"auto\""};
  });
  return checked;
}

Result<Done> check_numbers(const std::string& option, const PerJoint& value,
                           const std::function<bool(double)>& allowed, const std::string& rule) {
  Result<Done> checked = Done{};
  value.for_each([&](double number) {
    if (!allowed(number))
      checked = Error{option, fmt::format("{} is out of range", number), "give " + rule};
  });
  return checked;
}

}  // namespace

Result<Done> check_conditioning(const LogFormat& format, const ConditioningOptions& options,
                                int num_coordinates, int num_channels) {
  const auto refuse = [](const char* option, double value, const char* rule) {
    return Error{option, fmt::format("{} is out of range", value), std::string("give ") + rule};
  };
  const auto positive = [](double value) { return value > 0 && std::isfinite(value); };
  const auto not_negative = [](double value) { return value >= 0 && std::isfinite(value); };

  if (options.chooses_lowpass)
    return Error{"conditioning.lowpass_hz", "only heft identify and heft fleet support auto",
                 "give the cutoff that heft identify chose (cutoff.cutoff_hz in result.json)"};
  HEFT_CHECK(check_angle_units(format.angle_unit));
  if (!positive(format.time_scale))
    return refuse("log.time_scale", format.time_scale,
                  "the positive number of seconds per unit of the time column");
  if (!option_bounds::is_rate(format.rate_hz))
    return refuse("log.rate_hz", format.rate_hz,
                  "a rate from 0.01 to 1e6 Hz, or 0 to use the stamps");
  HEFT_CHECK(check_numbers("log.torque_scale", format.torque_scale, option_bounds::is_scale,
                           "N m per unit of the torque column, 1e-9 to 1e9"));
  HEFT_CHECK(check_numbers("log.position_scale", format.position_scale, option_bounds::is_scale,
                           "radians per unit of the position column, 1e-9 to 1e9"));
  HEFT_CHECK(check_numbers("log.torque_offset", format.torque_offset,
                           within(option_bounds::kTorqueOffset),
                           "an offset in N m between -1e9 and 1e9"));
  HEFT_CHECK(check_numbers("log.position_offset", format.position_offset,
                           within(option_bounds::kPositionOffset),
                           "an offset in rad between -1e6 and 1e6"));

  if (!not_negative(options.resample_hz))
    return refuse("conditioning.resample_hz", options.resample_hz,
                  "a rate in Hz, or 0 for the log's own");
  if (options.filter == FilterKind::butterworth) {
    if (!positive(options.lowpass_hz))
      return refuse("conditioning.lowpass_hz", options.lowpass_hz, "a cutoff in Hz");
    if (!not_negative(options.torque_lowpass_hz))
      return refuse("conditioning.torque_lowpass_hz", options.torque_lowpass_hz,
                    "a cutoff in Hz, or 0 for the cutoff of positions");
    if (!not_negative(options.dead_band_lowpass_hz))
      return refuse("conditioning.dead_band_lowpass_hz", options.dead_band_lowpass_hz,
                    "a cutoff in Hz, or 0 for the cutoff of positions");
    if (options.butterworth_order < 1 || options.butterworth_order > 12)
      return refuse("conditioning.butterworth_order", options.butterworth_order,
                    "an order from 1 to 12");
  }
  if (options.filter == FilterKind::savitzky_golay) {
    if (options.savgol_window < 3 || options.savgol_window > 9999 || options.savgol_window % 2 == 0)
      return refuse("conditioning.savgol_window", options.savgol_window,
                    "an odd number of samples from 3 to 9999");
    if (options.savgol_order < 0 || options.savgol_order >= std::min(options.savgol_window, 20))
      return refuse("conditioning.savgol_order", options.savgol_order,
                    "an order from 0 to below the window, at most 19");
  }
  const RowKind* const rows = find_row_kind(options.rows);
  if (!rows)
    return Error{"conditioning.rows", "unknown kind of rows '" + options.rows + "'",
                 "one of: " + row_kind_names()};
  if (rows->needs_motion_around && options.filter == FilterKind::none)
    return Error{"conditioning.rows",
                 "rows of " + options.rows + " are differences, which need a filter",
                 "choose a filter, or rows of torque"};
  if (rows->mixes_channels && !options.excluded_joints.empty())
    return Error{"joints.exclude",
                 "excludes joints, but conditioning.rows: " + options.rows +
                     " needs the torques of all joints",
                 "remove joints.exclude, or set conditioning.rows to torque, momentum or impulse"};
  if (options.filter_rows && options.filter == FilterKind::none)
    return Error{"conditioning.filter_rows", "needs a filter",
                 "set conditioning.filter, or remove filter_rows"};
  HEFT_CHECK(check_numbers("conditioning.torque_delay_s", options.torque_delay_s,
                           within(option_bounds::kTorqueDelay), "seconds, between -0.5 and 0.5"));
  if (options.trim && !option_bounds::is_trim(*options.trim))
    return refuse("conditioning.trim", *options.trim, "a number of samples >= 0");
  if (options.keep_every < 1)
    return refuse("conditioning.keep_every", options.keep_every, "a number >= 1");
  if (!not_negative(options.max_gap_s))
    return refuse("conditioning.max_gap_s", options.max_gap_s, "seconds, or 0 for ten periods");
  if (options.window < 1)
    return refuse("conditioning.window", static_cast<double>(options.window), "a number >= 1");
  HEFT_CHECK(
      check_per_item("conditioning.dead_band", options.dead_band, num_coordinates, "coordinates"));
  HEFT_CHECK(
      check_per_item("conditioning.torque_limit", options.torque_limit, num_channels, "channels"));
  return Done{};
}

}  // namespace heft
