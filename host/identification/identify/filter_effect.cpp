#include "identify/filter_effect.hpp"

#include <cstdint>
#include <optional>
#include <utility>

#include "identify/gathering.hpp"
#include "identify/motion_cutoff.hpp"
#include "on_first_rows.hpp"

namespace heft {

namespace {

constexpr std::int64_t kRows = 3000;

bool has_intervals_of_logs(const IdentifyRequest& request, const Identification& result) {
  return result.optimum && result.optimum->uncertainty.num_blocks > 0 &&
         !request.training_logs.empty() && !result.plan().whitened_from &&
         request.gathering.conditioning.rows == "torque";
}

bool is_biased_by_filter(const IdentifyRequest& request, const Identification& result) {
  const ConditioningOptions& conditioning = request.gathering.conditioning;
  return has_intervals_of_logs(request, result) && conditioning.filter == FilterKind::butterworth &&
         !conditioning.filter_rows;
}

/// Options for the same rows, computed at twice the cutoff and then passed through the torque's
/// filter.
ConditioningOptions with_filtered_rows(const ConditioningOptions& given) {
  ConditioningOptions options = with_motion_cutoff(given, 2 * given.lowpass_hz);
  options.filter_rows = true;
  return options;
}

/// Returns the mean score per row at the estimate; empty if the logs do not allow these options.
Result<std::optional<Eigen::VectorXd>> mean_score(const IdentifyRequest& part,
                                                  const GatherOptions& gathering,
                                                  const Identification& result) {
  SampleSource source(part.training_logs, part.setup.model, gathering, gathering.max_samples);
  source.condition_on(part.executor->num_threads());
  source.keep_nothing();
  auto data = gather(source, part.setup, gathering, part.estimation, *part.executor, part.progress);
  if (!data && data.error().is_stop) return data.error();
  if (!data) return std::optional<Eigen::VectorXd>();
  const NormalEquations sums = normal_equations(data->plain.moments, result.channel_weights);
  if (!(sums.num_rows > 0)) return std::optional<Eigen::VectorXd>();
  const Eigen::VectorXd score = sums.b - sums.G * result.answer().parameters;
  return std::optional<Eigen::VectorXd>((score / sums.num_rows).eval());
}

/// The same options with torques that are delayed by `by_s` more.
GatherOptions with_delay(GatherOptions gathering, double by_s) {
  PerJoint& delay = gathering.conditioning.torque_delay_s;
  delay.for_all += by_s;
  for (double& value : delay.in_order) value += by_s;
  for (auto& [joint, value] : delay.by_name) value += by_s;
  return gathering;
}

double num_rows_of(const Identification& result) {
  return normal_equations(result.data.moments, result.channel_weights).num_rows;
}

}  // namespace

Result<Done> add_filter_effect(const IdentifyRequest& request, Identification& result) {
  if (!is_biased_by_filter(request, result)) return Done{};
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = on_first_rows(request, kRows, std::move(executor));
  HEFT_TRY(as_configured, mean_score(part, part.gathering, result));
  if (!as_configured) return Done{};
  GatherOptions gathering = part.gathering;
  gathering.conditioning = with_filtered_rows(gathering.conditioning);
  HEFT_TRY(filtered, mean_score(part, gathering, result));
  if (!filtered) return Done{};
  put_systematic(result.plan().layout, num_rows_of(result) * (*filtered - *as_configured),
                 result.optimum->uncertainty);
  return Done{};
}

Result<Done> add_time_offset_effect(const IdentifyRequest& request, double sd_s,
                                    Identification& result) {
  if (!(sd_s > 0) || !has_intervals_of_logs(request, result)) return Done{};
  HEFT_TRY(executor, executor_of(request));
  const IdentifyRequest part = on_first_rows(request, kRows, std::move(executor));
  HEFT_TRY(late, mean_score(part, with_delay(part.gathering, sd_s), result));
  if (!late) return Done{};
  HEFT_TRY(early, mean_score(part, with_delay(part.gathering, -sd_s), result));
  if (!early) return Done{};
  put_time_offset(result.plan().layout, num_rows_of(result) * 0.5 * (*late - *early),
                  result.optimum->uncertainty);
  return Done{};
}

}  // namespace heft
