#include "heft/identify/estimate.hpp"

#include <algorithm>
#include <cmath>

#include "constrained_optimum.hpp"
#include "heft/solve/weighted_fit.hpp"
#include "identify/stage_timer.hpp"
#include "residuals.hpp"
#include "second_opinion.hpp"
#include "suspects.hpp"

namespace heft {

namespace {

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

/// The convex problem of FORMULAS 2 and 3, solved and certified, with the price of its constraints.
Result<Estimate> constrained_estimate(const EstimationOptions& options, Identification& result) {
  const ParameterLayout& layout = result.plan().layout;
  const Setup& setup = result.setup;
  HEFT_TRY(optimum, constrained_optimum(layout, normal_equations(result.data.moments, result.channel_weights),
                                        setup.prior, setup.constraints, options.solve));
  const auto& [problem, solution] = optimum;
  result.solution = solution;
  result.certificate = certify(problem, solution, {.gap_tolerance = options.solve.gap_tolerance});
  if (const auto price = price_of_physics(problem, solution,
                                          equations_by_channel(result.data.moments, result.channel_weights)))
    result.price = *price;
  if (result.price) {
    HEFT_TRY(suspects,
             suspicious_channels(result.data, result.channel_weights, setup, options.solve, *result.price));
    result.suspicious_channels = suspects;
  }
  if (options.second_opinion) {
    HEFT_TRY(opinion, second_opinion(problem, *result.certificate, *options.second_opinion));
    result.second_opinion = opinion;
    result.estimates.push_back({.name = "chart:" + std::string(enum_name(opinion.chart)),
                                .parameters = opinion.solution.x,
                                .training = fit_of(result.data.moments, opinion.solution.x)});
  }
  Estimate estimate{.name = "constrained", .parameters = solution.x.head(layout.num_parameters())};
  estimate.training = fit_of(result.data.moments, estimate.parameters);
  for (int body = 0; body < layout.num_bodies(); ++body)
    if (!setup.prior.held[body] && !(result.certificate->psd_margin[body] > 0))
      estimate.impossible_bodies.push_back(body);
  return estimate;
}

}  // namespace

DroppedRows Identification::dropped() const {
  DroppedRows total;
  for (const auto* logs : {&data.logs, &validation_logs})
    for (const LogSummary& log : *logs)
      for (const auto& [reason, count] : log.dropped) total[reason] += count;
  return total;
}

Result<Identification> estimate(TrainingData data, Setup setup, const EstimationOptions& options,
                                const Progress& progress) {
  Identification result{.data = std::move(data), .setup = std::move(setup)};
  result.options = result.data.options;
  const RegressorPlan& plan = result.plan();
  {
    StageTimer timer(result.timings_s, "solve and certify");
    HEFT_TRY(fit, fit_weighted(result.data.moments, options.weighting_passes, options.rank_cut));
    result.channel_weights = fit.channel_weights;
    const Eigen::VectorXd equal_weights = Eigen::VectorXd::Ones(plan.num_channels());
    result.estimates.push_back(least_squares_estimate("ols", fit.ordinary, result, equal_weights));
    if (options.estimator == Estimator::ordinary_least_squares) return result;
    result.estimates.push_back(least_squares_estimate("wls", fit.weighted, result, fit.channel_weights));
    if (options.estimator == Estimator::weighted_least_squares) return result;
  }
  Prior& prior = result.setup.prior;
  if (options.chooses_weight_of_prior && prior.kind != PriorKind::none) {
    StageTimer timer(result.timings_s, "choose the prior weight");
    HEFT_TRY(choice, choose_prior_weight(result.data, result.setup, options, progress));
    prior.weight = choice.weight;
    result.weight_choice = choice;
  }
  {
    StageTimer timer(result.timings_s, "solve and certify");
    HEFT_TRY(constrained, constrained_estimate(options, result));
    result.estimates.push_back(constrained);
  }
  {
    StageTimer timer(result.timings_s, "intervals");
    HEFT_TRY(uncertainty, quantify_uncertainty(result.data, result.channel_weights, prior,
                                               result.setup.constraints, options.solve, options.rank_cut,
                                               result.answer().parameters, options.uncertainty, progress));
    result.uncertainty = uncertainty;
  }
  return result;
}

}  // namespace heft
