// Conditions segments of logs on a device: threads place rows on the grid, filter a channel over
// time, and make samples. The same steps as host/data/conditioning, from
// heft/core/conditioning.hpp.
#pragma once

#include <cmath>
#include <type_traits>

#include "../unroll.hpp"
#include "heft/core/conditioning.hpp"
#include "log_task.hpp"

namespace heft::kernels {

/// A value of every row of an array whose rows follow each other.
template <class Number>
struct ColumnOf {
  Number* first;
  long long stride;
  HEFT_HD Number& operator[](long long row) const { return first[row * stride]; }
};

/// Values that a thread loads before it uses the first of them. Its warp is often alone on a
/// multiprocessor, so that nothing else hides the latency of loads; these wait together.
inline constexpr int kLoadsAhead = 8;

/// Calls use(i, load(i)) for i = 0, 1, .. count - 1. load(i) must not depend on use of the
/// kLoadsAhead - 1 values before i.
template <class Load, class Use>
HEFT_HD void load_ahead(long long count, const Load& load, const Use& use) {
  long long i = 0;
  for (; i + kLoadsAhead <= count; i += kLoadsAhead) {
    decltype(load(i)) loaded[kLoadsAhead];
    HEFT_UNROLL
    for (int k = 0; k < kLoadsAhead; ++k) loaded[k] = load(i + k);
    HEFT_UNROLL
    for (int k = 0; k < kLoadsAhead; ++k) use(i + k, loaded[k]);
  }
  for (; i < count; ++i) use(i, load(i));
}

/// Places the uniform rows of a segment: one thread per log, since each time follows from the last.
HEFT_HD void place_rows(const LogTask& log) {
  core::GridClock clock{log.period, log.tolerance, log.is_even != 0, 0, 0, 0};
  const auto put = [&](long long row, double share, double time) {
    const long long at = clock.num_placed - 1;
    if (at >= log.max_uniform) return;
    log.row_of[at] = row;
    log.share[at] = share;
    log.uniform_time[at] = time;
  };
  double last = log.time[0];
  clock.begin(last);
  put(0, -1, last);
  const auto time_of = [&](long long i) { return log.time[i + 1]; };
  load_ahead(log.num_rows - 1, time_of, [&](long long i, double here) {
    for (double time = clock.next(); clock.num_placed <= log.max_uniform; time = clock.next()) {
      const core::GridPlace place = clock.place(here, time);
      if (place == core::GridPlace::before) break;
      const bool is_between = place == core::GridPlace::interpolated;
      put(i + 1, is_between ? core::share_of_step(time, last, here) : -1, time);
    }
    last = here;
  });
  *log.num_uniform = clock.num_placed;
}

/// The number of uniform rows that there is memory for.
HEFT_HD long long uniform_rows(const LogTask& log) {
  return *log.num_uniform < log.max_uniform ? *log.num_uniform : log.max_uniform;
}

/// The logged values of a column in SI units, by row.
struct LoggedColumn {
  const double* first;
  long long stride;
  ValueColumn column;
  HEFT_HD double operator[](long long row) const {
    return core::in_si_units(first[row * stride], column.scale, column.offset);
  }
};

HEFT_HD LoggedColumn logged_column(const LogTask& log, int value) {
  return {log.values + value, log.num_values, log.columns[value]};
}

/// Logged values around a uniform row; `before` is unused if share is negative.
struct GridValue {
  double before, here, share;
  HEFT_HD double value() const {
    return share < 0 ? here : core::value_between(before, here, share);
  }
};

HEFT_HD GridValue grid_value(const LogTask& log, const LoggedColumn& logged, long long i) {
  const long long row = log.row_of[i];
  const double share = log.share[i];
  return {logged[share < 0 ? row : row - 1], logged[row], share};
}

/// Sets the uniform rows of a value of motion.
HEFT_HD void fill_motion(const LogTask& log, int value, const ColumnOf<double>& x) {
  const LoggedColumn logged = logged_column(log, value);
  load_ahead(
      uniform_rows(log), [&](long long i) { return grid_value(log, logged, i); },
      [&](long long i, const GridValue& around) { x[i] = around.value(); });
}

/// The number of logged rows of a value that are not a number.
HEFT_HD unsigned long long num_missing_rows(const LogTask& log, int value) {
  const LoggedColumn logged = logged_column(log, value);
  unsigned long long num_missing = 0;
  load_ahead(
      log.num_rows, [&](long long row) { return logged[row]; },
      [&](long long, double number) { num_missing += number != number; });
  return num_missing;
}

/// The flags of a logged torque.
HEFT_HD std::uint32_t flags_of(double torque, double clipped_at) {
  if (torque != torque) return kFlagNotANumber;
  const double size = torque < 0 ? -torque : torque;
  return size >= clipped_at ? kFlagClipped : 0;
}

/// Sets the uniform rows and flags of a torque; an interpolated row has the flags of both rows.
/// Returns whether a number is missing.
HEFT_HD bool fill_torque(const LogTask& log, int value, const ColumnOf<double>& x,
                         const ColumnOf<std::uint32_t>& flags) {
  const LoggedColumn logged = logged_column(log, value);
  std::uint32_t all_flags = 0;
  load_ahead(
      uniform_rows(log), [&](long long i) { return grid_value(log, logged, i); },
      [&](long long i, const GridValue& around) {
        x[i] = around.value();
        std::uint32_t of_row = flags_of(around.here, logged.column.clipped_at);
        if (around.share >= 0) of_row |= flags_of(around.before, logged.column.clipped_at);
        flags[i] = of_row;
        all_flags |= of_row;
      });
  return (all_flags & kFlagNotANumber) != 0;
}

/// Fills missing torques: linearly to the next number over at most a guard of rows, with the last
/// number before that.
HEFT_HD void bridge(const LogTask& log, const ColumnOf<std::uint32_t>& flags,
                    const ColumnOf<double>& x) {
  const long long n = uniform_rows(log);
  double last = 0;
  bool is_known = false;
  long long missing = 0;
  for (long long i = 0; i < n; ++i) {
    if ((flags[i] & kFlagNotANumber) != 0) {
      x[i] = last;
      ++missing;
      continue;
    }
    if (missing > 0) {
      const long long span = missing < log.guard ? missing : log.guard;
      if (!is_known && missing <= log.guard) last = x[i];
      for (long long j = 1; j <= span; ++j)
        x[i - span - 1 + j] = core::bridged_value(last, x[i], j, span);
    }
    last = x[i];
    is_known = true;
    missing = 0;
  }
}

/// Marks rows within `radius` of a missing number as without one, in a pass forward and one
/// backward.
HEFT_HD void mark_near_missing(const LogTask& log, long long radius,
                               const ColumnOf<std::uint32_t>& flags) {
  constexpr std::uint32_t kNear = 4;
  const long long n = uniform_rows(log);
  long long left = 0;
  for (long long i = 0; i < n; ++i) {
    if ((flags[i] & kFlagNotANumber) != 0) left = radius + 1;
    if (left == 0) continue;
    flags[i] |= kNear;
    --left;
  }
  left = 0;
  for (long long i = n - 1; i >= 0; --i) {
    if ((flags[i] & kFlagNotANumber) != 0) left = radius + 1;
    if (left == 0) continue;
    flags[i] |= kNear;
    --left;
  }
  for (long long i = 0; i < n; ++i) {
    const std::uint32_t missing = (flags[i] & kNear) != 0 ? kFlagNotANumber : 0;
    flags[i] = (flags[i] & kFlagClipped) | missing;
  }
}

/// core::filter_section() with the products and sums that lanes of the CPU fuse
/// (cmake/lanes.cmake).
HEFT_HD double filter_as_lanes(const FilterSection& section, double value, double& near,
                               double& far) {
  const double y = fma(section.b0, value, near);
  near = fma(-section.a1, y, fma(section.b1, value, far));
  far = fma(section.b2, value, -(section.a2 * y));
  return y;
}

/// Filters rows first, first + step, .. in place, from rest on the first value.
HEFT_HD void filter_one_way(const LowPass& filter, const ColumnOf<double>& x, long long first,
                            long long count, long long step) {
  const double rest = x[first];  // of all sections, whose gain is one
  for (int s = 0; s < filter.num_sections; ++s) {
    const FilterSection section = filter.sections[s];
    double far = (section.b2 - section.a2) * rest;
    double near = fma(section.b1 - section.a1, rest, far);
    load_ahead(
        count, [&](long long i) { return x[first + i * step]; },
        [&](long long i, double value) {
          x[first + i * step] = filter_as_lanes(section, value, near, far);
        });
  }
}

/// Low-pass without delay of `n` values; `y` has room for the padding before and behind them.
HEFT_HD void low_pass(const LowPass& filter, long long n, const ColumnOf<double>& x,
                      const ColumnOf<double>& y) {
  if (filter.window > 0) {
    for (long long i = 0; i < n; ++i)
      y[i] = core::smoothed_by_window<long long>(filter.projection, filter.window, x, i, n);
    return;
  }
  load_ahead(
      n, [&](long long i) { return x[i]; }, [&](long long i, double value) { y[i] = value; });
  if (filter.num_sections == 0) return;
  for (long long k = 1; k <= filter.padding; ++k) {
    y[-k] = core::reflected(y[0], y[k]);
    y[n - 1 + k] = core::reflected(y[n - 1], y[n - 1 - k]);
  }
  const long long total = n + 2 * filter.padding;
  filter_one_way(filter, y, -filter.padding, total, 1);
  filter_one_way(filter, y, n - 1 + filter.padding, total, -1);
}

/// The column of a value in an array with padding.
HEFT_HD ColumnOf<double> padded_column(const LogTask& log, double* values, int value) {
  return {values + log.most_padding * log.num_values + value, log.num_values};
}

/// The column of flags of a torque.
HEFT_HD ColumnOf<std::uint32_t> flag_column(const LogTask& log, int value) {
  return {log.flags + (value - log.num_motions), log.num_values - log.num_motions};
}

/// Conditions one value over time, one thread per value. Returns the number of rows of motion
/// without a number.
HEFT_HD unsigned long long condition_value(const LogTask& log, int value) {
  const ColumnOf<double> x{log.uniform + value, log.num_values};
  const bool is_torque = value >= log.num_motions;
  const long long n = uniform_rows(log);
  unsigned long long num_missing = 0;
  if (is_torque) {
    const ColumnOf<std::uint32_t> flags = flag_column(log, value);
    if (fill_torque(log, value, x, flags)) {
      bridge(log, flags, x);
      mark_near_missing(log, log.columns[value].near_missing, flags);
    }
  } else {
    fill_motion(log, value, x);
    num_missing = num_missing_rows(log, value);
  }
  LowPass filter = log.motion;
  if (is_torque) filter = log.torque;
  low_pass(filter, n, x, padded_column(log, log.filtered, value));
  if (!is_torque && log.slow != nullptr)
    low_pass(log.dead_band, n, x, padded_column(log, log.slow, value));
  return num_missing;
}

/// The derivative of a signal as a signal.
template <class Signal>
struct DerivativeOf {
  Signal signal;
  long long n;
  double step;
  HEFT_HD double operator[](long long i) const {
    return core::derivative_at<long long>(signal, i, n, step);
  }
};

/// A signal some rows later, which may be a fraction.
template <class Signal>
HEFT_HD double value_later(const Signal& signal, long long i, long long n, double rows) {
  if (rows == 0) return signal[i];
  const long long whole = core::whole_rows(rows);
  const core::CubicWeights weights = core::cubic_weights(rows - static_cast<double>(whole));
  return core::value_at_cubic<long long>(signal, i + whole, n, weights);
}

/// Sets the motion of one coordinate in sample `k`, which is uniform row `i`.
HEFT_HD void put_motion(const LogTask& log, long long k, long long i, int coordinate) {
  const long long n = uniform_rows(log), at = k + coordinate * log.max_kept;
  const double later = -log.motion_delay;
  const ColumnOf<double> position = padded_column(log, log.filtered, coordinate);
  const DerivativeOf<ColumnOf<double>> slope{position, n, log.period};
  log.position[at] = value_later(position, i, n, later);
  const auto put_acceleration = [&](const auto& velocity) {
    const DerivativeOf<std::decay_t<decltype(velocity)>> change{velocity, n, log.period};
    log.velocity[at] = value_later(velocity, i, n, later);
    log.acceleration[at] =
        log.first_acceleration < 0
            ? value_later(change, i, n, later)
            : value_later(padded_column(log, log.filtered, log.first_acceleration + coordinate), i,
                          n, later);
  };
  if (log.first_velocity < 0)
    put_acceleration(slope);
  else
    put_acceleration(padded_column(log, log.filtered, log.first_velocity + coordinate));
}

/// The speed that the dead band tests in uniform row `i`.
HEFT_HD double slow_speed(const LogTask& log, long long i, int coordinate) {
  if (log.first_velocity >= 0)
    return padded_column(log, log.slow, log.first_velocity + coordinate)[i];
  return core::derivative_at<long long>(padded_column(log, log.slow, coordinate), i,
                                        uniform_rows(log), log.period);
}

/// Sets torque and weight of one channel in sample `k`, which is uniform row `i`. A dropped torque
/// is zero.
HEFT_HD core::DropReason put_torque(const LogTask& log, long long k, long long i, int c) {
  const TorqueChannel channel = log.channels[c];
  const long long n = uniform_rows(log), at = k + c * log.max_kept;
  log.torque_out[at] = log.weight[at] = 0;
  if (channel.value < 0) return core::DropReason::none;
  const std::uint32_t flags = flag_column(
      log, channel.value)[core::index_within<long long>(i + core::nearest_row(channel.delay), n)];
  const core::DropReason reason = core::drop_reason(
      (flags & kFlagNotANumber) != 0, (flags & kFlagClipped) != 0,
      channel.band > 0 ? slow_speed(log, i, channel.coordinate) : 0, channel.band);
  if (reason != core::DropReason::none) return reason;
  log.weight[at] = 1;
  log.torque_out[at] =
      value_later(padded_column(log, log.filtered, channel.value), i, n, channel.delay) /
      channel.gain;
  return reason;
}

/// The number of samples of a log.
HEFT_HD long long kept_rows(const LogTask& log) {
  const long long left = uniform_rows(log) - 2 * log.trim;
  return left > 0 ? (left + log.keep_every - 1) / log.keep_every : 0;
}

}  // namespace heft::kernels
