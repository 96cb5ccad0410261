#include "config/log_weight_support.hpp"

#include <algorithm>

#include "files/name_hint.hpp"

namespace heft::config {

Result<Done> check_log_weights(const Configuration& configuration,
                               const std::vector<std::string>& logs) {
  for (const LogKind& kind : configuration.log_kinds)
    for (const std::string& name : kind.logs)
      if (std::ranges::none_of(logs,
                               [&](const std::string& log) { return is_name_of_log(name, log); }))
        return Error{"log_kinds", "no log is called '" + name + "'",
                     name_hint(name, logs, "the logs are")};
  const EstimationSection& estimation = configuration.estimation;
  const RowWeightingOptions weighting{.log_weights = estimation.log_weights,
                                      .log_kinds = configuration.log_kinds};
  if (!weighting.weighs_logs()) return Done{};
  const char* const where =
      estimation.log_weights == LogWeights::residuals ? "estimation.log_weights" : "log_kinds";
  const auto refuse = [&](const char* what) {
    return Error{where, std::string("weights of logs cannot be combined with ") + what,
                 "leave it at its default, or set estimation.log_weights: equal and no weight in "
                 "log_kinds"};
  };
  if (configuration.conditioning.rows != "torque")
    return refuse("conditioning.rows other than torque");
  if (estimation.loss != Loss::squares) return refuse("estimation.loss: huber");
  if (estimation.channel_covariance != ChannelCovariance::diagonal)
    return refuse("estimation.channel_covariance: full");
  if (configuration.selection.columns != ColumnChoice::given)
    return refuse("selection.columns: auto");
  return Done{};
}

}  // namespace heft::config
