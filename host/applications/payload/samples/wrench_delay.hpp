// A wrench that a stream brings later, or earlier, than the motion that it belongs to.
#pragma once

#include <deque>
#include <optional>

#include "payload/wrench_stream.hpp"

namespace heft::payload {

/// Pairs the motion of a sample with the wrench `delay` seconds behind it, on a straight line
/// between the two rows around, as whole logs have it. It keeps as many samples as the delay takes.
class WrenchDelay {
 public:
  explicit WrenchDelay(double delay) : delay_(delay) {}

  /// A sample comes in; one whose wrench is there by now, if any, goes out. Samples without a
  /// wrench around, before the first row or across a gap, are left out.
  std::optional<WrenchSample> next(const WrenchSample& sample);

 private:
  std::optional<Vector6d> wrench_at(double time) const;
  void forget();

  double delay_;
  double period_ = 0;              ///< the shortest so far
  std::deque<WrenchSample> rows_;  ///< as they came
  std::size_t pending_ = 0;        ///< the first whose wrench is still to come
};

}  // namespace heft::payload
