// Squared errors of two models on the same rows, whichever rows each was judged on when it was
// identified. Threads: plain values: share them for reading; a thread that changes one must own it.
#pragma once

#include <vector>

namespace heft {

/// By stretches of the held-out logs, as one of the two conditions them; all three of one length.
struct CommonRows {
  std::vector<double> error2_a, error2_b, torque2;
};

}  // namespace heft
