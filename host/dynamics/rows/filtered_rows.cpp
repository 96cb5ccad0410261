#include "rows/filtered_rows.hpp"

#include <utility>

#include "base/parallel_for.hpp"
#include "row_filter.hpp"

namespace heft {

Result<Done> filtered_rows(const RegressorPlan& plan, const Samples& samples, int num_threads,
                           const MakeRows& make_rows, std::vector<RowArray>& rows) {
  rows.resize(static_cast<std::size_t>(plan.num_channels()));
  if (!samples.unfiltered) return make_rows(samples, {0, plan.num_channels()}, rows);
  const UnfilteredMotion& motion = *samples.unfiltered;
  std::vector<Eigen::ArrayXXd> scratch(static_cast<std::size_t>(num_threads));
  for (ChannelRange range = range_from(plan, 0, motion.samples.size());
       range.first < plan.num_channels();
       range = range_from(plan, range.last, motion.samples.size())) {
    std::vector<RowArray> unfiltered(static_cast<std::size_t>(range.last - range.first));
    HEFT_CHECK(make_rows(motion.samples, range, unfiltered));
    std::vector<std::pair<int, Eigen::Index>> groups;  // channel, first column
    for (int c = range.first; c < range.last; ++c) {
      const Eigen::Index width = unfiltered[c - range.first].cols();
      rows[c].resize(samples.size(), width);
      for (Eigen::Index column = 0; column < width; column += kSignalLanes)
        groups.emplace_back(c, column);
    }
    parallel_for(static_cast<std::int64_t>(groups.size()), num_threads,
                 [&](std::int64_t task, int thread) {
                   const auto [channel, column] = groups[task];
                   filter_columns(unfiltered[channel - range.first], motion, column, rows[channel],
                                  scratch[thread]);
                 });
  }
  return Done{};
}

}  // namespace heft
