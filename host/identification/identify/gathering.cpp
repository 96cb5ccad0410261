#include "identify/gathering.hpp"

#include <cmath>

#include "constrained_optimum.hpp"
#include "heft/executor/executor.hpp"
#include "heft/identify/identify.hpp"
#include "heft/solve/least_squares.hpp"
#include "log_weights.hpp"
#include "residual_noise.hpp"
#include "rows/filtered_prediction.hpp"
#include "setup/match_clocks.hpp"
#include "training/accumulate.hpp"
#include "training/reported_run.hpp"

namespace heft {

namespace {

constexpr double kHuber = 1.345;  ///< 95 % as efficient as least squares on normal noise [Huber
                                  ///< 1964]

Result<ResidualNoise> noise_of(SampleSource& source, const RegressorPlan& plan, Backend& backend,
                               const Eigen::VectorXd& parameters, const Progress& progress) {
  ResidualNoise noise(plan.num_channels());
  const auto on_block = [&](int, const Samples& block) -> Result<Done> {
    const PredictJob job{&plan, &block, &parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
    noise.push(block, predicted);
    return Done{};
  };
  HEFT_CHECK(reported_run(source, on_block, progress, "weighting rows by residuals"));
  return noise;
}

/// Samples::weight by Huber: the square roots of his weights min(1, k s / |e|).
Result<Eigen::ArrayXXd> huber_row_factors(const Samples& block, const RegressorPlan& plan,
                                          Backend& backend, const Eigen::VectorXd& parameters,
                                          const Eigen::VectorXd& scale) {
  const PredictJob job{&plan, &block, &parameters};
  Eigen::ArrayXXd predicted;
  HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
  Eigen::ArrayXXd factors = block.weight;
  for (Eigen::Index c = 0; c < factors.cols(); ++c) {
    const double bound = kHuber * scale[c];
    if (!(bound > 0)) continue;  // a channel that is fitted exactly has no outliers
    factors.col(c) *= (bound / (block.torque.col(c) - predicted.col(c)).abs()).min(1.0).sqrt();
  }
  return factors;
}

}  // namespace

Result<GatheredData> gather(SampleSource& source, const Setup& setup, const GatherOptions& options,
                            const EstimationOptions& estimation, Backend& backend,
                            const Progress& progress, int most_stretches) {
  const bool huber = options.weighting.loss == Loss::huber;
  const bool whitens = options.weighting.channel_covariance == ChannelCovariance::full;
  const PlanPtr& plan = setup.model.plan;
  const auto accumulated = [&](const RowWeighting& weighting) -> Result<TrainingData> {
    HEFT_TRY(data, accumulate(source, plan, backend, progress, weighting, most_stretches));
    data.options = options.record;
    data.ellipsoids = setup.ellipsoids;
    return std::move(data);
  };

  HEFT_TRY(plain, accumulated({}));
  GatheredData gathered{.plain = std::move(plain), .num_passes = 1};
  if (options.weighting.weighs_logs()) {
    const std::vector<LogKind> kinds = kinds_of(gathered.plain.logs, options.weighting.log_kinds);
    const LogWeigher weigher{source, setup, options.weighting, estimation, backend, progress};
    if (kinds.size() > 1) HEFT_CHECK(weigher.weigh(kinds, accumulated, gathered));
    return gathered;
  }
  if (!options.weighting.needs_residuals()) return gathered;
  for (int round = 0; round < options.weighting.rounds; ++round) {
    HEFT_TRY(parameters, point_estimate(gathered.training().moments, setup, estimation));
    HEFT_TRY(noise, noise_of(source, *plan, backend, parameters, progress));
    const Eigen::VectorXd scale = noise.scale();
    RowWeighting weighting;
    if (huber)
      weighting.weights = [&](int, const Samples& block) {
        return huber_row_factors(block, *plan, backend, parameters, scale);
      };
    if (whitens) weighting.covariance = noise.covariance(huber);
    HEFT_TRY(reweighted, accumulated(weighting));
    gathered.reweighted = std::move(reweighted);
    gathered.num_passes += 2;
  }
  return gathered;
}

Result<TrainingData> gather_training_data(const Setup& setup, const std::vector<Log>& logs,
                                          const GatherOptions& options,
                                          const EstimationOptions& estimation,
                                          const BackendOptions& backend_options,
                                          const Progress& progress) {
  HEFT_TRY(backend, make_backend(backend_options));
  HEFT_TRY(matched, match_clocks(logs, setup.plan().robot, setup.plan().channels, options.log,
                                 options.conditioning));
  SampleSource source(matched.logs, setup.model, options, options.max_samples);
  source.condition_on(backend->num_threads());
  if (!options.weighting.needs_several_passes()) source.keep_nothing();
  HEFT_TRY(gathered, gather(source, setup, options, estimation, *backend, progress));
  return std::move(gathered.training());
}

Result<Eigen::VectorXd> point_estimate(const Moments& moments, const Setup& setup,
                                       const EstimationOptions& options) {
  const ParameterLayout& layout = moments.plan->layout;
  HEFT_TRY(fit, fit_weighted(moments, options.weighting_passes, options.rank_cut));
  if (options.is_least_squares()) return fit.weighted.x;
  HEFT_TRY(optimum, constrained_optimum(layout, normal_equations(moments, fit.channel_weights),
                                        setup.prior, setup.constraints, options));
  return optimum.solution.x.head(layout.num_parameters()).eval();
}

}  // namespace heft
