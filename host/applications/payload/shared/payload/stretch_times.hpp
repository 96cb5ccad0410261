// A log in which the body changes, cut at the times of the changes.
// Threads: plain values, and a function that any number of threads may call.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// One body is on the sensor, or on the link, between two changes.
struct StretchTimes {
  double from = 0, to = 0;  ///< [s]
  double begin = 0,
         end = 0;  ///< [s] of what is weighed: near a change something else touches the body

  std::string words(std::size_t number) const;  ///< for people; the first is number 0
};

/// Of a log between two times; `grasping` [s] on either side of a change are left out. Error:
/// changes outside of the log, or not in ascending order.
Result<std::vector<StretchTimes>> stretches_between(double begin, double end,
                                                    const std::vector<double>& changes,
                                                    double grasping);

inline constexpr double kGrasping = 0.25;  ///< [s] that a hand takes

}  // namespace heft
#pragma GCC visibility pop
