#include "identify/gains.hpp"

#include <algorithm>
#include <cmath>

#include "diverging_gains.hpp"
#include "identify/gathering.hpp"
#include "linalg/seen_directions.hpp"
#include "training/rest_with_payload.hpp"

namespace heft {

namespace {

constexpr int kMaxRounds = 50;
constexpr double kSettled = 1e-6;
constexpr double kLongestStep = 3;   ///< factor of a gain in one round
constexpr double kLeastGain = 1e-6;  ///< of 1 + g: a drive that reports less measures no torque
constexpr double kGapOfRounds = 1e-12;
constexpr double kRankCut = 1e-14;  ///< of eigenvalues
constexpr double kAtRest = 0.95;    ///< share of the rows of a joint that does not move

bool is_gain(const Column& column) {
  return column.effect == ColumnEffect::gain;
}

/// Returns the bodies of an estimate, the next reference of loads.
std::vector<double> bodies_of(const ParameterLayout& layout, const Eigen::VectorXd& x) {
  return {x.begin(), x.begin() + core::kNumParameters * layout.num_bodies()};
}

/// Relative change of the torques that the bodies need.
double change_of_load(const Moments& moments, const Eigen::VectorXd& x,
                      const std::vector<double>& before) {
  const Eigen::VectorXd equal = Eigen::VectorXd::Ones(moments.plan->num_channels());
  const auto size = static_cast<Eigen::Index>(before.size());
  const Eigen::MatrixXd G = normal_equations(moments, equal).G.topLeftCorner(size, size);
  const Eigen::VectorXd now = x.head(size);
  const Eigen::VectorXd moved = now - Eigen::Map<const Eigen::VectorXd>(before.data(), size);
  return std::sqrt(std::max(0.0, moved.dot(G * moved)) / std::max(now.dot(G * now), 1e-300));
}

/// Applies the gains of a round; returns the largest correction.
double apply_corrections(const RegressorPlan& plan, const Eigen::VectorXd& x, PerJoint& gain) {
  double largest = 0;
  for (int k = 0; k < plan.layout.num_columns(); ++k) {
    const Column& column = plan.layout.columns[static_cast<std::size_t>(k)];
    if (!is_gain(column)) continue;
    const double correction = x[plan.layout.column_index(k)];
    const double corrected =
        column.gain * std::clamp(1 + correction, 1 / kLongestStep, kLongestStep);
    // a gain that vanishes does not settle: nothing is left to correct
    largest = std::max(largest, corrected < kLeastGain ? 1 : std::abs(correction));
    const int coordinate =
        plan.channels[static_cast<std::size_t>(column.terms.front().channel)].coordinate;
    gain.set(column.joints.front(), coordinate, corrected);
  }
  return largest;
}

/// Error: a log with a payload in which no joint with a gain moves.
Result<Done> check_motion(const std::vector<LogSummary>& logs, const Model& model) {
  for (const LogSummary& log : logs) {
    if (!model.derived_of(log.path).payload) continue;
    const bool moves = std::ranges::any_of(model.plan->layout.columns, [&](const Column& column) {
      if (!is_gain(column)) return false;
      const auto at_rest = log.dropped.find(at_rest_with_payload(column.joints.front()));
      return at_rest == log.dropped.end() ||
             at_rest->second < kAtRest * static_cast<double>(log.num_samples);
    });
    if (!moves)
      return Error{"columns: gain", "no joint moves in " + log.path + ", a log with a payload",
                   "record the payload in motion (heft excite), or remove the log and its payload"};
  }
  return Done{};
}

/// One pass and its optimum.
struct Round {
  PlanPtr plan;  ///< of the robot's channels
  Moments moments;
  Eigen::VectorXd x;
};

Result<Round> solved_round(const IdentifyRequest& request, const ModelOptions& model,
                           Executor& executor) {
  HEFT_TRY(setup, with_model(request.setup, model));
  SampleSource source(request.training_logs, setup.model, request.gathering,
                      request.gathering.max_samples);
  source.condition_on(executor.num_threads());
  if (!request.gathering.weighting.needs_several_passes()) source.keep_nothing();
  HEFT_TRY(gathered, gather(source, setup, request.gathering, request.estimation, executor,
                            request.progress));
  HEFT_CHECK(check_motion(gathered.plain.logs, setup.model));
  EstimationOptions options = request.estimation;
  options.solve.gap_tolerance = std::min(options.solve.gap_tolerance, kGapOfRounds);
  HEFT_TRY(x, point_estimate(gathered.training().moments, setup, options));
  return Round{setup.model.plan, std::move(gathered.training().moments), x};
}

}  // namespace

Result<ModelOptions> settle_gains(const IdentifyRequest& request, ModelOptions model) {
  if (request.estimation.is_least_squares())
    return Error{"columns: gain", "needs an estimate with prior and constraints",
                 "choose a solver other than ols and wls"};
  HEFT_TRY(executor, executor_of(request));
  double moved = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    HEFT_TRY(solved, solved_round(request, model, *executor));
    const auto& [plan, moments, x] = solved;
    if (!x.allFinite()) break;
    const double change =
        model.load_inertia.empty() ? 1 : change_of_load(moments, x, model.load_inertia);
    moved = std::max(change, apply_corrections(*plan, x, model.torque_gain));
    model.load_inertia = bodies_of(plan->layout, x);
    if (moved < kSettled) return model;
  }
  return diverging_gains(request, model, moved);
}

std::vector<bool> determined_columns(const ParameterLayout& layout, const Eigen::MatrixXd& G,
                                     const std::vector<bool>& held, bool has_total_mass) {
  std::vector<int> free;
  for (int k = 0; k < layout.num_parameters(); ++k) {
    const int body = k / core::kNumParameters;
    if (body >= layout.num_bodies() || !held[static_cast<std::size_t>(body)]) free.push_back(k);
  }
  Eigen::MatrixXd information = G(free, free);
  if (has_total_mass) {
    Eigen::VectorXd row = Eigen::VectorXd::Zero(layout.num_parameters());
    for (int body = 0; body < layout.num_bodies(); ++body) row[layout.index(body, core::kMass)] = 1;
    const Eigen::VectorXd of_free = row(free);
    information += information.diagonal().maxCoeff() * of_free * of_free.transpose();
  }
  const SeenDirections seen = seen_directions(information, kRankCut);
  std::vector<bool> determined(static_cast<std::size_t>(layout.num_columns()), false);
  for (std::size_t i = 0; i < free.size(); ++i)
    if (const int column = free[i] - layout.column_index(0); column >= 0)
      determined[static_cast<std::size_t>(column)] = !seen.open[i];
  return determined;
}

namespace {

/// Returns the standard error of a gain from the logs alone; empty without error bars.
std::optional<double> standard_error(const Uncertainty& uncertainty, const Column& column) {
  for (std::size_t k = 0; k < uncertainty.quantities.size(); ++k)
    if (uncertainty.quantities[k] == column.name)
      return column.gain * uncertainty.base.standard_error[static_cast<Eigen::Index>(k)];
  return std::nullopt;
}

}  // namespace

std::vector<DriveGain> drive_gains(const Identification& identification) {
  const ParameterLayout& layout = identification.plan().layout;
  std::vector<DriveGain> gains;
  if (std::ranges::none_of(layout.columns, is_gain) || !identification.optimum) return gains;
  const Eigen::MatrixXd G =
      normal_equations(identification.data.moments, identification.channel_weights).G;
  const bool has_total_mass = !identification.setup.constraints.linear.empty();
  const std::vector<bool> determined =
      determined_columns(layout, G, identification.setup.prior.held, has_total_mass);
  const Uncertainty& uncertainty = identification.optimum->uncertainty;
  for (int k = 0; k < layout.num_columns(); ++k) {
    const Column& column = layout.columns[static_cast<std::size_t>(k)];
    if (!is_gain(column)) continue;
    const int index = layout.column_index(k);
    DriveGain gain{.joint = column.joints.front(),
                   .value = shown_value(column, identification.answer().parameters[index])};
    const std::optional<double> error = standard_error(uncertainty, column);
    gain.is_identifiable = determined[static_cast<std::size_t>(k)] &&
                           (has_total_mass || !error || *error <= column.gain_sd);
    if (const auto& interval = uncertainty.intervals[static_cast<std::size_t>(index)];
        gain.is_identifiable && interval)
      gain.interval =
          Interval{shown_value(column, interval->lower), shown_value(column, interval->upper)};
    gains.push_back(gain);
  }
  return gains;
}

}  // namespace heft
