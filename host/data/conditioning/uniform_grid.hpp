// Resamples rows from the log's stamps to uniform times, by linear interpolation where no stamp
// matches.
//
// Uniform logs: a row is used unchanged if it follows one period after the last, within kEvenStep;
// lost or late rows are interpolated. Other logs: all rows are interpolated at times start + k
// period.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "log_rows.hpp"
#include "time_base.hpp"

namespace heft {

class UniformGrid {
 public:
  explicit UniformGrid(const TimeBase& base)
      : base_(base), tolerance_(base.period * (base.even ? kEvenStep : kRounding)) {}

  /// Starts a segment at `row`, its first uniform row.
  void start(const LogRow& row) {
    previous_ = row;
    start_time_ = last_time_ = row.time;
    num_emitted_ = 1;
  }

  /// Passes every uniform row up to the time of `row`, the next of the segment, to `emit(const
  /// LogRow&)`, which returns Result<Done>.
  template <class Emit>
  Result<Done> advance(const LogRow& row, const Emit& emit) {
    for (;;) {
      const double time = next_time();
      if (!(time > last_time_))
        return Error{
            fmt::format("t = {:.17g} s", row.time),
            fmt::format(
                "the time is too large for steps of {:g} s: adjacent doubles differ by more",
                base_.period),
            "subtract the time of the first row from all times"};
      if (row.time < time - tolerance_) break;
      ++num_emitted_;
      if (base_.even && row.time <= time + tolerance_) {
        last_time_ = row.time;
        HEFT_CHECK(emit(row));
        continue;
      }
      if (row.time <= time + tolerance_) {
        uniform_ = row;
        uniform_.time = time;
      } else {
        interpolate(row, time);
        ++num_interpolated_;
      }
      last_time_ = uniform_.time;
      HEFT_CHECK(emit(uniform_));
    }
    previous_ = row;
    return Done{};
  }

  std::int64_t num_interpolated() const { return num_interpolated_; }

 private:
  static constexpr double kRounding = 1e-9;

  double next_time() const {
    return base_.even ? last_time_ + base_.period
                      : start_time_ + static_cast<double>(num_emitted_) * base_.period;
  }

  /// Sets uniform_ to the linear interpolation between previous_ and `row` at `time`; a torque gets
  /// the flags of both.
  void interpolate(const LogRow& row, double time);

  TimeBase base_;
  double tolerance_;
  LogRow previous_;
  LogRow uniform_;
  double start_time_ = 0;
  double last_time_ = 0;
  std::int64_t num_emitted_ = 0;
  std::int64_t num_interpolated_ = 0;
};

}  // namespace heft
