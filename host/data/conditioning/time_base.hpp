// Clock of a log, estimated from its first steps: its period, whether stamps are uniform, and the
// length of a pause.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "readers/pause.hpp"

namespace heft {

/// Relative deviation from the median below which a step is uniform: more than rounding of stamps.
inline constexpr double kEvenStep = 1e-3;

struct TimeBase {
  double median_step = 0;  ///< [s]
  double max_gap = 0;      ///< a longer step is a pause [s]
  double period = 0;       ///< of the uniform grid [s]
  bool even = false;       ///< samples keep their own stamps; otherwise all are interpolated
};

/// `steps`: times between consecutive stamps [s], positive, at least one, in any order. Error: a
/// requested rate so far above that of the log that the unit of time must be wrong.
Result<TimeBase> judge_time_base(std::vector<double> steps, const ConditioningOptions& options);

}  // namespace heft
