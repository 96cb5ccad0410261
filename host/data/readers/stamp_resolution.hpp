// Detects stamps that are multiples of a step as coarse as the sample period: float32 seconds after
// hours of uptime, tick clocks, two printed decimals.
//
// A uniform clock s_k = t_0 + k T, rounded to multiples of the step, stays within one step of a
// line. A clock with lost rows does not, unless losses are regular; then the signals decide, which
// advance twice as far over a lost row and by one period over a rounded stamp.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "readers/clock_report.hpp"

namespace heft {

/// Rows without a pause between them, first to last.
struct StampRun {
  std::size_t first, last;
};

/// Splits stamps [s] at steps longer than `max_gap_s`.
std::vector<StampRun> runs_without_pause(const std::vector<double>& time, double max_gap_s);

/// Returns the longest step [s] that is not a pause: `max_gap_s` if positive, otherwise ten median
/// steps (excluding zeros).
double longest_step(const std::vector<double>& time, double max_gap_s);

/// Fit to all runs together: the period that minimizes the deviation of stamps from the lines k T
/// of their runs.
struct UniformFit {
  double period = 0;  ///< [s]
  double width = 0;   ///< [s] largest minus smallest deviation within a run
};
UniformFit fit_uniform(const std::vector<double>& time, const std::vector<StampRun>& runs);

/// Returns the range of the deviations of a run from k T [s].
double width_of(const std::vector<double>& time, const StampRun& run, double period);

/// Returns the midpoint of the deviations of a run from k T, which starts at its first stamp [s].
double middle_deviation(const std::vector<double>& time, const StampRun& run, double period);

/// Reads the other columns of rows, NaN where missing.
using ReadSignals = std::function<std::vector<std::vector<double>>()>;

/// Classifies the clock of consecutive rows: `time` [s]. Only rows whose steps look coarse need
/// their signals.
ClockReport judge_stamps(const std::vector<double>& time, const ReadSignals& read_signals,
                         double max_gap_s);

}  // namespace heft
