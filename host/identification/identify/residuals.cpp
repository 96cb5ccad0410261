#include "residuals.hpp"

#include <algorithm>
#include <cmath>

#include "rows/filtered_prediction.hpp"
#include "training/reported_run.hpp"

namespace heft {

namespace {

/// Squares of residuals and torques of one channel, summed over its used rows.
struct ChannelSums {
  double error2 = 0, torque2 = 0;
  long long num_rows = 0;
  double measured2 = 0;  ///< of the measured torque, known ones not subtracted
};

TorqueErrors errors_from(const std::vector<ChannelSums>& sums, const RegressorPlan& plan) {
  TorqueErrors errors;
  double error2 = 0, torque2 = 0;
  for (int c = 0; c < plan.num_channels(); ++c) {
    const double rows = static_cast<double>(std::max(1LL, sums[c].num_rows));
    errors.channels.push_back({plan.channels[c].name, plan.channels[c].unit,
                               std::sqrt(sums[c].error2 / rows), std::sqrt(sums[c].torque2 / rows),
                               sums[c].num_rows, std::sqrt(sums[c].measured2 / rows)});
    error2 += sums[c].error2;
    torque2 += sums[c].torque2;
  }
  errors.overall_relative = std::sqrt(error2 / torque2);
  return errors;
}

}  // namespace

TorqueErrors errors_of(const Moments& moments, const Eigen::VectorXd& parameters) {
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(parameters.size());
  std::vector<ChannelSums> sums;
  for (int c = 0; c < moments.plan->num_channels(); ++c)
    sums.push_back({std::max(0.0, residual_sum(moments, c, parameters)),
                    residual_sum(moments, c, nothing),
                    static_cast<long long>(moments.num_rows[c])});
  return errors_from(sums, *moments.plan);
}

Result<std::vector<TorqueErrors>> errors_on(SampleSource& source, const RegressorPlan& plan,
                                            Backend& backend,
                                            const std::vector<Eigen::VectorXd>& parameters,
                                            const PredictionSink& sink, const Progress& progress) {
  std::vector<std::vector<ChannelSums>> sums(parameters.size(),
                                             std::vector<ChannelSums>(plan.num_channels()));
  const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
    std::vector<PredictJob> jobs;
    for (const Eigen::VectorXd& x : parameters) jobs.push_back({&plan, &block, &x});
    std::vector<Eigen::ArrayXXd> predicted(jobs.size());
    HEFT_CHECK(predict_as_measured(backend, jobs, predicted));
    for (int c = 0; c < plan.num_channels(); ++c) {
      const Eigen::ArrayXd used = (block.weight.col(c) != 0).cast<double>();
      ChannelSums of_block;  // the same for all estimates but for their errors
      of_block.torque2 = (used * block.torque.col(c).square()).sum();
      if (block.known_torque.size() > 0)
        of_block.measured2 =
            (used * (block.torque.col(c) + block.known_torque.col(c)).square()).sum();
      of_block.num_rows = static_cast<long long>(used.sum());
      for (std::size_t j = 0; j < jobs.size(); ++j) {
        ChannelSums& sum = sums[j][c];
        sum.error2 += (used * (block.torque.col(c) - predicted[j].col(c)).square()).sum();
        sum.torque2 += of_block.torque2;
        sum.measured2 += of_block.measured2;
        sum.num_rows += of_block.num_rows;
      }
    }
    return sink ? sink(segment, block, predicted.back()) : Done{};
  };
  HEFT_CHECK(reported_run(source, on_block, progress, "comparing torques"));
  std::vector<TorqueErrors> errors;
  for (const std::vector<ChannelSums>& channel_sums : sums) {
    errors.push_back(errors_from(channel_sums, plan));
    if (!std::isfinite(errors.back().overall_relative))
      return Error{source.summaries().front().path, "has no usable row with a measured torque",
                   "check the torque columns, dead_band and torque_limit"};
  }
  return errors;
}

}  // namespace heft
