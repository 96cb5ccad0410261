// Weighs one body per stretch by joint torques: the robot is constant, and the first body is the
// tool of later stretches.
#include "payload/by_torques.hpp"
#include "weigh_each.hpp"

namespace heft {

namespace {

/// The added body on the link relative to the first stretch; empty if the mass decreased.
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
                                                 const PayloadOptions& options,
                                                 const PayloadShape& shape,
                                                 const std::vector<PayloadMethod>& methods) {
  std::vector<StretchTimes> times;
  for (const LoadedStretch& stretch : stretches) times.push_back(stretch.times);
  PayloadLog log;  // of all stretches
  const auto weigh = [&](std::size_t k) -> Result<PayloadResult> {
    HEFT_TRY(result, weigh_by_torques(robot, link, stretches[k].data, options, shape, methods));
    if (!result.logs.empty()) {
      const std::int64_t rows_before = log.num_rows;
      log = result.logs.front();
      log.num_rows += rows_before;
      log.duration_s = times[k].to - times.front().from;
    }
    return std::move(result);
  };
  const auto added = [&](std::size_t k, const KnownTool& first) {
    return added_to(first, robot, link, stretches[k].data, options, shape);
  };
  HEFT_TRY(last, payload::weigh_each(times, weigh, added));
  last.logs = {log};
  return std::move(last);
}

}  // namespace heft
