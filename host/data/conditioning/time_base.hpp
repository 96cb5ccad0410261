// The clock of a log, judged from its first steps: its period, whether stamps are even, what is a
// pause.
#pragma once

#include <vector>

#include "heft/base/result.hpp"
#include "heft/log/log.hpp"
#include "readers/pause.hpp"

namespace heft {

/// A step is even if it is this near to the median, relatively: more than stamps lose by rounding.
inline constexpr double kEvenStep = 1e-3;

struct TimeBase {
  double median_step = 0;  ///< [s]
  double max_gap = 0;      ///< a longer step is a pause [s]
  double period = 0;       ///< of the uniform grid [s]
  bool even = false;       ///< samples are used at their own stamps; otherwise all are interpolated
};

/// `steps`: times between consecutive stamps [s], positive, at least one, in any order. Error: a
/// rate asked for that is so far above the log's own that the unit of time must be wrong.
Result<TimeBase> judge_time_base(std::vector<double> steps, const ConditioningOptions& options);

}  // namespace heft
