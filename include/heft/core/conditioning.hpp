// Steps of the conditioning of a log, one channel at a time: places on a uniform grid, low-pass
// filters, derivatives, delays and the reasons to drop a row (FORMULAS 7). Lanes of the CPU and
// threads of a device compute them from here. A signal is any type with operator[]; indices are
// signed. Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/platform.hpp"

namespace heft::core {

/// A logged number in SI units.
HEFT_HD double in_si_units(double raw, double scale, double offset) {
  return raw * scale - offset;
}

// resampling

/// Where a logged row stands relative to the next uniform time.
enum class GridPlace {
  before,        ///< the row is too early: the next row is needed
  own_stamp,     ///< the row is the uniform row, with its own time
  on_time,       ///< the row is the uniform row, at the uniform time
  interpolated,  ///< the uniform row is between the previous row and this one
};

/// Uniform times of a segment. In an even log a row that follows one period after the last uniform
/// row within `tolerance` keeps its own stamp; otherwise uniform times are start + k period.
struct GridClock {
  double period, tolerance;  ///< [s]
  bool even;
  double start, last;    ///< times of the first and the last uniform row [s]
  long long num_placed;  ///< uniform rows so far

  /// Starts a segment at its first row.
  HEFT_HD void begin(double time) {
    start = last = time;
    num_placed = 1;
  }
  HEFT_HD double next() const {
    return even ? last + period : start + static_cast<double>(num_placed) * period;
  }
  /// Places a row at `row_time`; `time` is next() and becomes that of the uniform row. The clock
  /// advances unless the place is `before`.
  HEFT_HD GridPlace place(double row_time, double& time) {
    if (row_time < time - tolerance) return GridPlace::before;
    ++num_placed;
    const bool is_here = row_time <= time + tolerance;
    if (even && is_here) time = row_time;
    last = time;
    if (!is_here) return GridPlace::interpolated;
    return even ? GridPlace::own_stamp : GridPlace::on_time;
  }
};

/// The share of the way from one time to the next, 0 to 1.
HEFT_HD double share_of_step(double time, double before, double after) {
  const double share = (time - before) / (after - before);
  return share < 0 ? 0 : share > 1 ? 1 : share;
}

/// A value at a share of the way between two.
HEFT_HD double value_between(double before, double after, double share) {
  return before + share * (after - before);
}

/// Value `step` of `missing` between two known ones, of equal distances.
HEFT_HD double bridged_value(double before, double after, long long step, long long missing) {
  return before + (after - before) * static_cast<double>(step) / static_cast<double>(missing + 1);
}

// low-pass filters

/// Sets the states of a section for a signal that has rested at this value. `Section` has b0, b1,
/// b2, a1, a2.
template <class Section, class Scalar>
HEFT_HD void rest_section(const Section& section, const Scalar& value, Scalar& near, Scalar& far) {
  far = (section.b2 - section.a2) * value;
  near = (section.b1 - section.a1) * value + far;
}

/// Filters one value by a section in transposed direct form II.
template <class Section, class Scalar>
HEFT_HD Scalar filter_section(const Section& section, const Scalar& value, Scalar& near,
                              Scalar& far) {
  const Scalar y = section.b0 * value + near;
  near = (section.b1 * value + far) - section.a1 * y;  // only one product depends on y
  far = section.b2 * value - section.a2 * y;
  return y;
}

/// Odd reflection of a value about the end of a signal.
template <class Scalar>
HEFT_HD Scalar reflected(const Scalar& end, const Scalar& value) {
  return 2 * end - value;
}

/// Value `i` of a signal of `n` values, smoothed by polynomials of a window. `projection` has
/// window x window numbers in columns; ends use the rows of the first and the last window.
template <class Index, class Signal>
HEFT_HD double smoothed_by_window(const double* projection, Index window, const Signal& signal,
                                  Index i, Index n) {
  const Index half = window / 2;
  const Index first = i < half ? 0 : i >= n - half ? n - window : i - half;
  double sum = 0;
  for (Index k = 0; k < window; ++k)
    sum += projection[(i - first) + k * window] * signal[first + k];
  return sum;
}

// derivatives and delays

/// The derivative between two values that are two steps apart.
HEFT_HD double central_difference(double before, double after, double step) {
  return (after - before) / (2 * step);
}

/// The derivative of a signal of `n` values at value `i`; one-sided at both ends.
template <class Index, class Signal>
HEFT_HD double derivative_at(const Signal& signal, Index i, Index n, double step) {
  if (i == 0) return (signal[1] - signal[0]) / step;
  if (i == n - 1) return (signal[n - 1] - signal[n - 2]) / step;
  return central_difference(signal[i - 1], signal[i + 1], step);
}

/// Weights of samples -1, 0, 1 and 2 in the cubic through them, at the fraction `share` of the way
/// from sample 0 to sample 1 (Lagrange's polynomials).
struct CubicWeights {
  double of[4];
};
HEFT_HD CubicWeights cubic_weights(double share) {
  const double s = share;
  return {{-s * (s - 1) * (s - 2) / 6, (s + 1) * (s - 1) * (s - 2) / 2, -(s + 1) * s * (s - 2) / 2,
           (s + 1) * s * (s - 1) / 6}};
}

/// The nearest index of a signal of `n` values.
template <class Index>
HEFT_HD Index index_within(Index i, Index n) {
  return i < 0 ? 0 : i > n - 1 ? n - 1 : i;
}

/// A signal of `n` values by cubic interpolation around value `at`; its ends continue as constants.
template <class Index, class Signal>
HEFT_HD double value_at_cubic(const Signal& signal, Index at, Index n,
                              const CubicWeights& weights) {
  double value = 0;
  for (int k = 0; k < 4; ++k) value += weights.of[k] * signal[index_within<Index>(at - 1 + k, n)];
  return value;
}

/// The number of whole rows in a delay, toward minus infinity.
HEFT_HD long long whole_rows(double rows) {
  const auto truncated = static_cast<long long>(rows);
  return static_cast<double>(truncated) > rows ? truncated - 1 : truncated;
}

/// The row nearest to a delay; halves are rounded away from zero.
HEFT_HD long long nearest_row(double rows) {
  return static_cast<long long>(rows < 0 ? rows - 0.5 : rows + 0.5);
}

// rows that are dropped

/// Why a torque has no weight.
enum class DropReason { none, not_a_number, clipped, dead_band };

/// The first reason that holds. `near_nan`: a missing number is within the reach of the filter.
/// `band`: speeds below it drop the row; 0: none does.
HEFT_HD DropReason drop_reason(bool near_nan, bool is_clipped, double speed, double band) {
  if (near_nan) return DropReason::not_a_number;
  if (is_clipped) return DropReason::clipped;
  if (band > 0 && (speed < 0 ? -speed : speed) < band) return DropReason::dead_band;
  return DropReason::none;
}

}  // namespace heft::core
