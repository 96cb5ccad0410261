// The clock of a group of columns: checks row by row that times exist and do not decrease.
#pragma once

#include <limits>
#include <string>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Checks the times of consecutive rows.
class Clock {
 public:
  /// `time_scale`: [s] per unit of the column.
  explicit Clock(double time_scale) : time_scale_(time_scale) {}

  /// Advances to the next logged stamp; returns false if it repeats the previous one. `place()`
  /// returns the place of the row. Errors: a time that is missing or decreases.
  template <class Place>
  Result<bool> advance(double stamp, const Place& place) {
    const double time = stamp * time_scale_;
    if (time > time_) {
      time_ = time;
      return true;
    }
    if (time == time_) return false;
    return fault(time, place());
  }

  double time() const { return time_; }  ///< [s]

 private:
  Error fault(double time, const std::string& where) const;

  double time_scale_;
  double time_ = -std::numeric_limits<double>::infinity();
};

}  // namespace heft
#pragma GCC visibility pop
