#include "heft/predict/predict.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "files/csv_name.hpp"
#include "files/whole_file.hpp"
#include "heft/executor/executor.hpp"
#include "heft/log/log.hpp"
#include "identified_model.hpp"
#include "rows/filtered_prediction.hpp"

namespace heft {

namespace {

/// Adds one block's rows to the CSV text and to the sums of the summary.
void append_rows(const RegressorPlan& plan, const Samples& block, const Eigen::ArrayXXd& predicted,
                 fmt::memory_buffer& text, double& error2, double& torque2) {
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
      error2 += std::pow(block.torque(i, c) - predicted(i, c), 2);
      torque2 += std::pow(block.torque(i, c), 2);
    }
    fmt::format_to(out, "\n");
  }
}

}  // namespace

Result<PredictSummary> predict_log(const std::string& result_path, const std::string& log_path,
                                   const std::string& output_path, const Progress& progress) {
  HEFT_TRY(identified, read_identified_model(result_path));
  const Configuration& configuration = identified.configuration;
  const RegressorPlan& plan = *identified.model.plan;
  HEFT_TRY(backend, make_backend(configuration.backend));

  fmt::memory_buffer text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "t");
  for (const Channel& channel : plan.channels)
    for (const char* what : {"measured_", "predicted_", "used_"})
      fmt::format_to(out, ",{}", csv_name(what + channel.name));
  fmt::format_to(out, "\n");

  PredictSummary summary;
  double error2 = 0, torque2 = 0, fraction = 0;
  const auto on_block = [&](int, const Samples& block) -> Result<Done> {
    HEFT_CHECK(report_progress(progress, "predicting torques", fraction));
    const PredictJob job{&plan, &block, &identified.parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(*backend, {&job, 1}, {&predicted, 1}));
    append_rows(plan, block, predicted, text, error2, torque2);
    summary.num_rows += block.size();
    return Done{};
  };
  HEFT_CHECK(condition_log(log_path, plan.robot, plan.channels, configuration.log, configuration.conditioning,
                           identified.model.derived, on_block, [&](double read) { fraction = read; }));
  summary.overall_relative = std::sqrt(error2 / torque2);
  HEFT_CHECK(write_file_whole(output_path, fmt::to_string(text)));
  return summary;
}

}  // namespace heft
