// A second-order section of a filter, and how many signals go through one side by side.
// Threads: plain data.
#pragma once

namespace heft {

/// y = (b0 + b1 z^-1 + b2 z^-2) / (1 + a1 z^-1 + a2 z^-2) x, b summing to 1 + a1 + a2.
struct Biquad {
  double b0 = 1, b1 = 0, b2 = 0, a1 = 0, a2 = 0;
};

inline constexpr int kSignalLanes = 8;

}  // namespace heft
