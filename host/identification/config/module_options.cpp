#include "heft/config/module_options.hpp"

#include <optional>
#include <utility>

#include "config/total_mass.hpp"

namespace heft {

namespace {

bool asks_for_least_squares(SolverChoice solver) {
  return solver == SolverChoice::ordinary_least_squares ||
         solver == SolverChoice::weighted_least_squares;
}

Estimator estimator_of(SolverChoice solver) {
  if (solver == SolverChoice::ordinary_least_squares) return Estimator::ordinary_least_squares;
  if (solver == SolverChoice::weighted_least_squares) return Estimator::weighted_least_squares;
  return Estimator::constrained;
}

SolveMethod method_of(SolverChoice solver) {
  if (solver == SolverChoice::admm) return SolveMethod::admm;
  if (solver == SolverChoice::interior_point) return SolveMethod::interior_point;
  return SolveMethod::automatic;
}

PriorOptions prior_options(const Configuration& configuration) {
  const EstimationSection& section = configuration.estimation;
  PriorOptions options{
      .kind = section.prior, .weight = section.prior_weight.value, .ridge = section.column_ridge};
  for (const auto& [body, prior] : configuration.priors)
    if (prior.is_unknown)
      options.unknown.insert(body);
    else
      options.references[body] = prior.parameters;
  return options;
}

/// The chart for the second solution.
std::optional<ChartKind> chart_of(SolverChoice solver) {
  switch (solver) {
    case SolverChoice::log_cholesky:
      return ChartKind::log_cholesky;
    case SolverChoice::exponential:
      return ChartKind::exponential;
    case SolverChoice::exponential_at_prior:
      return ChartKind::exponential_at_prior;
    case SolverChoice::manifold:
      return ChartKind::manifold;
    default:
      return {};
  }
}

ConstraintOptions constraint_options(const EstimationSection& section) {
  return {.consistency = section.consistency,
          .margin = section.margin,
          .total_mass = section.total_mass,
          // least squares does not constrain bodies
          .bounding_ellipsoids = asks_for_least_squares(section.solver)
                                     ? MassBound::none
                                     : section.bounding_ellipsoids,
          .bounding_margin = section.bounding_margin,
          .package_folders = section.package_folders};
}

}  // namespace

Result<Done> config::check_total_mass(const EstimationSection& section) {
  if (section.total_mass == 0 || !asks_for_least_squares(section.solver)) return Done{};
  return Error{"estimation.total_mass", "least squares cannot impose equalities",
               "set estimation.solver to auto, or remove total_mass"};
}

RobotOptions robot_options(const Configuration& configuration) {
  RobotOptions options = configuration.robot;
  for (const SensorSpec& sensor : configuration.sensors)
    options.separate_links.push_back(sensor.link);
  return options;
}

ModelOptions model_options(const Configuration& configuration) {
  return {.columns = configuration.columns,
          .sensors = configuration.sensors,
          .known_torque = configuration.known_torque,
          .load_inertia = configuration.load.inertia,
          .torque_gain = configuration.load.gain,
          .payloads = configuration.payloads,
          .wrenches = configuration.wrenches,
          .base = configuration.conditioning.base,
          .contacts = configuration.contacts,
          .contact_forces = configuration.estimation.contacts,
          .channel_noise = configuration.load.noise};
}

SetupOptions setup_options(const Configuration& configuration) {
  return {.model = model_options(configuration),
          .prior = prior_options(configuration),
          .constraints = constraint_options(configuration.estimation)};
}

EstimationOptions estimation_options(const Configuration& configuration) {
  const EstimationSection& section = configuration.estimation;
  return {
      .estimator = estimator_of(section.solver),
      .solve = {.method = method_of(section.solver),
                .gap_tolerance = section.gap_tolerance,
                .max_iterations = section.max_iterations},
      .weighting_passes = section.weighting_passes,
      .rank_cut = section.rank_cut,
      .chooses_weight_of_prior = section.prior_weight.automatic,
      .second_opinion = chart_of(section.solver),
      .uncertainty = {.confidence = section.confidence,
                      .bootstrap = section.bootstrap,
                      .torque_scale_sd =
                          section.torque_scale_sd.automatic ? 0 : section.torque_scale_sd.value}};
}

namespace {

/// Default: residuals for robots with feet, whose impacts are model errors in some logs only.
LogWeights log_weights_of(const Configuration& configuration) {
  const EstimationSection& section = configuration.estimation;
  if (section.log_weights != LogWeights::automatic) return section.log_weights;
  const bool has_feet = configuration.robot.floating_base &&
                        (!configuration.wrenches.empty() || !configuration.contacts.empty());
  const bool can_weigh = section.loss == Loss::squares &&
                         section.channel_covariance == ChannelCovariance::diagonal &&
                         configuration.conditioning.rows == "torque" &&
                         configuration.selection.columns == ColumnChoice::given;
  return has_feet && can_weigh ? LogWeights::residuals : LogWeights::equal;
}

}  // namespace

GatherOptions gather_options(const Configuration& configuration, const Model& model) {
  const EstimationSection& section = configuration.estimation;
  Configuration record = configuration;
  if (!model.load_inertia.empty()) record.load.inertia = model.load_inertia;
  return {.log = configuration.log,
          .conditioning = configuration.conditioning,
          .weighting = {.loss = section.loss,
                        .channel_covariance = section.channel_covariance,
                        .rounds = section.reweighting_rounds,
                        .log_weights = log_weights_of(configuration),
                        .log_kinds = configuration.log_kinds},
          .max_samples = section.training_samples,
          .record = to_json(record)};
}

}  // namespace heft
