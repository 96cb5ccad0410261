#include "segment_plan.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "options_check.hpp"
#include "segment.hpp"
#include "signal/savitzky_golay.hpp"
#include "uniform_grid.hpp"

namespace heft {

namespace {

SegmentPlan::LowPass low_pass(const ConditioningOptions& options, double cutoff_hz, double period) {
  switch (options.filter) {
    case FilterKind::butterworth:
      return {.sections = butterworth_lowpass(options.butterworth_order, cutoff_hz * period),
              .padding = padding_samples(options.butterworth_order)};
    case FilterKind::savitzky_golay:
      return {.projection = savitzky_golay_projection(options.savgol_window, options.savgol_order)};
    case FilterKind::none:
      break;
  }
  return {};
}

}  // namespace

std::string unsupported_on_device(const LogReading& reading) {
  const ConditioningOptions& options = reading.options;
  const DerivedSignals& derived = reading.derived;
  if (options.filter_rows) return "conditioning.filter_rows is set";
  if (options.rows != "torque") return "rows of " + options.rows + " depend on neighboring samples";
  if (!derived.known_torque.empty() || !derived.signals.empty() || !derived.functions.empty() ||
      derived.payload)
    return "torques or columns use expressions or functions";
  return "";
}

std::string unsupported_on_device(const ConditioningPlan& plan) {
  const LogColumns& columns = plan.columns;
  if (columns.first_base_angular_velocity >= 0 || columns.first_base_position >= 0)
    return "the base moves";
  if (columns.num_extra > 0) return "expressions use columns of the log";
  if (columns.num_torques() == 0) return "it has no torques";
  if (columns.first_position != 0) return "positions are not its first columns";
  std::set<int> values;
  for (const int value : columns.torque)
    if (value >= 0 && !values.insert(value).second) return "two channels share a column";
  return "";
}

SegmentPlan segment_plan(const ReadLog& log, const LogReading& reading) {
  const ConditioningPlan& plan = log.plan;
  const ConditioningOptions& options = plan.options;
  const LogColumns& columns = plan.columns;
  const double slow_hz =
      options.dead_band_lowpass_hz > 0 ? options.dead_band_lowpass_hz : options.lowpass_hz;
  SegmentPlan of_device{.num_values = columns.num_values(),
                        .num_motions = columns.first_torque,
                        .num_coordinates = plan.num_coordinates,
                        .period = plan.period,
                        .tolerance = grid_clock(log.base).tolerance,
                        .is_even = log.base.even,
                        .motion = low_pass(options, options.lowpass_hz, plan.period),
                        .torque = low_pass(options, options.torque_cutoff_hz(), plan.period),
                        .dead_band = low_pass(options, slow_hz, plan.period),
                        .has_dead_band = !options.dead_band.empty(),
                        .guard = SegmentReach(plan).guard,
                        .first_velocity = columns.first_velocity,
                        .first_acceleration = columns.first_acceleration,
                        .motion_delay = plan.motion_delay,
                        .trim = plan.trim,
                        .keep_every = options.keep_every};
  const std::int64_t radius = plan.torque.nan_radius();
  for (const double limit : torque_limits(columns, reading.channels, options))
    of_device.torques.push_back({limit, radius});
  for (std::size_t c = 0; c < columns.torque.size(); ++c) {
    const int value = columns.torque[c], coordinate = plan.channel_coordinates[c];
    const double delay = plan.torque_delay[c];
    if (value >= 0 && delay != std::floor(delay)) {  // the cubic spreads a wrong number
      auto& torque = of_device.torques[static_cast<std::size_t>(value - columns.first_torque)];
      torque.near_missing = std::max<std::int64_t>(radius, 2);
    }
    of_device.channels.push_back(
        {.value = value,
         .coordinate = coordinate,
         .delay = delay,
         .gain = log.expressions.torque_gain(static_cast<int>(c)),
         .band = coordinate < 0
                     ? 0
                     : option_of(options.dead_band, static_cast<std::size_t>(coordinate), 0.0)});
  }
  return of_device;
}

}  // namespace heft
