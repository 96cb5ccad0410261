// Resamples rows from the log's stamps to uniform times, by linear interpolation where no stamp
// matches.
//
// Uniform logs: a row is used unchanged if it follows one period after the last, within kEvenStep;
// lost or late rows are interpolated. Other logs: all rows are interpolated at times start + k
// period.
#pragma once

#include <cstdint>

#include "heft/core/conditioning.hpp"
#include "log_rows.hpp"
#include "time_base.hpp"

namespace heft {

/// Returns the clock of a log's segments, not yet started.
inline core::GridClock grid_clock(const TimeBase& base) {
  constexpr double kRounding = 1e-9;
  return {.period = base.period,
          .tolerance = base.period * (base.even ? kEvenStep : kRounding),
          .even = base.even,
          .start = 0,
          .last = 0,
          .num_placed = 0};
}

/// Error of a time at which doubles are further apart than uniform rows.
Error time_too_large(double time, double period);

class UniformGrid {
 public:
  explicit UniformGrid(const TimeBase& base) : clock_(grid_clock(base)) {}

  /// Starts a segment at `row`, its first uniform row.
  void start(const LogRow& row) {
    previous_ = row;
    clock_.begin(row.time);
  }

  /// Passes every uniform row up to the time of `row`, the next of the segment, to `emit(const
  /// LogRow&)`, which returns Result<Done>.
  template <class Emit>
  Result<Done> advance(const LogRow& row, const Emit& emit) {
    for (;;) {
      double time = clock_.next();
      if (!(time > clock_.last)) return time_too_large(row.time, clock_.period);
      const core::GridPlace place = clock_.place(row.time, time);
      if (place == core::GridPlace::before) break;
      if (place == core::GridPlace::own_stamp) {
        HEFT_CHECK(emit(row));
        continue;
      }
      if (place == core::GridPlace::on_time) {
        uniform_ = row;
        uniform_.time = time;
      } else {
        interpolate(row, time);
        ++num_interpolated_;
      }
      HEFT_CHECK(emit(uniform_));
    }
    previous_ = row;
    return Done{};
  }

  std::int64_t num_interpolated() const { return num_interpolated_; }

 private:
  /// Sets uniform_ to the linear interpolation between previous_ and `row` at `time`; a torque gets
  /// the flags of both.
  void interpolate(const LogRow& row, double time);

  core::GridClock clock_;
  LogRow previous_;
  LogRow uniform_;
  std::int64_t num_interpolated_ = 0;
};

}  // namespace heft
