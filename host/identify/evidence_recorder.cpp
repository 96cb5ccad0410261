#include "evidence_recorder.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "base/parallel_tasks.hpp"
#include "check/possible_mistakes.hpp"
#include "evidence/hypotheses.hpp"
#include "evidence/mistaken_columns.hpp"
#include "evidence/motor_turns.hpp"
#include "evidence/noise_floor.hpp"
#include "log/option_yaml.hpp"
#include "rows/filtered_prediction.hpp"
#include "rows/row_kind.hpp"

namespace heft {

namespace {

constexpr double kHeaviestPrior = 1e-2;                ///< under which a fault is looked for
constexpr double kBeyondNoise = 2.6;                   ///< times the lower end of the noise floor
constexpr int kMostLogsAtOnce = 4;                     ///< are looked through, each of up to 70 MB
constexpr double kPoorFit = 0.1, kPoorChannel = 0.25;  ///< relative errors from which signs are asked about

/// Samples whose rows cost about as much as those of 2500 of a seven-joint arm.
Eigen::Index excerpt_size(const RegressorPlan& plan) {
  constexpr double kSamples = 2500, kParameters = 91;
  const double share = kParameters / plan.layout.num_parameters();
  return static_cast<Eigen::Index>(kSamples * std::clamp(share, 0.15, 1.0));
}

bool fits_poorly(const ChannelFit& channel) {
  return channel.num_rows > 0 && !(channel.rms_error < kPoorChannel * channel.rms_torque);
}

bool fits_poorly(const Fit& fit) {
  return !(fit.overall_relative < kPoorFit) ||
         std::any_of(fit.channels.begin(), fit.channels.end(),
                     [](const ChannelFit& channel) { return fits_poorly(channel); });
}

/// Those that share in a poor fit, the worst first; none of a good one.
std::vector<int> poor_channels(const Fit& fit) {
  std::vector<int> poor;
  if (!fits_poorly(fit)) return poor;
  const auto relative = [&](int c) {
    const ChannelFit& channel = fit.channels[static_cast<std::size_t>(c)];
    return channel.num_rows > 0 ? channel.rms_error / channel.rms_torque : 0;
  };
  for (int c = 0; c < static_cast<int>(fit.channels.size()); ++c)
    if (relative(c) > kPoorFit) poor.push_back(c);
  std::stable_sort(poor.begin(), poor.end(), [&](int a, int b) { return relative(a) > relative(b); });
  return poor;
}

/// A torque that is too small for the masses of the file, which another column may be the cause of.
bool is_of_size(const Finding& finding) {
  return finding.name == "torque-below-gravity";
}

/// Errors that are raw, or that say which columns are mistaken.
bool has_errors(const std::vector<LogFindings>& logs) {
  return std::any_of(logs.begin(), logs.end(), [](const LogFindings& log) {
    return std::any_of(log.findings.begin(), log.findings.end(), [](const Finding& finding) {
      return finding.severity == Severity::error && !is_of_size(finding);
    });
  });
}

/// 1 / s_c^2 of the answer's errors on the training logs.
Eigen::VectorXd weights_of(const Estimate& answer) {
  Eigen::VectorXd weights(std::ssize(answer.training.channels));
  for (std::size_t c = 0; c < answer.training.channels.size(); ++c) {
    const double rms = answer.training.channels[c].rms_error;
    weights[static_cast<Eigen::Index>(c)] = rms > 0 ? 1 / (rms * rms) : 0;
  }
  return weights;
}

/// Bodies that a heavy prior holds where they are not make faults of what is none.
Setup to_ask(Setup setup) {
  setup.prior.weight = std::min(setup.prior.weight, kHeaviestPrior);
  return setup;
}

/// Where the torque's filter cuts off [Hz]; none: half the rate of the samples.
double bandwidth_of(const ConditioningOptions& options, double sample_period_s) {
  if (options.filter != FilterKind::butterworth) return 0.5 / sample_period_s;
  return options.torque_lowpass_hz > 0 ? options.torque_lowpass_hz : options.lowpass_hz;
}

/// Its place and time are in Evidence::contacts, the words in the doubt about it.
Hypothesis hypothesis_of(const Contact& contact) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Hypothesis hypothesis{.id = "contact",
                        .subject = contact.link,
                        .value = contact.force.norm(),
                        .unit = "N",
                        .lower = kUnknown,
                        .upper = kUnknown,
                        .gain_training = contact.held_out ? kUnknown : contact.gain};
  if (contact.held_out) hypothesis.gain_held_out = contact.gain;
  return hypothesis;
}

/// Errors that an option mends: those that all training logs have, for an option is of all logs.
std::vector<Finding> mendable(const std::vector<LogFindings>& logs) {
  std::vector<Finding> all;
  const auto first =
      std::find_if(logs.begin(), logs.end(), [](const LogFindings& log) { return !log.held_out; });
  if (first == logs.end()) return all;
  for (const Finding& finding : first->findings) {
    const auto is_same = [&](const Finding& other) {
      return other.name == finding.name && other.subject == finding.subject;
    };
    const auto has_it = [&](const LogFindings& log) {
      return log.held_out || std::any_of(log.findings.begin(), log.findings.end(), is_same);
    };
    if (finding.severity == Severity::error && !finding.mend.yaml.empty() &&
        std::all_of(logs.begin(), logs.end(), has_it))
      all.push_back(finding);
  }
  return all;
}

}  // namespace

EvidenceRecorder::EvidenceRecorder(const RegressorPlan& plan)
    : training_(excerpt_size(plan)), held_out_(excerpt_size(plan)) {}

void EvidenceRecorder::push(bool held_out, int segment, const Samples& block,
                            const Eigen::ArrayXXd& predicted) {
  // logs are questioned by their torques, whatever was summed
  (held_out ? held_out_ : training_).push(segment, with_torque_rows(block));
  (held_out ? held_out_residuals_ : training_residuals_).push(segment, block, predicted);
  (held_out ? held_out_quiet_ : training_quiet_).push(segment, block, predicted);
  (held_out ? held_out_contacts_ : training_contacts_).push(segment, block, predicted);
}

Result<Evidence> EvidenceRecorder::evidence(const IdentifyRequest& request, const Identification& result,
                                            Executor& executor) const {
  Evidence evidence;
  evidence.residuals = training_residuals_.by_log(result.data.logs, false);
  for (ResidualBlocks& blocks : held_out_residuals_.by_log(result.second_pass.validation_logs, true))
    evidence.residuals.push_back(std::move(blocks));
  evidence.quiet = training_quiet_.by_log(result.data.logs, false);
  for (QuietStretch& stretch : held_out_quiet_.by_log(result.second_pass.validation_logs, true))
    evidence.quiet.push_back(std::move(stretch));
  evidence.contacts = training_contacts_.by_log(result.data.logs, false, result.plan());
  for (Contact& contact : held_out_contacts_.by_log(result.second_pass.validation_logs, true, result.plan()))
    evidence.contacts.push_back(std::move(contact));
  const Estimate& answer = result.answer();
  HEFT_TRY(found,
           findings(request,
                    fits_poorly(answer.training) || (answer.validation && fits_poorly(*answer.validation)),
                    executor.num_threads()));
  evidence.logs = std::move(found);
  HEFT_CHECK(tell_motors_from_degrees(request, result, evidence.logs, executor.num_threads()));
  HEFT_CHECK(add_mistaken_columns(request, result, evidence.logs, executor.num_threads()));
  HEFT_TRY(reference, floor(result, request.gathering, executor));
  // least squares has no objective that a fault could change
  if (!request.estimation.is_least_squares()) {
    const double error = (answer.validation ? *answer.validation : answer.training).overall_relative;
    const bool leaves_more_than_noise = !(error < kBeyondNoise * reference.floor_lower);
    const std::vector<Finding> to_mend = mendable(evidence.logs);
    HEFT_TRY(found_hypotheses,
             hypotheses(request, result, leaves_more_than_noise, to_mend, executor.num_threads()));
    evidence.hypotheses = std::move(found_hypotheses);
    std::ptrdiff_t num_first = 0;
    for (const Contact& contact : evidence.contacts) {
      auto& all = evidence.hypotheses;
      const bool is_first = contact.is_sure() && to_mend.empty();
      all.insert(is_first ? all.begin() + num_first++ : all.end(), hypothesis_of(contact));
    }
  }
  evidence.reference = std::move(reference);
  return evidence;
}

/// A unit is that of a log: where one joint alone seems to be in degrees, its motor may count them instead.
Result<Done> EvidenceRecorder::tell_motors_from_degrees(const IdentifyRequest& request,
                                                        const Identification& result,
                                                        std::vector<LogFindings>& logs,
                                                        int num_threads) const {
  if (logs.empty() || request.estimation.is_least_squares() || result.plan().whitened_from) return Done{};
  std::vector<Finding> in_degrees;  // or in turns of a motor whose gear the file's torques do not tell
  for (const Finding& finding : logs.front().findings)
    if (finding.name == "position-in-degrees" ||
        (finding.name == "position-motor-side" && finding.mend.yaml.empty()))
      in_degrees.push_back(finding);
  if (in_degrees.size() != 1) return Done{};
  const Robot& robot = result.plan().robot;
  const auto joint =
      std::find_if(robot.coordinates.begin(), robot.coordinates.end(),
                   [&](const Coordinate& one) { return one.name == in_degrees.front().joint; });
  if (joint == robot.coordinates.end()) return Done{};
  const auto coordinate = static_cast<int>(joint - robot.coordinates.begin());
  const Eigen::VectorXd weights = weights_of(result.answer());
  const Excerpt training = training_.excerpt(), held_out = held_out_.excerpt();
  const Setup setup = to_ask(result.setup);
  const auto turns = motor_turns({setup, weights, request.estimation.solve, training, held_out,
                                  request.gathering.log, request.gathering.conditioning},
                                 coordinate, num_threads, request.progress);
  if (!turns) return turns.error().is_stop ? Result<Done>(turns.error()) : Result<Done>(Done{});
  if (!*turns) return Done{};
  const double ratio = **turns;
  Mend mend{.yaml = option_yaml({"log", "position_scale", 1}, request.gathering.log.position_scale, robot,
                                [&](int k, double old) { return k == coordinate ? old / ratio : old; }),
            .undo = [coordinate, ratio](Samples& samples) {
              for (Eigen::ArrayXXd* array : {&samples.position, &samples.velocity, &samples.acceleration})
                array->col(coordinate) /= ratio;
            }};
  for (LogFindings& log : logs)
    for (Finding& finding : log.findings) {
      if (finding.joint != joint->name ||
          (finding.name != "position-in-degrees" && finding.name != "position-motor-side"))
        continue;
      finding.name = "position-motor-side";
      finding.what = fmt::format(
          "positions are far beyond the limits: counted on the motor's side, by what the torques say of a "
          "gear of "
          "about {:.4g}",
          ratio);
      finding.measure = ratio;
      finding.unit = "1";
      finding.remedy = "put into the configuration, better with the gear's own ratio: " +
                       mend.yaml.substr(0, mend.yaml.find('\n'));
      finding.mend = mend;
    }
  return Done{};
}

/// Signs and order of joints that fit poorly though no rule says why, where one of them explains the logs.
Result<Done> EvidenceRecorder::add_mistaken_columns(const IdentifyRequest& request,
                                                    const Identification& result,
                                                    std::vector<LogFindings>& logs, int num_threads) const {
  constexpr std::size_t kMostChannels = 8;  // pairs of them grow with the square of their number
  std::vector<int> poor = poor_channels(result.answer().training);
  if (poor.empty() || request.training_logs.empty() || has_errors(logs) ||
      request.estimation.is_least_squares() || result.plan().whitened_from)
    return Done{};
  poor.resize(std::min(poor.size(), kMostChannels));
  HEFT_TRY(possible, possible_mistakes(request.setup.model, request.training_logs.front(),
                                       request.gathering.log, request.gathering.conditioning, poor));
  const Eigen::VectorXd weights = weights_of(result.answer());
  const Excerpt training = training_.excerpt(), held_out = held_out_.excerpt();
  const Setup setup = to_ask(result.setup);
  const auto found = mistaken_columns({setup, weights, request.estimation.solve, training, held_out,
                                       request.gathering.log, request.gathering.conditioning},
                                      possible, num_threads, request.progress);
  if (!found) return found.error().is_stop ? Result<Done>(found.error()) : Result<Done>(Done{});
  if (!*found) return Done{};
  for (LogFindings& log : logs) {
    if (log.held_out && !(*found)->held_out_too) continue;
    std::erase_if(log.findings, is_of_size);
    log.findings.push_back((*found)->finding);
    log.findings.back().where = log.log + ":1";
  }
  return Done{};
}

Result<std::vector<Hypothesis>> EvidenceRecorder::hypotheses(const IdentifyRequest& request,
                                                             const Identification& result,
                                                             bool leaves_more_than_noise,
                                                             std::vector<Finding> findings,
                                                             int num_threads) const {
  const Eigen::VectorXd weights = weights_of(result.answer());
  const Excerpt training = training_.excerpt(), held_out = held_out_.excerpt();
  const Setup setup = to_ask(result.setup);
  const auto found =
      test_hypotheses({setup, weights, request.estimation.solve, training, held_out, request.gathering.log,
                       request.gathering.conditioning, leaves_more_than_noise, std::move(findings)},
                      num_threads, request.progress);
  if (found || found.error().is_stop) return found;
  // an excerpt too poor to be asked says nothing; the answer stands by itself
  return std::vector<Hypothesis>{};
}

Result<std::vector<LogFindings>> EvidenceRecorder::findings(const IdentifyRequest& request, bool fits_poorly,
                                                            int num_threads) const {
  std::vector<const Log*> logs;
  std::vector<LogFindings> all;
  for (const bool held_out : {false, true})
    for (const Log& log : held_out ? request.validation_logs : request.training_logs) {
      logs.push_back(&log);
      all.push_back({log.name(), held_out, {}});
    }
  const auto question = [&](std::int64_t index, int thread) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(found, question_log(request.setup.model, *logs[at], request.gathering.log,
                                 request.gathering.conditioning, {.signs_and_order = fits_poorly},
                                 thread == 0 ? request.progress : Progress{}));
    all[at].findings = std::move(found);
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(std::ssize(logs), std::min(num_threads, kMostLogsAtOnce), request.progress,
                            "looking through the logs", question));
  return all;
}

Result<Reference> EvidenceRecorder::floor(const Identification& result, const GatherOptions& options,
                                          Backend& backend) const {
  const Excerpt excerpt = result.answer().validation ? held_out_.excerpt() : training_.excerpt();
  const auto& logs = result.answer().validation ? result.second_pass.validation_logs : result.data.logs;
  const double period = logs.empty() ? 0 : logs.front().sample_period_s;
  std::vector<Eigen::ArrayXXd> residuals;
  for (const Samples& stretch : excerpt.stretches) {
    const PredictJob job{&result.plan(), &stretch, &result.answer().parameters};
    Eigen::ArrayXXd predicted;
    HEFT_CHECK(predict_as_measured(backend, {&job, 1}, {&predicted, 1}));
    const Eigen::ArrayXXd missing = Eigen::ArrayXXd::Constant(predicted.rows(), predicted.cols(),
                                                              std::numeric_limits<double>::quiet_NaN());
    residuals.push_back((stretch.weight != 0).select(stretch.torque - predicted, missing));
  }
  const Estimate& answer = result.answer();
  const Fit& fit = answer.validation ? *answer.validation : answer.training;
  NoiseFloor floor = noise_floor(residuals, period, bandwidth_of(options.conditioning, period));
  // an excerpt may be noisier than the whole; noise is no more than what is left of all
  for (Eigen::Index c = 0; c < floor.upper.size(); ++c)
    for (double* bound : {&floor.lower[c], &floor.upper[c]})
      *bound = std::min(*bound, fit.channels[static_cast<std::size_t>(c)].rms_error);
  Reference reference;
  const auto relative = [&](const Eigen::VectorXd& rms) {
    double noise2 = 0, torque2 = 0;
    for (std::size_t c = 0; c < fit.channels.size(); ++c) {
      const ChannelFit& channel = fit.channels[c];
      const double rows = static_cast<double>(channel.num_rows);
      if (channel.num_rows == 0) continue;
      noise2 += rms.size() == 0 ? std::numeric_limits<double>::quiet_NaN()
                                : rows * std::pow(rms[static_cast<Eigen::Index>(c)], 2);
      torque2 += rows * std::pow(channel.rms_torque, 2);
    }
    return std::sqrt(noise2 / torque2);
  };
  reference.floor_lower = std::min(relative(floor.lower), fit.overall_relative);
  reference.floor_upper = std::min(relative(floor.upper), fit.overall_relative);
  reference.floor_lower_rms.assign(floor.lower.begin(), floor.lower.end());
  reference.floor_upper_rms.assign(floor.upper.begin(), floor.upper.end());
  return reference;
}

Eigen::VectorXd prior_with_fitted_columns(const Identification& result) {
  const Setup& setup = result.setup;
  const ParameterLayout& layout = setup.plan().layout;
  const int num_columns = layout.num_columns(), num_inertial = core::kNumParameters * layout.num_bodies();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(layout.num_parameters());
  for (std::size_t i = 0; i < setup.prior.references.size(); ++i)
    x.segment<core::kNumParameters>(core::kNumParameters * static_cast<Eigen::Index>(i)) =
        setup.prior.references[i];
  if (num_columns == 0) return x;
  const NormalEquations equations = normal_equations(result.data.moments, result.channel_weights);
  const Eigen::MatrixXd own = equations.G.bottomRightCorner(num_columns, num_columns);
  const Eigen::VectorXd wanted =
      equations.b.tail(num_columns) -
      equations.G.bottomLeftCorner(num_columns, num_inertial) * x.head(num_inertial);
  // columns that the motion cannot tell apart stay at zero
  constexpr double kRidge = 1e-9;
  const Eigen::VectorXd ridge = kRidge * own.diagonal().array().max(1e-300);
  const Eigen::MatrixXd regular = own + Eigen::MatrixXd(ridge.asDiagonal());
  x.tail(num_columns) = regular.ldlt().solve(wanted);
  return x;
}

}  // namespace heft
