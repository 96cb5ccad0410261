#include "heft/identify.hpp"

#include <chrono>
#include <cmath>

#include "heft/solve.hpp"
#include "host/identify/residuals.hpp"
#include "host/identify/sample_source.hpp"

namespace heft {

namespace {

/// Adds the seconds since its construction to a stage when it goes out of scope.
class StageTimer {
 public:
  StageTimer(Identification& result, const char* stage) : seconds_(result.timings_s[stage]) {}
  ~StageTimer() { seconds_ += std::chrono::duration<double>(Clock::now() - start_).count(); }

 private:
  using Clock = std::chrono::steady_clock;
  double& seconds_;
  Clock::time_point start_ = Clock::now();
};

/// The data must have finite sums, as many rows as parameters, and torque.
Result<Done> check_data(const Identification& result) {
  const RegressorPlan& plan = *result.plan;
  const std::string log = result.training_logs.empty() ? "" : result.training_logs.front().path;
  for (const double sum : result.moments.packed)
    if (!std::isfinite(sum))
      return Error{log, "positions or torques are so large that their squares overflow",
                   "check the units and look for spikes"};
  double num_rows = 0;
  for (const double rows : result.moments.num_rows) num_rows += rows;
  const int num_parameters = plan.layout.num_parameters();
  if (num_rows < num_parameters)
    return Error{log,
                 "only " + std::to_string(static_cast<long long>(num_rows)) + " usable rows for " +
                     std::to_string(num_parameters) + " parameters",
                 "record longer, or trim, decimate and drop less"};
  const Eigen::VectorXd no_parameters = Eigen::VectorXd::Zero(num_parameters);
  double torque2 = 0;
  for (int c = 0; c < plan.num_channels(); ++c) torque2 += residual_sum(result.moments, c, no_parameters);
  if (torque2 > 0) return Done{};
  return Error{log, "all torques are zero: nothing to identify", "check the torque columns"};
}

SolveMethod method_of(Estimator estimator) {
  switch (estimator) {
    case Estimator::admm:
      return SolveMethod::admm;
    case Estimator::interior_point:
      return SolveMethod::interior_point;
    default:
      return SolveMethod::automatic;
  }
}

/// The convex problem of FORMULAS 2 and 3, solved and certified.
Result<Estimate> constrained_estimate(const EstimationOptions& options, Identification& result) {
  const RegressorPlan& plan = *result.plan;
  HEFT_TRY(problem, make_problem(plan.layout, normal_equations(result.moments, result.channel_weights),
                                 result.prior, {.margin = options.margin}));
  HEFT_TRY(solution, solve(problem, {.method = method_of(options.solver),
                                     .gap_tolerance = options.gap_tolerance,
                                     .max_iterations = options.max_iterations}));
  result.solution = solution;
  if (solution.x.size() < plan.layout.num_parameters())
    return Error{"solver", solution.reason, "check the prior inertias and the log"};
  result.certificate = certify(problem, solution, {.gap_tolerance = options.gap_tolerance});
  Estimate estimate{.name = "constrained", .parameters = solution.x.head(plan.layout.num_parameters())};
  for (int body = 0; body < plan.layout.num_bodies(); ++body)
    if (!result.prior.held[body] && !(result.certificate->psd_margin[body] > 0))
      estimate.impossible_bodies.push_back(body);
  return estimate;
}

/// Least squares with what the data leave open taken from the prior.
Estimate least_squares_estimate(const char* name, LeastSquares fit, const Identification& result,
                                const Eigen::VectorXd& channel_weights) {
  move_to_prior(fit, result.plan->layout, normal_equations(result.moments, channel_weights), result.prior);
  return {.name = name, .parameters = fit.x, .impossible_bodies = fit.impossible_bodies, .rank = fit.rank};
}

}  // namespace

DroppedRows Identification::dropped() const {
  DroppedRows total;
  for (const auto* logs : {&training_logs, &validation_logs})
    for (const LogSummary& log : *logs)
      for (const auto& [reason, count] : log.dropped) total[reason] += count;
  return total;
}

Result<Identification> identify(const IdentifyRequest& request) {
  const Configuration& configuration = request.configuration;
  const auto report = [&](const char* stage) {
    return [&request, stage](double fraction) {
      if (request.progress) request.progress(stage, fraction);
    };
  };

  // robot, channels, columns
  HEFT_TRY(robot, read_urdf(request.robot_path, configuration.robot));
  const std::vector<Channel> channels = default_channels(robot);
  HEFT_TRY(terms, expand_model_terms(configuration, robot, channels));
  HEFT_TRY(plan, make_regressor_plan(robot, channels, terms.columns));
  HEFT_TRY(backend, make_backend(configuration.backend));
  Identification result{.plan = plan, .backend = backend->description()};

  // logs to moments
  SampleSource training(request.training_logs, *plan, configuration, terms.derived);
  {
    StageTimer timer(result, "read, condition and accumulate");
    MomentAccumulator accumulator(plan, *backend);
    const auto on_block = [&](int segment, const Samples& block) { return accumulator.push(segment, block); };
    HEFT_CHECK(training.run(on_block, report("reading training logs")));
    HEFT_TRY(moments, accumulator.finish());
    result.moments = std::move(moments);
    result.training_logs = training.summaries();
  }
  HEFT_CHECK(check_data(result));

  // moments to parameters
  {
    StageTimer timer(result, "solve and certify");
    const EstimationOptions& options = configuration.estimation;
    HEFT_TRY(prior, make_prior(plan->layout, plan->robot,
                               {.weight = options.prior_weight, .ridge = options.column_ridge}));
    result.prior = prior;
    HEFT_TRY(fit, fit_weighted(result.moments, options.weighting_passes, options.rank_cut));
    result.channel_weights = fit.channel_weights;
    const Eigen::VectorXd equal_weights = Eigen::VectorXd::Ones(plan->num_channels());
    result.estimates.push_back(least_squares_estimate("ols", fit.ordinary, result, equal_weights));
    if (options.solver != Estimator::ordinary_least_squares)
      result.estimates.push_back(least_squares_estimate("wls", fit.weighted, result, fit.channel_weights));
    if (options.solver != Estimator::ordinary_least_squares &&
        options.solver != Estimator::weighted_least_squares) {
      HEFT_TRY(constrained, constrained_estimate(options, result));
      result.estimates.push_back(constrained);
    }
  }

  // residuals, on the training logs and on those held out
  {
    StageTimer timer(result, "residuals");
    std::vector<Eigen::VectorXd> parameters;
    for (const Estimate& estimate : result.estimates) parameters.push_back(estimate.parameters);
    HEFT_TRY(training_fits, fits_on(training, *plan, *backend, parameters));
    for (std::size_t i = 0; i < parameters.size(); ++i) result.estimates[i].training = training_fits[i];
    SampleSource validation(request.validation_logs, *plan, configuration, terms.derived);
    if (!validation.empty()) {
      HEFT_TRY(validation_fits, fits_on(validation, *plan, *backend, parameters));
      for (std::size_t i = 0; i < parameters.size(); ++i) result.estimates[i].validation = validation_fits[i];
      result.validation_logs = validation.summaries();
    }
  }
  return result;
}

}  // namespace heft
