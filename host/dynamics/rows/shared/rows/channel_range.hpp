// Rows of many samples are made and filtered a few channels at a time, so that the unfiltered ones
// take bounded memory.
#pragma once

#include "heft/model/regressor_plan.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Channels first to last - 1.
struct ChannelRange {
  int first, last;
};

/// The largest range of channels from `first` on whose rows at `num_samples` samples stay within 64
/// MB; one channel if that alone needs more.
ChannelRange range_from(const RegressorPlan& plan, int first, Eigen::Index num_samples);

}  // namespace heft
#pragma GCC visibility pop
