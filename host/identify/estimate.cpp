#include "heft/identify/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "constrained_optimum.hpp"
#include "heft/solve/weighted_fit.hpp"
#include "identify/error_that_shows.hpp"
#include "identify/stage_timer.hpp"
#include "residuals.hpp"
#include "second_opinion.hpp"
#include "suspects.hpp"

namespace heft {

namespace {

Eigen::VectorXd bounded(const Eigen::VectorXd& weights, const EstimationOptions& options) {
  return options.most_weights.size() == weights.size() ? weights.cwiseMin(options.most_weights).eval()
                                                       : weights;
}

/// Least squares with what the data leave open taken from the prior.
Estimate least_squares_estimate(const char* name, LeastSquares fit, const Identification& result,
                                const Eigen::VectorXd& channel_weights) {
  const Moments& moments = result.data.moments;
  move_to_prior(fit, result.plan().layout, normal_equations(moments, channel_weights), result.setup.prior);
  return {.name = name,
          .parameters = fit.x,
          .impossible_bodies = fit.impossible_bodies,
          .rank = fit.rank,
          .training = fit_of(moments, fit.x)};
}

/// Normal equations of every channel by itself, weighted as in the problem. None of whitened channels, each of which
/// mixes several of the robot's.
std::vector<NormalEquations> equations_by_channel(const Moments& moments, const Eigen::VectorXd& weights) {
  std::vector<NormalEquations> channels;
  if (moments.plan->whitened_from) return channels;
  for (Eigen::Index c = 0; c < weights.size(); ++c)
    channels.push_back(normal_equations(moments, weights[c] * Eigen::VectorXd::Unit(weights.size(), c)));
  return channels;
}

/// The convex problem of FORMULAS 2 and 3, solved and certified, with the price of its constraints; adds its estimate, and
/// that of a chart if one was asked for.
Result<Done> find_optimum(const EstimationOptions& options, Identification& result) {
  const ParameterLayout& layout = result.plan().layout;
  const Moments& moments = result.data.moments;
  HEFT_TRY(found, constrained_optimum(layout, normal_equations(moments, result.channel_weights),
                                      result.setup.prior, result.setup.constraints, options));
  const auto& [problem, solution] = found;
  Optimum& optimum = result.optimum.emplace();
  optimum.solution = solution;
  optimum.certificate = certify(problem, solution, {.gap_tolerance = options.solve.gap_tolerance});
  if (const auto price =
          price_of_physics(problem, solution, equations_by_channel(moments, result.channel_weights)))
    optimum.price = *price;
  Estimate estimate{.name = "constrained", .parameters = solution.x.head(layout.num_parameters())};
  estimate.training = fit_of(moments, estimate.parameters);
  for (int body = 0; body < layout.num_bodies(); ++body)
    if (!result.setup.prior.held[body] && !(optimum.certificate.psd_margin[body] > 0))
      estimate.impossible_bodies.push_back(body);
  if (optimum.price && estimate.training.overall_relative > kErrorThatShows) {
    HEFT_TRY(suspects, suspicious_channels(result.data, result.channel_weights, result.setup, options.batch(),
                                           *optimum.price));
    optimum.suspicious_channels = suspects;
  }
  if (options.second_opinion) {
    HEFT_TRY(opinion, second_opinion(problem, optimum.certificate, *options.second_opinion));
    optimum.second_opinion = opinion;
    result.estimates.push_back({.name = "chart:" + std::string(enum_name(opinion.chart)),
                                .parameters = opinion.solution.x,
                                .training = fit_of(moments, opinion.solution.x)});
  }
  result.estimates.push_back(std::move(estimate));
  return Done{};
}

/// What estimators share.
struct Estimation {
  const EstimationOptions& options;
  const Progress& progress;
  const WeightedFit& fit;
  Identification& result;  ///< each adds what it finds
};

Result<Done> add_ordinary(Estimation& estimation) {
  Identification& result = estimation.result;
  const Eigen::VectorXd equal_weights = Eigen::VectorXd::Ones(result.plan().num_channels());
  result.estimates.push_back(least_squares_estimate("ols", estimation.fit.ordinary, result, equal_weights));
  return Done{};
}

Result<Done> add_weighted(Estimation& estimation) {
  Identification& result = estimation.result;
  result.estimates.push_back(
      least_squares_estimate("wls", estimation.fit.weighted, result, estimation.fit.channel_weights));
  return Done{};
}

Result<Done> add_constrained(Estimation& estimation) {
  const auto& [options, progress, fit, result] = estimation;
  Prior& prior = result.setup.prior;
  if (options.chooses_weight_of_prior && prior.kind != PriorKind::none) {
    StageTimer timer(result.timings_s, "choose the prior weight");
    HEFT_TRY(choice, choose_prior_weight(result.data, result.setup, options, progress));
    prior.weight = choice.weight;
    result.choices.weight_of_prior = choice;
  }
  {
    StageTimer timer(result.timings_s, "solve and certify");
    HEFT_CHECK(find_optimum(options, result));
  }
  StageTimer timer(result.timings_s, "intervals");
  HEFT_TRY(uncertainty,
           quantify_uncertainty(result.data, result.channel_weights, prior, result.setup.constraints,
                                options.batch(progress), options.rank_cut, result.answer().parameters,
                                options.uncertainty));
  result.optimum->uncertainty = uncertainty;
  return Done{};
}

/// In this order, up to the one that is asked for: those before it are there to compare.
constexpr struct {
  Estimator estimator;
  Result<Done> (*add_estimate)(Estimation&);
} kEstimators[] = {{Estimator::ordinary_least_squares, add_ordinary},
                   {Estimator::weighted_least_squares, add_weighted},
                   {Estimator::constrained, add_constrained}};

}  // namespace

DroppedRows Identification::dropped() const {
  DroppedRows total;
  for (const auto* logs : {&data.logs, &second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      for (const auto& [reason, count] : log.dropped) total[reason] += count;
  return total;
}

Result<Problem> problem_of(const Moments& moments, const Setup& setup, const EstimationOptions& options) {
  HEFT_TRY(fit, fit_weighted(moments, options.weighting_passes, options.rank_cut));
  return make_problem(moments.plan->layout, normal_equations(moments, bounded(fit.channel_weights, options)),
                      setup.prior, setup.constraints);
}

Result<Identification> estimate(TrainingData data, Setup setup, const EstimationOptions& options,
                                const Progress& progress) {
  Identification result{.data = std::move(data), .setup = std::move(setup)};
  result.options = result.data.options;
  const auto least_squares = [&] {
    StageTimer timer(result.timings_s, "solve and certify");
    return fit_weighted(result.data.moments, options.weighting_passes, options.rank_cut);
  };
  HEFT_TRY(fit, least_squares());
  result.channel_weights = bounded(fit.channel_weights, options);
  Estimation estimation{options, progress, fit, result};
  for (const auto& [estimator, add_estimate] : kEstimators) {
    HEFT_CHECK(add_estimate(estimation));
    if (estimator == options.estimator) break;
  }
  return result;
}

}  // namespace heft
