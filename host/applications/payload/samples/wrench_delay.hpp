// Delay of the wrench relative to the motion in a stream.
#pragma once

#include <deque>
#include <optional>

#include "payload/wrench_stream.hpp"

namespace heft::payload {

/// Pairs the motion of a sample with the wrench `delay` seconds later, linearly interpolated
/// between the two neighboring rows, as for whole logs. Stores the samples within the delay.
class WrenchDelay {
 public:
  explicit WrenchDelay(double delay) : delay_(delay) {}

  /// Adds a sample and returns the one whose wrench is now available, if any. Omits samples without
  /// neighboring wrenches, before the first row or across a gap.
  std::optional<WrenchSample> next(const WrenchSample& sample);

 private:
  std::optional<Vector6d> wrench_at(double time) const;
  void forget();

  double delay_;
  double period_ = 0;              ///< shortest so far
  std::deque<WrenchSample> rows_;  ///< in order of arrival
  std::size_t pending_ = 0;        ///< the first sample that waits for its wrench
};

}  // namespace heft::payload
