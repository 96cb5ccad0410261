// Ranges of channels: rows of many samples are computed and filtered a few channels at a time, to
// bound the memory of unfiltered rows.
#pragma once

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Channels first to last - 1.
struct ChannelRange {
  int first, last;
};

/// Returns the largest range of channels, starting at `first`, whose rows at `num_samples` samples
/// stay within 64 MB; a single channel if that alone exceeds it.
ChannelRange range_from(const RegressorPlan& plan, int first, Eigen::Index num_samples);

}  // namespace heft
#pragma GCC visibility pop
