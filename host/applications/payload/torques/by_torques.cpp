#include "payload/by_torques.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "checks/answer_checks.hpp"
#include "checks/unit_checks.hpp"
#include "methods/automatic.hpp"
#include "methods/confidence.hpp"
#include "methods/methods.hpp"
#include "tool_on_robot.hpp"
#include "torque_doubts.hpp"
#include "torque_gains.hpp"
#include "torque_sums.hpp"
#include "training/folds.hpp"
#include "uncertainty/quantiles.hpp"

namespace heft {

namespace {

using namespace payload;

constexpr double kThinning = 10;  // of the logs on which the strengths of shapes were chosen

/// Largest variance of w'x that noise and the robot's errors allow.
double variance_by_noise(const TorqueFit& fit, const BodyParameters& w) {
  double variance = 0;
  for (const Matrix10d& C : fit.covariances) variance = std::max(variance, w.dot(C * w));
  return variance;
}

double deviation(const TorqueFit& fit, const BodyParameters& w) {
  return std::sqrt(variance_by_noise(fit, w) + w.dot(fit.covariance_of_scales * w));
}

/// Half the 95 % interval of w'x; the freedom of a sum of variances is that of Satterthwaite
/// [1946].
double half_width(const TorqueFit& fit, const BodyParameters& w) {
  const double of_noise = variance_by_noise(fit, w),
               of_scales = w.dot(fit.covariance_of_scales * w), variance = of_noise + of_scales;
  const double inverse_freedom =
      (of_noise * of_noise / fit.freedom + of_scales * of_scales / fit.freedom_of_scales) /
      std::max(variance * variance, 1e-300);
  const double freedom = inverse_freedom > 1e-6 ? 1 / inverse_freedom : 1e6;
  return student_quantile(0.975, freedom) * std::sqrt(variance);
}

void add_intervals(const TorqueFit& fit, const BodyParameters& answer, PayloadResult& result) {
  const double quantile = student_quantile(0.975, fit.freedom);
  const AnswerIntervals found = intervals_about(
      {.x = fit.x,
       .open = fit.open,
       .error_of = [&](const BodyParameters& w) { return half_width(fit, w) / quantile; },
       .quantile = quantile},
      answer);
  result.mass = found.mass, result.com = found.com;
  if (auto doubt = doubt_about_shape(result, found.prior_disagrees))
    result.doubts.push_back(*doubt);
}

struct FittedAnswer {
  PayloadAnswer answer;
  double weight = 0;    ///< of the prior
  ConvexAnswer convex;  ///< but of wls
};

Result<FittedAnswer> answer_by(PayloadMethod method, const TorqueFit& fit,
                               const PayloadOptions& options, const PayloadShape& shape) {
  HEFT_CHECK(refuse_limits(method, options.limits));
  FittedAnswer found{.answer = {.method = method}};
  const double error = deviation(fit, BodyParameters::Unit(0));
  const double mass =
      options.limits.known_mass > 0 ? options.limits.known_mass : std::max(fit.x[0], error);
  const Eigen::Vector3d com = com_of(fit.x);
  if (method == PayloadMethod::wls) {
    found.answer.parameters = fit.x;
  } else if (method == PayloadMethod::automatic) {
    HEFT_TRY(about,
             fit_about_shape({.sums = fit.sums, .mass = mass, .com = com, .thinning = kThinning},
                             options, shape, [] { return 1.0; }));
    found.convex = std::move(about.answer);
    found.weight = about.weight;
  } else if (method == PayloadMethod::cone || method == PayloadMethod::metric) {
    found.weight = options.metric_weight.value_or(
        std::max(kFirstWeight, kSpread / kThinning / fit.sums.num_rows));
    HEFT_TRY(constraints, constraints_of(options, shape));
    HEFT_TRY(convex, solve_convex(fit.sums, reference_of(shape, mass, com),
                                  {.kind = method == PayloadMethod::cone ? PriorKind::none
                                                                         : PriorKind::metric,
                                   .weight = found.weight,
                                   .constraints = constraints}));
    found.convex = std::move(convex);
  } else {
    return Error{std::string("--method ") + enum_name(method), "is for force-torque sensors",
                 "for joint torques, use auto, wls, cone or metric"};
  }
  if (method != PayloadMethod::wls) {
    found.answer.parameters = found.convex.x;
    found.answer.objective = found.convex.objective;
    found.answer.certificate = found.convex.certificate;
  }
  found.answer.is_possible = is_possible(found.answer.parameters);
  return found;
}

/// Predicts each half of the log from the other: residual relative to the payload's torque.
double held_out(const KnownRobot& robot, const CarryingLink& link,
                const std::vector<Moments>& blocks, const TorqueFit& whole,
                const PayloadOptions& options, const PayloadShape& shape, PayloadMethod method) {
  if (blocks.size() < 2) return std::nan("");
  Moments halves[2] = {zero_moments(robot.plan), zero_moments(robot.plan)};
  for (std::size_t k = 0; k < blocks.size(); ++k)
    if (!add(halves[k < blocks.size() / 2 ? 0 : 1], blocks[k])) return std::nan("");
  double error = 0, size = 0;
  for (const int half : {0, 1}) {
    const auto fit = fit_torques(robot, link, halves[half], {}, whole.worth_one);
    if (!fit) return std::nan("");
    const auto found = answer_by(method, *fit, options, shape);
    if (!found) return std::nan("");
    const NormalEquations unseen = normal_equations(halves[1 - half], whole.channel_weights);
    error += unseen.residual_cost(fit->loaded(found->answer.parameters));
    size += unseen.residual_cost(fit->loaded(BodyParameters::Zero()));
  }
  return size > 0 ? std::sqrt(std::max(error, 0.0) / size) : std::nan("");
}

std::vector<PayloadChannel> channels_of(const KnownRobot& robot, const Moments& moments,
                                        const TorqueFit& fit, const BodyParameters& answer) {
  const RegressorPlan& plan = *robot.plan;
  const Eigen::VectorXd nothing = Eigen::VectorXd::Zero(robot.parameters.size());
  const Eigen::VectorXd with = fit.loaded(answer), without = fit.loaded(BodyParameters::Zero());
  std::vector<PayloadChannel> channels;
  for (int c = 0; c < plan.num_channels(); ++c) {
    const double rows = moments.num_rows[static_cast<std::size_t>(c)];
    const auto rms = [&](const Eigen::VectorXd& parameters) {
      return rows > 0 ? std::sqrt(std::max(residual_sum(moments, c, parameters), 0.0) / rows)
                      : std::nan("");
    };
    const Channel& channel = plan.channels[c];
    channels.push_back(
        {.name = channel.name,
         .unit = channel.unit,
         .num_rows = rows,
         .rms_torque = rms(nothing),
         .rms_without = rms(without),
         .rms_with = rms(with),
         .rms_identified = c < robot.residual_rms.size() ? robot.residual_rms[c] : 0});
  }
  return channels;
}

/// Adds the errors of torque scales to the covariances of the fit.
void add_scales(const TorqueGains& gains, const PayloadOptions& options, TorqueFit& fit,
                TorqueScaleSpread& spread) {
  spread = options.torque_scale_sd ? TorqueScaleSpread{.sd = *options.torque_scale_sd,
                                                       .source = TorqueScaleSpread::Source::option}
                                   : gains.spread();
  const Eigen::Matrix<double, 10, Eigen::Dynamic> contributions = gains.contributions();
  fit.covariance_of_scales = spread.sd * spread.sd * contributions * contributions.transpose();
  fit.freedom_of_scales = spread.freedom;
}

/// Whether a known mass is in the right unit.
bool is_near(double known_mass, double mass) {
  return known_mass > 0.5 * mass && known_mass < 2 * mass;
}

void add_joint_masses(const TorqueGains& gains, std::vector<PayloadChannel>& channels) {
  constexpr double kShown = 0.25;  // standard error over the mass
  for (const auto& [channel, mass, error] : gains.masses()) {
    if (!(error < kShown * std::abs(mass))) continue;
    const double half = normal_quantile(0.975) * error;
    PayloadChannel& shown = channels[static_cast<std::size_t>(channel)];
    shown.mass = mass, shown.mass_interval = {mass - half, mass + half};
  }
}

std::vector<PayloadLog> logs_of(const TrainingData& data) {
  std::vector<PayloadLog> logs;
  for (const LogSummary& log : data.logs)
    logs.push_back({.path = log.path,
                    .sha256 = log.sha256,
                    .num_rows = log.num_rows,
                    .duration_s = log.duration_s,
                    .rate_hz = log.rate_hz});
  return logs;
}

}  // namespace

Result<PayloadResult> weigh_by_torques(const KnownRobot& alone, const CarryingLink& link,
                                       const TrainingData& data, const PayloadOptions& options,
                                       const PayloadShape& shape,
                                       const std::vector<PayloadMethod>& methods) {
  if (!data.plan || data.plan->layout.num_parameters() != alone.parameters.size() ||
      methods.empty())
    return Error{"payload",
                 "the log was not accumulated with the robot's plan, or no method is "
                 "given",
                 "condition the log with the options of the identification"};
  KnownRobot robot = alone;
  if (options.sensor.tool) {
    HEFT_TRY(carrying, with_tool(alone, link, *options.sensor.tool));
    robot = std::move(carrying);
  }
  std::vector<Moments> blocks;
  if (auto cut = independent_blocks(data, 2)) blocks = std::move(cut->blocks);
  HEFT_TRY(fit, fit_torques(robot, link, data.moments, blocks));
  const TorqueGains gains(robot, link, data.moments, fit);
  TorqueScaleSpread torque_scales;
  add_scales(gains, options, fit, torque_scales);
  HEFT_CHECK(refuse_negative(fit.x[0], deviation(fit, BodyParameters::Unit(0)), link.name));
  PayloadResult result{.frame = link.name,
                       .logs = logs_of(data),
                       .options = options,
                       .shape = shape,
                       .doubts = shape.doubts};
  for (const PayloadMethod method : methods) {
    auto found = answer_by(method, fit, options, shape);
    if (!found) {
      if (result.answers.empty()) return found.error();
      result.answers.push_back({.method = method, .failure = found.error().what});
      continue;
    }
    found->answer.held_out_force = std::nan("");
    found->answer.held_out_torque = held_out(robot, link, blocks, fit, options, shape, method);
    if (result.answers.empty() && method == PayloadMethod::automatic)
      result.set_by_prior = set_by_prior(found->convex, found->weight);
    result.answers.push_back(std::move(found->answer));
  }
  const BodyParameters& x = result.answer().parameters;
  result.as_tool = tool_of(fit, x, link, options.sensor.tool);
  result.channels = channels_of(robot, data.moments, fit, x);
  result.torque_scales = torque_scales;
  add_joint_masses(gains, result.channels);
  if (is_near(options.limits.known_mass, fit.x[0]))
    result.calibration = gains.calibrated(options.limits.known_mass);
  add_intervals(fit, x, result);
  for (const std::vector<PayloadDoubt>& doubts :
       std::array{doubts_about_torques(robot, result, blocks.size()),
                  doubts_about_mass_by_torques(fit.x[0], options.limits.known_mass)})
    result.doubts.insert(result.doubts.end(), doubts.begin(), doubts.end());
  return result;
}

}  // namespace heft
