#include "rows/channel_range.hpp"

namespace heft {

namespace {

constexpr double kMaxBytes = 64e6;

}  // namespace

ChannelRange range_from(const RegressorPlan& plan, int first, Eigen::Index num_samples) {
  ChannelRange range{first, first};
  double num_bytes = 0;
  while (range.last < plan.num_channels()) {
    num_bytes += 8.0 * static_cast<double>(num_samples * plan.channel_columns[range.last].size());
    if (range.last > first && num_bytes > kMaxBytes) break;
    ++range.last;
  }
  return range;
}

}  // namespace heft
