#include "heft/predict/predict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "external_torque.hpp"
#include "files/csv_name.hpp"
#include "files/whole_file.hpp"
#include "predict/identified_model.hpp"
#include "predict/predicted_blocks.hpp"

namespace heft {

namespace {

/// Sums for the summary over the used rows.
struct Sums {
  double error2 = 0, torque2 = 0;
  bool was_alarmed = false;
  long long num_alarms = 0;
  long long num_unsettled = 0;         ///< rows before the observer has output
  std::vector<long long> num_unknown;  ///< other rows without output, by channel
};

/// The columns of the external torque at one time.
void append_external(ExternalTorque& external, double time, fmt::memory_buffer& text, Sums& sums) {
  const auto out = std::back_inserter(text);
  const ExternalTorque::Reading reading = external.at(time);
  sums.num_unknown.resize(external.channels().size());
  if (reading.torque.size() == 0) ++sums.num_unsettled;
  for (std::size_t k = 0; k < external.channels().size(); ++k) {
    const auto channel = static_cast<Eigen::Index>(k);
    const bool is_known = reading.torque.size() > 0 && !std::isnan(reading.torque[channel]);
    if (is_known)
      fmt::format_to(out, ",{:.9g}", reading.torque[channel]);
    else
      fmt::format_to(out, ",nan");
    if (!is_known && reading.torque.size() > 0) ++sums.num_unknown[k];
  }
  fmt::format_to(out, ",{}", reading.alarm ? 1 : 0);
  if (reading.alarm && !sums.was_alarmed) ++sums.num_alarms;
  sums.was_alarmed = reading.alarm;
}

/// Adds one block's rows to the CSV text and to the sums of the summary.
void append_rows(const RegressorPlan& plan, const Samples& block, const Eigen::ArrayXXd& predicted,
                 ExternalTorque* external, fmt::memory_buffer& text, Sums& sums) {
  const auto out = std::back_inserter(text);
  const bool has_known = block.known_torque.size() > 0;
  for (Eigen::Index i = 0; i < block.size(); ++i) {
    fmt::format_to(out, "{:.10g}", block.time[i]);
    for (int c = 0; c < plan.num_channels(); ++c) {
      const double known = has_known ? block.known_torque(i, c) : 0;
      const bool used = block.weight(i, c) != 0;
      if (used)
        fmt::format_to(out, ",{:.9g}", block.torque(i, c) + known);
      else
        fmt::format_to(out, ",nan");
      fmt::format_to(out, ",{:.9g},{}", predicted(i, c) + known, used ? 1 : 0);
      if (!used) continue;
      sums.error2 += std::pow(block.torque(i, c) - predicted(i, c), 2);
      sums.torque2 += std::pow(block.torque(i, c), 2);
    }
    if (external) append_external(*external, block.time[i], text, sums);
    fmt::format_to(out, "\n");
  }
}

Result<Done> check(const ExternalTorqueOptions& options) {
  if (!(options.lowpass_hz > 0) || !std::isfinite(options.lowpass_hz))
    return Error{"--observer-hz", "is not a finite number above zero",
                 "give a positive number; 15 is a good choice"};
  if (!(options.threshold > 0) || !std::isfinite(options.threshold))
    return Error{"--threshold", "is not a finite number above zero",
                 "give a positive number; 8 is a good choice"};
  return Done{};
}

Result<PredictSummary> predict(const IdentifiedModel& identified, const Log& log,
                               const std::string& output_path, ExternalTorque* external,
                               const Progress& progress) {
  const RegressorPlan& plan = *identified.model.plan;
  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "t");
  for (const Channel& channel : plan.channels)
    for (const char* what : {"measured_", "predicted_", "used_"})
      fmt::format_to(out, ",{}", csv_name(what + channel.name));
  if (external) {
    for (const int c : external->channels())
      fmt::format_to(out, ",{}", csv_name("external_" + plan.channels[c].name));
    fmt::format_to(out, ",alarm");
  }
  fmt::format_to(out, "\n");

  PredictSummary summary;
  Sums sums;
  const auto append = [&](const Samples& block, const Eigen::ArrayXXd& predicted) -> Result<Done> {
    append_rows(plan, block, predicted, external, text, sums);
    summary.num_rows += block.size();
    return Done{};
  };
  HEFT_CHECK(predict_blocks(identified.model, identified.configuration, identified.parameters, log,
                            append, progress));
  if (!std::isfinite(sums.error2) || !std::isfinite(sums.torque2))
    return Error{log.name(), "positions or torques are so large that their squares overflow",
                 "check the units and look for spikes"};
  summary.overall_relative = std::sqrt(sums.error2 / sums.torque2);
  summary.num_alarms = sums.num_alarms;
  summary.num_unsettled = sums.num_unsettled;
  if (external)
    for (const auto& [channel, ratio] : external->raised())
      summary.raised_thresholds.emplace_back(plan.channels[channel].name, ratio);
  for (std::size_t k = 0; k < sums.num_unknown.size(); ++k)
    if (sums.num_unknown[k] > 0)
      summary.without_torque.emplace_back(plan.channels[external->channels()[k]].name,
                                          sums.num_unknown[k]);
  HEFT_CHECK(write_file_whole(output_path, fmt::to_string(text)));
  return summary;
}

}  // namespace

Result<PredictSummary> predict_log(const std::string& result_path, const Log& log,
                                   const std::string& output_path, const Progress& progress) {
  HEFT_TRY(identified, read_identified_model(result_path));
  return predict(identified, log, output_path, nullptr, progress);
}

Result<PredictSummary> predict_log(const std::string& result_path, const Log& log,
                                   const std::string& output_path,
                                   const ExternalTorqueOptions& options, const Progress& progress) {
  HEFT_CHECK(check(options));
  HEFT_TRY(identified, read_identified_model(result_path));
  HEFT_TRY(external, ExternalTorque::observe(identified, log, options, progress));
  return predict(identified, log, output_path, &external, progress);
}

}  // namespace heft
