#include "identify/filter_effect.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "conditioning/imu_columns.hpp"
#include "identify/gathering.hpp"
#include "identify/motion_cutoff.hpp"
#include "log_weights.hpp"
#include "readers/column_noise.hpp"
#include "subset_request.hpp"
#include "training/accumulate.hpp"
#include "uncertainty/motion_noise.hpp"

namespace heft {

namespace {

constexpr std::int64_t kRows = 3000;
constexpr std::int64_t kRowsOfImu = 10000;  ///< noise averages out slowly

bool has_torque_rows(const IdentifyRequest& request) {
  return !request.training_logs.empty() && request.gathering.conditioning.rows == "torque";
}

bool has_intervals(const IdentifyRequest& request, const Identification& result) {
  return result.optimum && result.optimum->uncertainty.num_blocks > 0 &&
         request.gathering.weighting.channel_covariance == ChannelCovariance::diagonal;
}

bool is_biased_by_filter(const IdentifyRequest& request) {
  const ConditioningOptions& conditioning = request.gathering.conditioning;
  return has_torque_rows(request) && !request.estimation.is_least_squares() &&
         conditioning.filter == FilterKind::butterworth && !conditioning.filter_rows;
}

/// Options for the same rows, computed at twice the cutoff and then passed through the torque's
/// filter.
ConditioningOptions with_filtered_rows(const ConditioningOptions& given) {
  ConditioningOptions options = with_motion_cutoff(given, 2 * given.lowpass_hz);
  options.filter_rows = true;
  return options;
}

/// Returns the sums of the logs and what was read; empty if they do not allow these options.
Result<std::optional<TrainingData>> data_of(const IdentifyRequest& part,
                                            const GatherOptions& gathering,
                                            const RowWeighting& weighting = {}) {
  SampleSource source(part.training_logs, part.setup.model, gathering, gathering.max_samples);
  source.condition_on(part.executor->num_threads());
  source.keep_nothing();
  auto data = accumulate(source, part.setup.model.plan, *part.executor, part.progress, weighting,
                         kFewestStretches);
  if (!data && data.error().is_stop) return data.error();
  if (!data) return std::optional<TrainingData>();
  return std::optional<TrainingData>(std::move(*data));
}

/// Returns the sums of the logs; empty if they do not allow these options.
Result<std::optional<Moments>> sums_of(const IdentifyRequest& part, const GatherOptions& gathering,
                                       const RowWeighting& weighting = {}) {
  HEFT_TRY(data, data_of(part, gathering, weighting));
  return data ? std::optional<Moments>(std::move(data->moments)) : std::nullopt;
}

/// Returns the weights that the result gives to the rows of the logs of `part`.
RowWeighting weighting_of(const IdentifyRequest& part, const Identification& result) {
  return result.choices.logs ? row_weighting(*result.choices.logs, part.training_logs)
                             : RowWeighting();
}

/// Returns the mean score per row at the estimate; empty without rows.
std::optional<Eigen::VectorXd> mean_score(const Moments& moments, const Identification& result) {
  const NormalEquations sums = normal_equations(moments, result.channel_weights);
  if (!(sums.num_rows > 0)) return std::nullopt;
  const Eigen::VectorXd score = sums.b - sums.G * result.answer().parameters;
  return (score / sums.num_rows).eval();
}

/// The same options with torques that are delayed by `by_s` more.
GatherOptions with_delay(GatherOptions gathering, double by_s) {
  PerJoint& delay = gathering.conditioning.torque_delay_s;
  delay.for_all += by_s;
  for (double& value : delay.in_order) value += by_s;
  for (auto& [joint, value] : delay.by_name) value += by_s;
  return gathering;
}

/// Standard deviations of white noise by column.
using ColumnNoise = std::map<std::string, double>;

/// Returns the noise of the IMU in every training log; empty if no log has any.
Result<std::vector<ColumnNoise>> imu_noise(const IdentifyRequest& request) {
  const std::vector<std::string> columns = imu_columns(request.gathering.conditioning.base);
  std::vector<ColumnNoise> noise_of_logs;
  bool has_noise = false;
  if (columns.empty()) return noise_of_logs;
  for (const Log& log : request.training_logs) {
    HEFT_TRY(noise, noise_of_columns(log, request.gathering.log, columns, kRowsOfImu));
    for (const auto& [name, deviation] : noise) has_noise = has_noise || deviation > 0;
    noise_of_logs.push_back(std::move(noise));
  }
  return has_noise ? std::move(noise_of_logs) : std::vector<ColumnNoise>();
}

/// Returns the sums with `factor` times the given noise of every log added.
Result<std::optional<TrainingData>> data_with_noise(const IdentifyRequest& request,
                                                    const std::vector<ColumnNoise>& noise,
                                                    double factor, const RowWeighting& weighting) {
  IdentifyRequest part = request;
  for (std::size_t k = 0; k < noise.size(); ++k)
    part.training_logs[k] = with_noise(request.training_logs[k], noise[k], factor);
  return data_of(part, part.gathering, weighting);
}

/// Returns whether sums of the first rows of logs are those of all rows.
bool are_all_rows(const std::vector<LogSummary>& of_first, const std::vector<LogSummary>& of_all) {
  return std::ranges::equal(of_first, of_all, [](const LogSummary& first, const LogSummary& all) {
    return first.num_rows == all.num_rows && first.num_samples == all.num_samples &&
           first.duration_s == all.duration_s;
  });
}

/// Returns the information per row; of sums with rows.
Eigen::MatrixXd mean_information(const Moments& moments, const Identification& result) {
  const NormalEquations sums = normal_equations(moments, result.channel_weights);
  return sums.G / sums.num_rows;
}

double num_rows_of(const Identification& result) {
  return normal_equations(result.data.moments, result.channel_weights).num_rows;
}

}  // namespace

Result<std::optional<FilterSums>> filter_sums(const IdentifyRequest& request) {
  if (!is_biased_by_filter(request)) return std::optional<FilterSums>();
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = subset_request(request, kRows, std::move(executor));
  HEFT_TRY(as_configured, sums_of(part, part.gathering));
  if (!as_configured) return std::optional<FilterSums>();
  GatherOptions gathering = part.gathering;
  gathering.conditioning = with_filtered_rows(gathering.conditioning);
  HEFT_TRY(filtered, sums_of(part, gathering));
  if (!filtered) return std::optional<FilterSums>();
  return std::optional(FilterSums{std::move(*as_configured), std::move(*filtered)});
}

void add_filter_effect(const IdentifyRequest& request, const FilterSums& sums,
                       Identification& result) {
  if (!has_intervals(request, result)) return;
  const auto as_configured = mean_score(sums.as_configured, result),
             filtered = mean_score(sums.filtered, result);
  if (!as_configured || !filtered) return;
  put_systematic(result.plan().layout, num_rows_of(result) * (*filtered - *as_configured),
                 result.optimum->uncertainty);
}

Result<Done> add_time_offset_effect(const IdentifyRequest& request, double sd_s,
                                    Identification& result) {
  if (!(sd_s > 0) || !has_torque_rows(request) || !has_intervals(request, result)) return Done{};
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = subset_request(request, kRows, std::move(executor));
  const RowWeighting weighting = weighting_of(part, result);
  HEFT_TRY(late_sums, sums_of(part, with_delay(part.gathering, sd_s), weighting));
  if (!late_sums) return Done{};
  HEFT_TRY(early_sums, sums_of(part, with_delay(part.gathering, -sd_s), weighting));
  if (!early_sums) return Done{};
  const auto late = mean_score(*late_sums, result), early = mean_score(*early_sums, result);
  if (!late || !early) return Done{};
  put_time_offset(result.plan().layout, num_rows_of(result) * 0.5 * (*late - *early),
                  result.optimum->uncertainty);
  return Done{};
}

Result<Done> add_imu_noise_effect(const IdentifyRequest& request, Identification& result) {
  if (!has_torque_rows(request) || !has_intervals(request, result) ||
      !result.optimum->uncertainty.whole || request.estimation.is_least_squares())
    return Done{};
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = subset_request(request, kRowsOfImu, std::move(executor));
  HEFT_TRY(noise, imu_noise(part));
  if (noise.empty()) return Done{};
  const RowWeighting weighting = weighting_of(part, result);
  HEFT_TRY(data_above, data_with_noise(part, noise, 1, weighting));
  if (!data_above) return Done{};
  HEFT_TRY(data_below, data_with_noise(part, noise, -1, weighting));
  if (!data_below) return Done{};
  std::optional<Moments> sums;
  // those of the result, if the host computed them from the same rows
  if (!request.conditions_on_device && !request.gathering.weighting.needs_residuals() &&
      are_all_rows(data_above->logs, result.data.logs)) {
    sums = result.data.moments;
  } else {
    HEFT_TRY(read, sums_of(part, part.gathering, weighting));
    if (!read) return Done{};
    sums = std::move(read);
  }
  const Moments &above = data_above->moments, &below = data_below->moments;
  const auto as_logged = mean_score(*sums, result), score_above = mean_score(above, result),
             score_below = mean_score(below, result);
  if (!as_logged || !score_above || !score_below) return Done{};
  // what is linear in the noise cancels
  const double num_rows = num_rows_of(result);
  put_motion_noise(
      num_rows * (0.5 * (*score_above + *score_below) - *as_logged),
      num_rows * (0.5 * (mean_information(above, result) + mean_information(below, result)) -
                  mean_information(*sums, result)),
      result.optimum->uncertainty);
  return Done{};
}

}  // namespace heft
