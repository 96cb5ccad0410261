// Stamps that are all multiples of a step as coarse as the sample period: float32 seconds after
// hours of uptime, tick clocks, two printed decimals.
//
// A uniform clock s_k = t_0 + k T, rounded to multiples of the step, stays within one step of a
// line. So does no clock that lost rows, unless it lost them regularly: then the signals decide,
// which advance twice as far over a lost row and by one period over a rounded stamp.
#pragma once

#include <cstddef>
#include <vector>

#include "readers/clock_report.hpp"

namespace heft {

/// Rows without a pause between them: first to last.
struct StampRun {
  std::size_t first, last;
};

/// Splits stamps [s] at steps longer than `max_gap_s`.
std::vector<StampRun> runs_without_pause(const std::vector<double>& time, double max_gap_s);

/// The longest step [s] that is no pause: `max_gap_s` if it is positive, else ten median steps
/// (those of zero left out).
double longest_step(const std::vector<double>& time, double max_gap_s);

/// Of all runs together: the period at which stamps deviate least from the lines k T of their runs.
struct UniformFit {
  double period = 0;  ///< [s]
  double width = 0;   ///< [s] largest minus smallest deviation within a run
};
UniformFit fit_uniform(const std::vector<double>& time, const std::vector<StampRun>& runs);

/// Largest minus smallest deviation of a run from k T [s].
double width_of(const std::vector<double>& time, const StampRun& run, double period);

/// Middle of the deviations of a run from k T, which starts at its first stamp [s].
double middle_deviation(const std::vector<double>& time, const StampRun& run, double period);

/// Judges the clock of consecutive rows: `time` [s], `signals` their other columns (NaN where
/// missing), each of as many rows.
ClockReport judge_stamps(const std::vector<double>& time,
                         const std::vector<std::vector<double>>& signals, double max_gap_s);

}  // namespace heft
