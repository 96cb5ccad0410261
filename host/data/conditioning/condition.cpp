// The pipeline of log.hpp: source, joined -> rows -> clock -> segments -> uniform grid -> windows
// -> blocks of samples.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "base_pose.hpp"
#include "conditioning/expressions.hpp"
#include "conditioning/log_columns.hpp"
#include "conditioning/position_range.hpp"
#include "conditioning/unwrap.hpp"
#include "heft/log/log.hpp"
#include "log_rows.hpp"
#include "options_check.hpp"
#include "probed_rows.hpp"
#include "readers/log_table.hpp"
#include "retimed_rows.hpp"
#include "rows/unknown_wrenches.hpp"
#include "segment.hpp"
#include "segment_sink.hpp"
#include "time_base.hpp"
#include "uniform_grid.hpp"
#include "window.hpp"

namespace heft {

namespace {

using WallClock = std::chrono::steady_clock;

constexpr double kMaxBetween = 1e5;     ///< samples interpolated between two rows
constexpr double kTrimmedPeriods = 2;   ///< of the cutoff
constexpr int kTrimmedDifferences = 2;  ///< samples that two central differences lack

// Reads the rows that determine the clock; they are conditioned later like all others.
Result<ProbedRows> read_probe(const std::function<Result<bool>(LogRow&)>& next,
                              const std::string& path) {
  ProbedRows probe;
  LogRow row;
  while (probe.size() <= kProbedSteps) {
    HEFT_TRY(found, next(row));
    if (!found) break;
    probe.add(row);
  }
  if (probe.size() == 0)
    return Error{path, "has a header but no rows", "record the log again, or name another file"};
  if (probe.size() < 2)
    return Error{path, "has fewer than two rows with different times", "record a longer log"};
  return probe;
}

Result<TimeBase> probe_time_base(const ProbedRows& probe, const ConditioningOptions& options) {
  std::vector<double> steps;
  for (std::size_t k = 1; k < probe.size(); ++k) steps.push_back(probe.time(k) - probe.time(k - 1));
  return judge_time_base(std::move(steps), options);
}

// Default trim: samples at the ends that filter and differences distort.
int trim_of(const ConditioningOptions& options, double torque_lowpass_hz, double period) {
  switch (options.filter) {
    case FilterKind::butterworth:
      return static_cast<int>(std::ceil(kTrimmedPeriods / (torque_lowpass_hz * period)));
    case FilterKind::savitzky_golay:
      return options.savgol_window;
    case FilterKind::none:
      break;
  }
  return kTrimmedDifferences;
}

constexpr double kRowCutoff = 0.5;  ///< of rows computed from the motion around them, over that
                                    ///< of motion

// A filter shared with the torque removes only noise from such rows. Below half the cutoff of the
// motion, it changes them by less than 1/256 at order four.
Result<Smoother> make_row_lowpass(FilterOptions filter, double lowpass_hz, double rate_hz) {
  filter.savgol_window = static_cast<int>(filter.savgol_window / kRowCutoff) | 1;
  return Smoother::make(filter, kRowCutoff * lowpass_hz, rate_hz, "conditioning.lowpass_hz");
}

Result<ConditioningPlan> make_conditioning_plan(const Robot& robot,
                                                const std::vector<Channel>& channels,
                                                const ConditioningOptions& options,
                                                const LogColumns& columns, double period) {
  const double torque_lowpass_hz = options.torque_cutoff_hz();
  const FilterOptions filter{options.filter, options.butterworth_order, options.savgol_window,
                             options.savgol_order};
  HEFT_TRY(motion,
           Smoother::make(filter, options.lowpass_hz, 1 / period, "conditioning.lowpass_hz"));
  HEFT_TRY(torque,
           Smoother::make(filter, torque_lowpass_hz, 1 / period, "conditioning.torque_lowpass_hz"));
  const double dead_band_lowpass_hz =
      options.dead_band_lowpass_hz > 0 ? options.dead_band_lowpass_hz : options.lowpass_hz;
  HEFT_TRY(dead_band, Smoother::make(filter, dead_band_lowpass_hz, 1 / period,
                                     "conditioning.dead_band_lowpass_hz"));
  ConditioningPlan plan{options, columns,  robot.num_coordinates(), {}, period, 0, motion,
                        torque,  dead_band};
  const PerJoint& delay = options.torque_delay_s;
  plan.motion_delay = delay.is_one() ? delay.for_all / period : 0;
  for (const Channel& channel : channels) {
    plan.channel_coordinates.push_back(channel.coordinate);
    plan.torque_delay.push_back(delay.of(channel.name, channel.coordinate) / period -
                                plan.motion_delay);
  }
  const int trim = options.trim ? *options.trim : trim_of(options, torque_lowpass_hz, period);
  plan.trim = std::max(trim, static_cast<int>(plan.longest_delay()));
  plan.rows = find_row_kind(options.rows);
  if (plan.rows->needs_motion_around) {
    if (!delay.is_one())
      return Error{"conditioning.torque_delay_s",
                   "differs between joints, which rows of " + options.rows + " do not support",
                   "give one delay for all joints, or use rows of torque"};
    if (!options.filter_rows) {
      HEFT_TRY(
          row_lowpass,
          make_row_lowpass(filter, std::min(options.lowpass_hz, torque_lowpass_hz), 1 / period));
      plan.row_lowpass = row_lowpass;
    }
  }
  return plan;
}

/// Unknown wrenches are removed only from filtered rows of torque, and need torques.
void add_unknown_wrenches(const DerivedSignals& derived, ConditioningPlan& plan) {
  if (!derived.unknown_wrenches || !plan.options.filter_rows || plan.rows->needs_motion_around ||
      plan.columns.num_torques() == 0)
    return;
  constexpr std::int64_t kWindow = 4096;  ///< rows of all columns of a window are in memory
  plan.unknown_wrenches = derived.unknown_wrenches;
  plan.contact_reach =
      static_cast<int>(std::ceil(derived.unknown_wrenches->reach_s / plan.period)) + 1;
  plan.options.window = std::min(plan.options.window, kWindow);
}

/// Conditions segments window by window.
class ConditionedSegments final : public SegmentSink {
 public:
  ConditionedSegments(const ReadLog& log, const BlockSink& sink)
      : grid_(log.base),
        emit_([&sink, &summary = log.summary](const Samples& block) {
          summary.num_samples += block.size();
          return sink(summary.num_segments, block);
        }),
        conditioner_(log.plan, log.expressions, emit_, log.summary.dropped) {}

  Result<Done> start(const LogRow& row) override {
    grid_.start(row);
    return conditioner_.push(row);
  }
  Result<Done> add(const LogRow& row) override {
    return grid_.advance(row, [&](const LogRow& uniform) { return conditioner_.push(uniform); });
  }
  Result<bool> finish() override { return conditioner_.finish(); }
  std::int64_t num_interpolated() const override { return grid_.num_interpolated(); }

 private:
  UniformGrid grid_;
  std::function<Result<Done>(const Samples&)> emit_;
  SegmentConditioner conditioner_;
};

/// Cuts the stream of rows into segments.
class SegmentedLog {
 public:
  SegmentedLog(const ReadLog& log, SegmentSink& sink)
      : base_(log.base),
        sink_(sink),
        num_channels_(log.plan.num_channels()),
        summary_(log.summary) {}

  Result<Done> push(const LogRow& row) {
    const double step = row.time - previous_time_;
    const bool first_row = !any_row_;
    previous_time_ = row.time;
    any_row_ = true;
    const bool pause = !first_row && step > base_.max_gap;
    if (pause) {
      ++num_pauses_;
      paused_s_ += step;
    }
    if (!first_row && !pause)
      summary_.jitter =
          std::max(summary_.jitter, std::abs(step - base_.median_step) / base_.median_step);

    if (!first_row && !pause && step > kMaxBetween * base_.period)
      return Error{
          "conditioning.max_gap_s",
          fmt::format("a pause of {:.3g} s would be filled with {:.3g} samples on a straight line",
                      step, step / base_.period),
          "choose a value shorter than the log's pauses; 0 means ten periods"};
    if (!row.motion_known) {
      summary_.dropped[dropped_because::kNotANumber] += num_channels_;
      return finish();
    }
    if (open_ && !pause) return sink_.add(row);
    HEFT_CHECK(finish());
    open_ = true;
    return sink_.start(row);
  }

  std::int64_t num_pauses() const { return num_pauses_; }
  double paused_s() const { return paused_s_; }

  /// Ends the current segment, if any.
  Result<Done> finish() {
    if (!open_) return Done{};
    open_ = false;
    HEFT_TRY(is_long_enough, sink_.finish());
    if (is_long_enough) ++summary_.num_segments;
    summary_.num_interpolated = sink_.num_interpolated();
    return Done{};
  }

 private:
  TimeBase base_;
  SegmentSink& sink_;
  int num_channels_;
  LogSummary& summary_;
  bool open_ = false;
  bool any_row_ = false;
  double previous_time_ = 0;
  std::int64_t num_pauses_ = 0;
  double paused_s_ = 0;
};

ReadingTimes reading_times(const ReadAhead& reading, double total_s) {
  return {.disk_s = reading.disk_seconds(),
          .parsing_s = reading.parsing_seconds(),
          .computing_s = total_s - reading.waiting_seconds(),
          .total_s = total_s};
}

/// Rows over duration, if lost rows make it differ from the grid's rate.
void report_rate(const LogRows& rows, const SegmentedLog& log, LogSummary& summary) {
  constexpr double kSame = 1e-3;
  const auto num_steps =
      static_cast<double>(rows.num_rows() - rows.num_repeated() - 1 - log.num_pauses());
  const double duration = summary.duration_s - log.paused_s();
  if (!(num_steps > 0 && duration > 0)) return;
  const double rate = num_steps / duration;
  if (std::abs(rate - summary.rate_hz) > kSame * rate) summary.rate_hz = rate;
}

Error nothing_left(const LogSummary& summary) {
  std::string reasons;
  for (const auto& [reason, rows] : summary.dropped)
    reasons += fmt::format("{}{} {}", reasons.empty() ? "" : ", ", reason, rows);
  return Error{summary.path,
               fmt::format("conditioning drops all {} rows (rows dropped over all channels: {})",
                           summary.num_rows, reasons),
               "record longer, trim less, or raise max_gap_s if pauses split the log"};
}

}  // namespace

std::vector<double> torque_limits(const LogColumns& columns, const std::vector<Channel>& channels,
                                  const ConditioningOptions& options) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  std::vector<double> limits(static_cast<std::size_t>(columns.num_torques()));
  for (std::size_t c = 0; c < columns.torque.size(); ++c)
    if (const int value = columns.torque[c]; value >= 0)
      limits[static_cast<std::size_t>(value - columns.first_torque)] =
          channels[c].is_sensor ? kNone : option_of(options.torque_limit, c, kNone);
  return limits;
}

Result<LogSummary> read_segments(const Log& recorded, const LogReading& reading,
                                 const MakeSegmentSink& make_sink, const HearFraction& progress) {
  const auto& [robot, channels, format, options, derived] = reading;
  const auto num_channels = static_cast<int>(channels.size());
  const auto num_limited = std::count_if(channels.begin(), channels.end(),
                                         [](const Channel& c) { return !c.is_sensor; });
  HEFT_CHECK(
      check_conditioning(format, options, robot.num_coordinates(), static_cast<int>(num_limited)));
  const auto start = WallClock::now();
  HEFT_TRY(log_table, open_table(recorded, format, options.max_gap_s));
  const SourcePtr& source = log_table.source;
  const std::string& path = source->name();
  const ColumnGroup& table = log_table.columns();
  HEFT_TRY(expressions, Expressions::compile(derived, robot, channels, table.columns));
  HEFT_TRY(columns,
           find_log_columns(table, robot, channels, format, options, expressions.log_columns(),
                            source->where(), derived.base_is_free));
  HEFT_TRY(unwrapping, Unwrapping::make(format, robot, columns));
  HEFT_TRY(rows, LogRows::open(*source, columns, format.time_scale,
                               torque_limits(columns, channels, options)));
  double last_reported = 0;
  BasePoseRows poses(columns);
  const auto next_logged = [&](LogRow& row) {
    auto found = rows.next(row);
    if (found && *found) {
      const auto place = [&] { return source->where(0, row.line); };
      if (const auto posed = poses.apply(row.time, row.values, place); !posed)
        found = posed.error();
    }
    if (progress && last_reported != rows.reading().fraction_read()) {
      last_reported = rows.reading().fraction_read();
      progress(last_reported);
    }
    return found;
  };
  const bool retimes = format.retime == Retiming::automatic;
  RetimedRows retimed(next_logged, columns, robot.num_coordinates());
  const auto next = [&](LogRow& row) { return retimes ? retimed.next(row) : next_logged(row); };
  HEFT_TRY(probe, read_probe(next, path));
  HEFT_TRY(base, probe_time_base(probe, options));
  HEFT_TRY(plan, make_conditioning_plan(robot, channels, options, columns, base.period));
  plan.X_root_frame = derived.X_root_frame;
  plan.gravity = robot.gravity;
  add_unknown_wrenches(derived, plan);

  LogSummary summary;
  summary.path = path;
  summary.part = recorded.part();
  summary.rate_hz = 1 / base.period;
  summary.sample_period_s = base.period * options.keep_every;
  summary.filter_reach_s = base.period * plan.reach();
  const ReadLog read{plan, base, expressions, summary};
  HEFT_TRY(segments, make_sink(read));
  SegmentedLog log(read, *segments);
  const auto push = [&](LogRow& row) -> Result<Done> {
    if (unwrapping.is_needed())
      HEFT_CHECK(unwrapping.apply(row.time, base.max_gap, row.values,
                                  [&] { return source->where(0, row.line); }));
    return log.push(row);
  };
  LogRow row;
  for (std::size_t k = 0; k < probe.size(); ++k) {
    probe.copy(k, row);
    HEFT_CHECK(push(row));
  }
  probe = {};

  for (;;) {
    HEFT_TRY(found, next(row));
    if (!found) break;
    HEFT_CHECK(push(row));
  }
  HEFT_CHECK(log.finish());

  HEFT_TRY(sha256, source->sha256());
  summary.sha256 = sha256;
  summary.reading = reading_times(rows.reading(),
                                  std::chrono::duration<double>(WallClock::now() - start).count());
  summary.filled = *log_table.filled;
  summary.bridged = *log_table.bridged;
  summary.losses = source->losses();
  summary.num_rows = rows.num_rows();
  summary.shift_s = retimed.rms_shift();
  summary.duration_s = rows.last_time() - rows.first_time();
  if (log_table.clock->state == ClockState::rebuilt) summary.clock_step_s = log_table.clock->step_s;
  if (!(options.resample_hz > 0)) report_rate(rows, log, summary);
  if (rows.num_repeated() > 0)
    summary.dropped[dropped_because::kRepeatedStamp] = rows.num_repeated() * num_channels;
  return summary;
}

Result<Done> check_samples(const LogSummary& summary, const PositionRange& range,
                           const LogReading& reading) {
  if (summary.num_samples == 0) return nothing_left(summary);
  return range.check(reading.format, reading.robot, summary.path);
}

Result<LogSummary> condition_log(const Log& recorded, const LogReading& reading,
                                 const BlockSink& sink, const HearFraction& progress) {
  PositionRange range;
  const BlockSink seen = [&](int segment, const Samples& block) {
    range.add(block.position);
    return sink(segment, block);
  };
  const auto make_sink = [&](const ReadLog& log) -> Result<std::unique_ptr<SegmentSink>> {
    return std::unique_ptr<SegmentSink>(std::make_unique<ConditionedSegments>(log, seen));
  };
  HEFT_TRY(summary, read_segments(recorded, reading, make_sink, progress));
  HEFT_CHECK(check_samples(summary, range, reading));
  return summary;
}

}  // namespace heft
