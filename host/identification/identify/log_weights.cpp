#include "log_weights.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "absorbed_rows.hpp"
#include "channel_noise.hpp"
#include "rows/filtered_prediction.hpp"
#include "training/reported_run.hpp"

namespace heft {

namespace {

constexpr int kWeightRounds = 2;
constexpr double kLargestNoiseRatio = 30;  ///< of a kind's noise to that of all logs: a short log
                                           ///< that is fitted closely must not decide alone

/// Index of the kind of every log.
std::vector<int> kinds_by_log(const std::vector<LogSummary>& logs,
                              const std::vector<LogKind>& kinds) {
  std::vector<int> indices;
  for (const LogSummary& log : logs) {
    const auto holds = [&](const LogKind& kind, const auto& is_name) {
      return std::ranges::any_of(kind.logs,
                                 [&](const std::string& name) { return is_name(name, log.path); });
    };
    // the path itself first: sub/a.csv is no log of a kind with a.csv if it has its own
    auto kind = std::ranges::find_if(
        kinds, [&](const LogKind& one) { return holds(one, std::equal_to<std::string>()); });
    if (kind == kinds.end())
      kind = std::ranges::find_if(kinds,
                                  [&](const LogKind& one) { return holds(one, is_name_of_log); });
    indices.push_back(static_cast<int>(kind - kinds.begin()));
  }
  return indices;
}

/// w_k / s_kc^2 relative to 1 / s_c^2, with mean 1 over the rows of each channel.
void set_relative_weights(LogWeighting& weighting, const std::vector<ChannelNoise>& noise,
                          const Eigen::MatrixXd& absorbed) {
  const Eigen::Index num_channels = noise.front().error2.size();
  for (KindWeights& kind : weighting.kinds)
    kind.relative = Eigen::VectorXd::Constant(num_channels, kind.given);
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    double error2 = 0, degrees = -absorbed.row(c).sum(), rows = 0, sum = 0;
    for (const ChannelNoise& of_kind : noise) {
      error2 += of_kind.error2[c];
      degrees += of_kind.remaining[c];
      rows += of_kind.num_rows[c];
    }
    for (std::size_t k = 0; k < noise.size(); ++k) {
      KindWeights& kind = weighting.kinds[k];
      if (weighting.from_residuals && kind.noise[c] > 0 && error2 > 0 && degrees > 0) {
        const double ratio = kind.noise[c] / std::sqrt(error2 / degrees);
        kind.relative[c] /=
            std::pow(std::clamp(ratio, 1 / kLargestNoiseRatio, kLargestNoiseRatio), 2);
      }
      sum += kind.relative[c] * kind.num_rows[c];
    }
    for (KindWeights& kind : weighting.kinds)
      kind.relative[c] = rows > 0 ? kind.relative[c] * rows / sum : 1;
  }
}

}  // namespace

std::vector<LogKind> kinds_of(const std::vector<LogSummary>& logs,
                              const std::vector<LogKind>& listed) {
  const std::vector<int> indices = kinds_by_log(logs, listed);
  std::vector<LogKind> kinds;
  for (std::size_t k = 0; k < listed.size(); ++k)
    if (std::ranges::find(indices, static_cast<int>(k)) != indices.end())
      kinds.push_back(listed[k]);
  const auto has_name = [&](const std::string& name) {
    return std::ranges::find(kinds, name, &LogKind::kind) != kinds.end();
  };
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const std::string& path = logs[i].path;
    const bool is_known =
        indices[i] < std::ssize(listed) ||
        std::ranges::any_of(kinds, [&](const LogKind& kind) { return kind.logs.front() == path; });
    if (is_known) continue;
    const std::string name = std::filesystem::path(path).filename().string();
    kinds.push_back({.kind = has_name(name) ? path : name, .logs = {path}});
  }
  return kinds;
}

RowWeighting row_weighting(const LogWeighting& weighting, const std::vector<Log>& logs) {
  std::vector<Eigen::ArrayXd> factors;
  for (const Log& log : logs) {
    const auto kind = std::ranges::find_if(weighting.kinds, [&](const KindWeights& one) {
      return std::ranges::find(one.logs, log.name()) != one.logs.end();
    });
    factors.push_back(kind == weighting.kinds.end() ? Eigen::ArrayXd()
                                                    : kind->relative.array().sqrt().eval());
  }
  return {.weights = [factors](int log, const Samples& block) -> Result<Eigen::ArrayXXd> {
    const Eigen::ArrayXd& of_log = factors[static_cast<std::size_t>(log)];
    if (of_log.size() == 0) return block.weight;
    return (block.weight.rowwise() * of_log.transpose()).eval();
  }};
}

Result<LogWeighting> LogWeigher::weights_by(const TrainingData& data,
                                            const std::vector<LogKind>& kinds,
                                            const std::vector<int>& kind_of_log) const {
  const RegressorPlan& plan = *setup.model.plan;
  const auto num_kinds = static_cast<int>(kinds.size());
  HEFT_TRY(parameters, point_estimate(data.moments, setup, estimation));
  const bool from_residuals = options.log_weights == LogWeights::residuals;
  Eigen::MatrixXd absorbed = Eigen::MatrixXd::Zero(plan.num_channels(), num_kinds);
  if (from_residuals) {
    HEFT_TRY(found, absorbed_rows(data, kind_of_log, num_kinds, setup, estimation, parameters));
    absorbed = std::move(found);
  }
  std::vector<ChannelNoise> noise(kinds.size(), ChannelNoise(plan.num_channels()));
  const auto on_block = [&](int segment, const Samples& block) -> Result<Done> {
    const PredictJob job{&plan, &block, &parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
    const int log = source.log_of(segment);
    noise[static_cast<std::size_t>(kind_of_log[static_cast<std::size_t>(log)])].push(block,
                                                                                     predicted);
    return Done{};
  };
  HEFT_CHECK(reported_run(source, on_block, progress, "weighting logs by residuals"));
  LogWeighting weighting{.from_residuals = from_residuals};
  for (std::size_t k = 0; k < kinds.size(); ++k)
    weighting.kinds.push_back(
        {.kind = kinds[k].kind,
         .given = kinds[k].weight,
         .num_rows = noise[k].num_rows,
         .noise = noise[k].variance(absorbed.col(static_cast<Eigen::Index>(k))).cwiseSqrt()});
  set_relative_weights(weighting, noise, absorbed);
  return weighting;
}

Result<Done> LogWeigher::weigh(const std::vector<LogKind>& kinds, const Accumulate& accumulate,
                               GatheredData& gathered) const {
  const std::vector<LogSummary> logs = gathered.plain.logs;
  const std::vector<int> kind_of_log = kinds_by_log(logs, kinds);
  const int num_rounds = options.log_weights == LogWeights::residuals ? kWeightRounds : 1;
  for (int round = 0; round < num_rounds; ++round) {
    HEFT_TRY(weighting, weights_by(gathered.training(), kinds, kind_of_log));
    for (std::size_t i = 0; i < logs.size(); ++i)
      weighting.kinds[static_cast<std::size_t>(kind_of_log[i])].logs.push_back(logs[i].path);
    const auto factors = [&](int log, const Samples& block) -> Result<Eigen::ArrayXXd> {
      const int kind = kind_of_log[static_cast<std::size_t>(log)];
      const Eigen::VectorXd& relative = weighting.kinds[static_cast<std::size_t>(kind)].relative;
      return (block.weight.rowwise() * relative.array().sqrt().transpose()).eval();
    };
    HEFT_TRY(reweighted, accumulate({.weights = factors}));
    gathered.reweighted = std::move(reweighted);
    gathered.log_weights = std::move(weighting);
    gathered.num_passes += 2;
  }
  return Done{};
}

}  // namespace heft
