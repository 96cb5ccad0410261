// Divides a log at the times at which the body changes. Threads: stateless; safe to call from
// several threads.
#pragma once

#include <string>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Time between two changes, with one body on the sensor or link.
struct StretchTimes {
  double from = 0, to = 0;  ///< [s]
  double begin = 0,
         end = 0;  ///< [s], range used for weighing: near a change the body is touched

  std::string words(std::size_t number) const;  ///< Returns the stretch in words; the first has
                                                ///< number 0.
};

/// Returns the stretches of a log between two times, without `grasping` [s] on both sides of every
/// change. Errors: changes outside the log, or not in ascending order.
Result<std::vector<StretchTimes>> stretches_between(double begin, double end,
                                                    const std::vector<double>& changes,
                                                    double grasping);

inline constexpr double kGrasping = 0.25;  ///< time of a hand's grasp [s]

}  // namespace heft
#pragma GCC visibility pop
