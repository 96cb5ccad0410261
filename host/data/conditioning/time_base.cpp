#include "time_base.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/median.hpp"

namespace heft {

namespace {

// Odd steps out (a lost sample, a pause) do not make a log uneven; jitter does.
constexpr double kEvenShare = 0.9;

// Interpolated samples per logged one; more indicates a wrong unit.
constexpr double kMaxPerStep = 100;

// Faster logs have a wrong time unit, and filters would need more rows than fit in memory.
constexpr double kShortestPeriod = 1e-6;  // [s]

Result<TimeBase> if_slow_enough(const TimeBase& base) {
  if (base.period >= kShortestPeriod) return base;
  return Error{
      "time", fmt::format("samples {:.3g} s apart are too close for a robot log", base.period),
      "set log.time_unit to s, ms, us or ns, or log.time_scale to the seconds of one unit of time"};
}

}  // namespace

Result<TimeBase> judge_time_base(std::vector<double> steps, const ConditioningOptions& options) {
  TimeBase base;
  base.median_step = median(steps);
  base.max_gap = options.max_gap_s > 0 ? options.max_gap_s : kPauseInSteps * base.median_step;
  if (options.resample_hz > 0) {
    base.period = 1 / options.resample_hz;
    if (!(base.median_step <= kMaxPerStep * base.period))
      return Error{
          "conditioning.resample_hz",
          fmt::format("{:g} Hz is more than {:g} times the log's own rate of {:.3g} Hz",
                      options.resample_hz, kMaxPerStep, 1 / base.median_step),
          "check the unit of the time column (log.time_unit: s, ms, us or ns), or choose a lower rate"};
    return if_slow_enough(base);
  }

  double sum = 0;
  std::size_t num_even = 0;
  for (const double step : steps)
    if (std::abs(step - base.median_step) <= kEvenStep * base.median_step) {
      sum += step;
      ++num_even;
    }
  base.even = static_cast<double>(num_even) >= kEvenShare * static_cast<double>(steps.size());
  base.period = base.even ? sum / static_cast<double>(num_even) : base.median_step;
  return if_slow_enough(base);
}

}  // namespace heft
