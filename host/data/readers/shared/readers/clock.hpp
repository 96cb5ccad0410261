// The clock of a group of columns, row by row: time is there, and does not go back.
#pragma once

#include <limits>
#include <string>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

class Clock {
 public:
  /// `time_scale`: [s] per unit of the column.
  explicit Clock(double time_scale) : time_scale_(time_scale) {}

  /// The next stamp as it is logged. False where it repeats the one before: time stands still.
  /// `place()` says where the row is. Errors: a time that is missing or goes back.
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
