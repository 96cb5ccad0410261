#include "training/accumulate.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "rows/projected_rows.hpp"
#include "rows/unfiltered_motion.hpp"
#include "rows/whitening.hpp"
#include "training/reported_run.hpp"

namespace heft {

namespace {

/// "; most rows were lost to the reason 'dead band': 9800", empty if none was lost.
std::string main_loss(const std::vector<LogSummary>& logs) {
  DroppedRows total;
  for (const LogSummary& log : logs)
    for (const auto& [reason, rows] : log.dropped) total[reason] += rows;
  const auto largest = std::max_element(
      total.begin(), total.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (largest == total.end() || largest->second == 0) return "";
  return "; most rows were dropped because of '" + largest->first +
         "': " + std::to_string(largest->second);
}

/// Requires finite sums, at least as many rows as parameters, and nonzero torque.
Result<Done> check_data(const TrainingData& data) {
  const RegressorPlan& plan = *data.plan;
  const std::string log = data.logs.empty() ? "" : data.logs.front().path;
  for (const double sum : data.moments.packed)
    if (!std::isfinite(sum))
      return Error{log, "positions or torques are so large that their squares overflow",
                   "check the units and look for spikes"};
  double num_rows = 0;
  for (const double rows : data.moments.num_rows) num_rows += rows;
  const int num_parameters = plan.layout.num_parameters();
  if (num_rows < num_parameters)
    return Error{log,
                 "only " + std::to_string(static_cast<long long>(num_rows)) + " usable rows for " +
                     std::to_string(num_parameters) + " parameters",
                 "record longer, or trim, decimate and drop less" + main_loss(data.logs)};
  const Eigen::VectorXd no_parameters = Eigen::VectorXd::Zero(num_parameters);
  double torque2 = 0;
  for (int c = 0; c < plan.num_channels(); ++c)
    torque2 += residual_sum(data.moments, c, no_parameters);
  if (torque2 > 0) return Done{};
  return Error{log, "all torques are zero: nothing to identify", "check the torque columns"};
}

/// The joints' velocities and their rounding errors.
struct Movement {
  double velocity = 0, rounding = 0;

  void add(const Samples& block) {
    const UnfilteredMotion& around = *block.unfiltered;
    const Eigen::Index last = around.samples.size() - 1;
    if (last < 1 || block.size() == 0) return;
    const double step =
        (around.samples.time[last] - around.samples.time[0]) / static_cast<double>(last);
    velocity = std::max(velocity, block.velocity.abs().maxCoeff());
    rounding = std::max(rounding, std::numeric_limits<double>::epsilon() *
                                      around.samples.position.abs().maxCoeff() / step);
  }
  bool is_none() const { return velocity <= 1e3 * rounding; }
};

}  // namespace

Result<TrainingData> accumulate(SampleSource& source, const PlanPtr& model_plan, Backend& backend,
                                const Progress& progress, const RowWeighting& weighting,
                                int most_stretches) {
  const RowKind& kind = source.rows();
  if (kind.mixes_channels && weighting.covariance.size() > 0)
    return Error{"estimation.channel_covariance",
                 std::string("rows of ") + kind.name + " have only one channel",
                 "leave it at diagonal"};
  const UnknownWrenches* const unknown = source.unknown_wrenches();
  if (unknown && weighting.covariance.size() > 0)
    return Error{"estimation.channel_covariance", "only diagonal is supported with contacts",
                 "set it to diagonal"};
  const PlanPtr plan = unknown                           ? projected_plan(model_plan, *unknown)
                       : weighting.covariance.size() > 0 ? whitened_plan(model_plan)
                                                         : plan_of_rows(kind, model_plan);
  MomentAccumulator accumulator(
      plan, backend, {.covariance = weighting.covariance, .most_stretches = most_stretches});
  Movement movement;
  const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
    if (kind.mixes_channels) movement.add(block);
    if (!weighting.weights) return accumulator.push(segment, block);
    Samples weighted = block;
    HEFT_TRY(weights, weighting.weights(source.log_of(segment), block));
    weighted.weight = std::move(weights);
    return accumulator.push(segment, weighted);
  };
  HEFT_CHECK(reported_run(source, on_block, progress, "reading training logs"));
  HEFT_TRY(moments, accumulator.finish());
  TrainingData data{.plan = plan,
                    .logs = source.summaries(),
                    .moments = std::move(moments),
                    .stretches = accumulator.take_stretches()};
  if (kind.mixes_channels && !data.logs.empty() && movement.is_none())
    return Error{data.logs.front().path,
                 std::string("rows of ") + kind.name + " need motion, but no joint moves",
                 "record motion, or set conditioning.rows to torque"};
  HEFT_CHECK(check_data(data));
  return data;
}

}  // namespace heft
