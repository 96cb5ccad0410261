#include "heft/identify/estimate.hpp"

#include <algorithm>
#include <optional>

#include "constrained_optimum.hpp"
#include "heft/solve/least_squares.hpp"
#include "identify/noticeable_error.hpp"
#include "identify/stage_timer.hpp"
#include "residuals.hpp"
#include "second_opinion.hpp"
#include "suspicious_channels.hpp"

namespace heft {

namespace {

Eigen::VectorXd bounded(const Eigen::VectorXd& weights, const EstimationOptions& options) {
  return options.most_weights.size() == weights.size()
             ? weights.cwiseMin(options.most_weights).eval()
             : weights;
}

/// Input of the estimators.
struct Given {
  const TrainingData& data;
  const Setup& setup;
  const WeightedFit& fit;
  const EstimationOptions& options;
  Executor& executor;
  const Progress& progress;
  std::map<std::string, double>& timings_s;

  const ParameterLayout& layout() const { return data.plan->layout; }
  Solving solving() const { return {executor, options.solve, progress}; }
};

/// Output of an estimator.
struct Found {
  Estimate estimate;
  std::optional<Optimum> optimum = {};
};

/// Least squares with undetermined directions from the prior.
Found least_squares_estimate(const char* name, LeastSquares fit, const Given& given,
                             const Eigen::VectorXd& channel_weights) {
  const Moments& moments = given.data.moments;
  move_to_prior(fit, given.layout(), normal_equations(moments, channel_weights), given.setup.prior);
  return {{.name = name,
           .parameters = fit.x,
           .impossible_bodies = fit.impossible_bodies,
           .rank = fit.rank,
           .training = errors_of(moments, fit.x)}};
}

Result<Found> ordinary(const Given& given) {
  const Eigen::VectorXd equal_weights = Eigen::VectorXd::Ones(given.fit.channel_weights.size());
  return least_squares_estimate("ols", given.fit.ordinary, given, equal_weights);
}

Result<Found> weighted(const Given& given) {
  return least_squares_estimate("wls", given.fit.weighted, given, given.fit.channel_weights);
}

/// Normal equations of every channel by itself, weighted as in the problem. None of whitened
/// channels, each of which mixes several of the robot's.
std::vector<NormalEquations> equations_by_channel(const Moments& moments,
                                                  const Eigen::VectorXd& weights) {
  std::vector<NormalEquations> channels;
  if (moments.plan->whitened_from) return channels;
  for (Eigen::Index c = 0; c < weights.size(); ++c)
    channels.push_back(
        normal_equations(moments, weights[c] * Eigen::VectorXd::Unit(weights.size(), c)));
  return channels;
}

/// Empty if the problem has no optimum with such a weak prior.
std::optional<PriceOfPrior> price_of_prior(const Given& given, const NormalEquations& equations,
                                           const Eigen::VectorXd& parameters) {
  constexpr double kNextToNone = 1e-3, kGapTolerance = 1e-6;
  Prior prior = given.setup.prior;
  if (!prior.has_weight()) return std::nullopt;
  prior.weight *= kNextToNone;
  EstimationOptions options = given.options;
  options.solve.gap_tolerance = std::max(options.solve.gap_tolerance, kGapTolerance);
  const auto freer =
      constrained_optimum(given.layout(), equations, prior, given.setup.constraints, options);
  if (!freer) return std::nullopt;
  const Eigen::VectorXd x = freer->solution.x.head(given.layout().num_parameters());
  const double cost = equations.residual_cost(parameters), without = equations.residual_cost(x);
  if (!(without > 0)) return std::nullopt;
  return PriceOfPrior{std::max(cost / without - 1, 0.0), x};
}

struct Certified {
  Solution solution;
  Certificate certificate;
};

/// Certifies a solution. If the interior point method stops at a gap that only its own rounding
/// makes small enough, solves the problem again by ADMM.
Certified certified(const Problem& problem, const Solution& solution, const SolveOptions& options) {
  const CertifyOptions tolerance{.gap_tolerance = options.gap_tolerance};
  Certified first{solution, certify(problem, solution, tolerance)};
  const bool has_other = options.method == SolveMethod::automatic &&
                         solution.method == SolveMethod::interior_point &&
                         solution.status == SolveStatus::optimal;
  if (first.certificate.certified || !has_other) return first;
  SolveOptions other = options;
  other.method = SolveMethod::admm;
  auto second = solve(problem, other);
  if (!second) return first;
  Certificate certificate = certify(problem, *second, tolerance);
  return certificate.certified ? Certified{std::move(*second), std::move(certificate)} : first;
}

/// Solves and certifies the convex problem of FORMULAS 2 and 3, with the price of its constraints
/// and the comparison with a chart.
Result<Found> certified_optimum(const Given& given) {
  const StageTimer timer(given.timings_s, "solve and certify");
  const auto& [data, setup, fit, options, executor, progress, timings_s] = given;
  const NormalEquations equations = normal_equations(data.moments, fit.channel_weights);
  HEFT_TRY(found,
           constrained_optimum(given.layout(), equations, setup.prior, setup.constraints, options));
  const Problem& problem = found.problem;
  const auto [solution, certificate] = certified(problem, found.solution, options.solve);
  Found answer{
      {.name = "constrained", .parameters = solution.x.head(given.layout().num_parameters())}};
  Estimate& estimate = answer.estimate;
  estimate.training = errors_of(data.moments, estimate.parameters);
  Optimum& optimum = answer.optimum.emplace();
  optimum.solution = solution;
  optimum.certificate = certificate;
  if (const auto price = price_of_physics(problem, solution,
                                          equations_by_channel(data.moments, fit.channel_weights)))
    optimum.price = *price;
  optimum.price_of_prior = price_of_prior(given, equations, estimate.parameters);
  for (int body = 0; body < given.layout().num_bodies(); ++body)
    if (!setup.prior.held[body] && !(optimum.certificate.psd_margin[body] > 0))
      estimate.impossible_bodies.push_back(body);
  if (optimum.price && estimate.training.overall_relative > kErrorThatShows) {
    HEFT_TRY(suspects, suspicious_channels(data, fit.channel_weights, setup,
                                           {executor, options.solve}, *optimum.price));
    optimum.suspicious_channels = suspects;
  }
  if (options.second_opinion) {
    HEFT_TRY(opinion, second_opinion(problem, optimum.certificate, *options.second_opinion));
    optimum.second_opinion = opinion;
  }
  return answer;
}

/// The optimum and its uncertainty.
Result<Found> constrained(const Given& given) {
  HEFT_TRY(found, certified_optimum(given));
  const StageTimer timer(given.timings_s, "intervals");
  HEFT_TRY(uncertainty,
           quantify_uncertainty(given.data, given.fit.channel_weights, given.setup.prior,
                                given.setup.constraints, given.solving(), given.options.rank_cut,
                                found.estimate.parameters, given.options.uncertainty));
  found.optimum->uncertainty = uncertainty;
  return std::move(found);
}

/// Runs in this order up to the requested one: the earlier ones are for comparison.
constexpr struct {
  Estimator estimator;
  Result<Found> (*estimate)(const Given&);
} kEstimators[] = {{Estimator::ordinary_least_squares, ordinary},
                   {Estimator::weighted_least_squares, weighted},
                   {Estimator::constrained, constrained}};

Estimate estimate_of(const SecondOpinion& opinion, const Moments& moments) {
  return {.name = "chart:" + std::string(enum_name(opinion.chart)),
          .parameters = opinion.solution.x,
          .training = errors_of(moments, opinion.solution.x)};
}

}  // namespace

DroppedRows Identification::dropped() const {
  DroppedRows total;
  for (const auto* logs : {&data.logs, &second_pass.validation_logs})
    for (const LogSummary& log : *logs)
      for (const auto& [reason, count] : log.dropped) total[reason] += count;
  return total;
}

Result<Problem> problem_of(const Moments& moments, const Setup& setup,
                           const EstimationOptions& options) {
  HEFT_TRY(weights, weights_of_residuals(moments, options.weighting_passes, options.rank_cut));
  return make_problem(moments.plan->layout, normal_equations(moments, bounded(weights, options)),
                      setup.prior, setup.constraints);
}

Result<Identification> estimate(TrainingData data, Setup setup, Executor& executor,
                                const EstimationOptions& options, const Progress& progress) {
  const std::vector<SolveCount> solved_before = executor.solved();
  Identification result{.data = std::move(data), .setup = std::move(setup)};
  result.options = result.data.options;
  const auto least_squares = [&] {
    const StageTimer timer(result.timings_s, "solve and certify");
    return fit_weighted(result.data.moments, options.weighting_passes, options.rank_cut);
  };
  HEFT_TRY(fit, least_squares());
  fit.channel_weights = bounded(fit.channel_weights, options);
  result.channel_weights = fit.channel_weights;
  Prior& prior = result.setup.prior;
  if (!options.is_least_squares() && options.chooses_weight_of_prior && prior.has_weight()) {
    const StageTimer timer(result.timings_s, "choose the prior weight");
    HEFT_TRY(choice, choose_prior_weight(result.data, result.setup, executor, options, progress));
    prior.weight = choice.weight;
    result.choices.weight_of_prior = choice;
  }
  const Given given{result.data, result.setup, fit, options, executor, progress, result.timings_s};
  for (const auto& [estimator, estimate] : kEstimators) {
    HEFT_TRY(found, estimate(given));
    if (found.optimum && found.optimum->second_opinion)
      result.estimates.push_back(estimate_of(*found.optimum->second_opinion, result.data.moments));
    result.estimates.push_back(std::move(found.estimate));
    result.optimum = std::move(found.optimum);
    if (estimator == options.estimator) break;
  }
  result.solves = executor.solved(solved_before);
  return result;
}

}  // namespace heft
