// One body a stretch by joint torques: the robot stays what it is, and the first body is a tool for those behind it.
#include "heft/payload/by_torques.hpp"

namespace heft {

namespace {

/// What is more on the link than in the first stretch; none where less is.
std::optional<PayloadStretch::Added> added_to(const KnownTool& first, const KnownRobot& robot,
                                              const CarryingLink& link, const TrainingData& data,
                                              PayloadOptions options, const PayloadShape& shape) {
  options.sensor.tool = first;
  const auto found = weigh_by_torques(robot, link, data, options, shape);
  if (!found || !(found->mass.low > 0)) return {};
  return PayloadStretch::Added{found->answer(), found->mass, found->com};
}

}  // namespace

Result<PayloadResult> weigh_stretches_by_torques(const KnownRobot& robot, const CarryingLink& link,
                                                 const std::vector<LoadedStretch>& stretches,
                                                 const PayloadOptions& options, const PayloadShape& shape,
                                                 const std::vector<PayloadMethod>& methods) {
  if (stretches.empty()) return Error{"payload.changes", "there is no stretch", "name a log"};
  std::optional<PayloadResult> last;
  std::optional<KnownTool> first;
  std::vector<PayloadStretch> found;
  std::vector<PayloadDoubt> doubts;
  PayloadLog log;
  for (std::size_t k = 0; k < stretches.size(); ++k) {
    const auto& [times, data] = stretches[k];
    auto result = weigh_by_torques(robot, link, data, options, shape, methods);
    if (!result)
      return Error{"payload.changes", times.words(k) + ": " + result.error().what, result.error().remedy};
    PayloadStretch stretch{times.from, times.to, result->answer(), result->mass, result->com, {}};
    if (first) stretch.added = added_to(*first, robot, link, data, options, shape);
    if (k == 0) first = result->as_tool;
    found.push_back(std::move(stretch));
    for (PayloadDoubt doubt : result->doubts) {
      doubt.what = times.words(k) + ": " + doubt.what;
      doubts.push_back(std::move(doubt));
    }
    if (!result->logs.empty()) {
      const std::int64_t rows_before = log.num_rows;
      log = result->logs.front();
      log.num_rows += rows_before;
      log.duration_s = times.to - stretches.front().times.from;
    }
    last = std::move(*result);
  }
  last->stretches = std::move(found);
  last->doubts = std::move(doubts);
  last->logs = {log};
  return *std::move(last);
}

}  // namespace heft
