#include "identify/gathering.hpp"

#include <cmath>

#include "config/estimation.hpp"
#include "constrained_optimum.hpp"
#include "heft/identify/identify.hpp"
#include "heft/solve/weighted_fit.hpp"
#include "residual_noise.hpp"
#include "rows/filtered_prediction.hpp"
#include "training/accumulate.hpp"

namespace heft {

namespace {

constexpr double kHuber = 1.345;  ///< 95 % as efficient as least squares on normal noise [Huber 1964]

/// Whether rows are weighed by the residuals of an answer, which asks for further passes.
bool is_reweighted(const EstimationOptions& options) {
  return options.loss == Loss::huber || options.channel_covariance == ChannelCovariance::full;
}

Result<ResidualNoise> noise_of(SampleSource& source, const RegressorPlan& plan, Backend& backend,
                               const Eigen::VectorXd& parameters) {
  ResidualNoise noise(plan.num_channels());
  const auto on_block = [&](int, const Samples& block) -> Result<Done> {
    const PredictJob job{&plan, &block, &parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
    noise.push(block, predicted);
    return Done{};
  };
  HEFT_CHECK(source.run(on_block));
  return noise;
}

/// Samples::weight by Huber: the square roots of his weights min(1, k s / |e|).
Result<Eigen::ArrayXXd> huber_row_factors(const Samples& block, const RegressorPlan& plan, Backend& backend,
                                          const Eigen::VectorXd& parameters, const Eigen::VectorXd& scale) {
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

Result<GatheredData> gather(SampleSource& source, const Model& model, const Configuration& configuration,
                            Backend& backend, const SampleSource::Progress& progress) {
  EstimationOptions options = configuration.estimation;
  const bool huber = options.loss == Loss::huber;
  const bool whitens = options.channel_covariance == ChannelCovariance::full;
  const RegressorPlan& plan = *model.plan;

  HEFT_TRY(plain, accumulate(source, model, configuration, backend, progress));
  GatheredData gathered{std::move(plain), {}, 1};
  if (!is_reweighted(options)) return gathered;
  HEFT_CHECK(read_ellipsoids(options, plan.robot));
  for (int round = 0; round < options.reweighting_rounds; ++round) {
    HEFT_TRY(parameters, point_estimate(gathered.training().moments, options));
    HEFT_TRY(noise, noise_of(source, plan, backend, parameters));
    const Eigen::VectorXd scale = noise.scale();
    RowWeighting weighting;
    if (huber)
      weighting.weights = [&](const Samples& block) {
        return huber_row_factors(block, plan, backend, parameters, scale);
      };
    if (whitens) weighting.covariance = noise.covariance(huber);
    HEFT_TRY(reweighted, accumulate(source, model, configuration, backend, {}, weighting));
    gathered.reweighted = std::move(reweighted);
    gathered.num_passes += 2;
  }
  return gathered;
}

Result<TrainingData> gather_training_data(const std::string& robot_path, const std::vector<std::string>& logs,
                                          const Configuration& configuration, const StageProgress& progress) {
  HEFT_TRY(robot, read_robot(robot_path, configuration.robot));
  HEFT_TRY(model, make_model(std::move(robot), configuration));
  HEFT_TRY(backend, make_backend(configuration.backend));
  SampleSource source(logs, *model.plan, configuration, model.derived,
                      configuration.estimation.training_samples);
  if (!is_reweighted(configuration.estimation)) source.keep_nothing();
  HEFT_TRY(gathered, gather(source, model, configuration, *backend, [&](double fraction) {
             if (progress) progress("reading training logs", fraction);
           }));
  return std::move(gathered.training());
}

Result<Eigen::VectorXd> point_estimate(const Moments& moments, const EstimationOptions& options) {
  const RegressorPlan& plan = *moments.plan;
  HEFT_TRY(fit, fit_weighted(moments, options.weighting_passes, options.rank_cut));
  if (is_least_squares(options)) return fit.weighted.x;
  HEFT_TRY(prior, make_prior(plan.layout, plan.robot, prior_options(options)));
  HEFT_TRY(optimum,
           constrained_optimum(plan.layout, normal_equations(moments, fit.channel_weights), prior, options));
  return optimum.solution.x.head(plan.layout.num_parameters()).eval();
}

}  // namespace heft
