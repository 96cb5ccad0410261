#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "doubts.hpp"

namespace heft::doubts {

namespace {

constexpr double kLargeOverall = 0.18,
                 kLargeChannel = 0.4;  ///< relative errors; clean logs have been seen up to 2/3 of
                                       ///< that
constexpr double kBadChannel = 0.3;    ///< to be known
constexpr double kWorseHeldOut = 1.5;  ///< error on held-out logs over that on the training logs
constexpr double kMuchWorseHeldOut = 3;
// clean logs: up to 2.0 times the floor where the error is 3 points above it, more only where it is
// within 1.5 points
constexpr double kFarAboveNoise = 2.3;  ///< error over the upper end of the noise floor
/// Relative error beyond it. A clean log of a geared arm (UR10, default columns) leaves 5.3 %.
constexpr double kUnexplained = 0.055;
constexpr double kWorseThanFile = 1.25;  ///< error over that of the file's bodies with columns
                                         ///< fitted

double relative(const ChannelErrors& channel) {
  return channel.rms_error / channel.rms_torque;
}

/// The largest Coulomb friction that was identified for a joint [N m] or [N].
double coulomb_level(const Identification& identification, const std::string& joint) {
  const ParameterLayout& layout = identification.plan().layout;
  double level = 0;
  for (int j = 0; j < layout.num_columns(); ++j) {
    const Column& column = layout.columns[static_cast<std::size_t>(j)];
    if (column.effect == ColumnEffect::dry_friction &&
        column.joints == std::vector<std::string>{joint})
      level = std::max(level, std::abs(identification.answer().parameters[layout.column_index(j)]));
  }
  return level;
}

/// Whether friction dominates the torque and exceeds the error: friction models are accurate to
/// tens of percent.
bool is_below_friction(const Identification& identification, const ChannelErrors& channel) {
  constexpr double kMostOfTorque = 0.5;
  const double level = coulomb_level(identification, channel.channel);
  return level > kMostOfTorque * channel.rms_torque && channel.rms_error < level;
}

void about_held_out_log(const Identification& identification, List& list) {
  const Estimate& answer = identification.answer();
  if (!answer.validation) {
    const bool from_moments = !identification.second_pass.has_seen_logs();
    list.push_back(
        {.id = "held-out-missing",
         .words =
             "No held-out log was given: how well the result predicts another motion is unknown.",
         .remedy = from_moments ? "Run heft predict with a log of another motion."
                                : "Give one with --validate."});
    return;
  }
  const double ratio = answer.validation->overall_relative / answer.training.overall_relative;
  // relative to a nearly noise-free training log, any other log looks bad
  const auto& reference = identification.second_pass.evidence.reference;
  const bool is_noise =
      reference && answer.validation->overall_relative <= kAsGoodAsNoise * reference->floor_upper;
  if (ratio > kWorseHeldOut && !is_noise)
    list.push_back(
        {.id = "held-out-worse",
         // the noise of logs that were not tested is unknown
         .serious = ratio > kMuchWorseHeldOut && reference,
         .words = fmt::format("The error on held-out logs is {} times that on the training logs: "
                              "the training motion may not be representative of the held-out one.",
                              two_digits(ratio)),
         .remedy = "Train on a longer motion, or on one like the held-out one."});
}

void about_file(const Identification& identification, const TorqueErrors& errors, List& list) {
  const auto& reference = identification.second_pass.evidence.reference;
  if (!reference || !(reference->urdf_relative > 0)) return;
  if (errors.overall_relative > kWorseThanFile * reference->urdf_relative)
    list.push_back({.id = "worse-than-urdf",
                    .serious = kSerious,
                    .words = fmt::format(
                        "The error is {:.3g} %, but the robot file with fitted friction leaves "
                        "only {:.3g} %: the identified parameters do not fit this log.",
                        100 * errors.overall_relative, 100 * reference->urdf_relative),
                    .remedy = "Check the training log with heft check; train on a motion with more "
                              "excitation."});
}

/// "reflected_inertia of joint_2, joint_3"
std::string words_of(const MissingTerm& term) {
  return fmt::format("{} of {}", term.kind, fmt::join(term.joints, ", "));
}

/// If noise is at most a third of the error, the columns that would explain a share of it.
void about_missing_terms(const Identification& identification, const TorqueErrors& errors,
                         List& list) {
  constexpr double kOfError = 1 / 3.0;
  const auto& reference = identification.second_pass.evidence.reference;
  if (!reference || reference->missing_terms.empty() || !identification.optimum ||
      !(reference->floor_upper <= kOfError * errors.overall_relative))
    return;
  std::string terms;
  double share = 0;
  for (const MissingTerm& term : reference->missing_terms) {
    terms += (terms.empty() ? "" : "; ") + words_of(term);
    share = std::max(share, term.share);
  }
  list.push_back(
      {.id = "terms-missing",
       .words = fmt::format(
           "The error is {:.3g} % of the torque, and noise explains at most {:.3g} %. The "
           "model may lack {} (at least {:.0f} % of the squared error).",
           100 * errors.overall_relative, 100 * reference->floor_upper, terms, 100 * share),
       .remedy =
           fmt::format("Add it to the columns (columns: [default, {}]), or let --columns auto "
                       "choose.",
                       reference->missing_terms.front().kind)});
}

}  // namespace

void about_fit(const Identification& identification, List& list) {
  const Estimate& answer = identification.answer();
  const TorqueErrors& errors = answer.errors();
  if (!(errors.overall_relative < kLargeOverall))
    list.push_back({.id = "error-large",
                    .serious = kSerious,
                    .words = fmt::format(
                        "The error is {:.3g} % of the torque: the model does not describe this "
                        "robot, or the log is from another robot.",
                        100 * errors.overall_relative),
                    .remedy = "Run heft check --log; see docs/doubts.md."});
  for (const ChannelErrors& channel : errors.channels)
    if (channel.num_rows > 0 && channel.rms_torque > 0 && !(relative(channel) <= kBadChannel))
      list.push_back({.id = "error-large",
                      .serious = !(relative(channel) <= kLargeChannel) &&
                                 !is_below_friction(identification, channel),
                      .joint = channel.channel,
                      .words = fmt::format(
                          "The torque of {} is predicted poorly: the error is {:.0f} % of it{}.",
                          channel.channel, 100 * relative(channel),
                          is_below_friction(identification, channel)
                              ? ", less than its friction, which dominates it"
                              : "")});
  about_held_out_log(identification, list);
  about_file(identification, errors, list);
  about_missing_terms(identification, errors, list);
}

void about_unexplained(const Identification& identification, List& list) {
  const auto& reference = identification.second_pass.evidence.reference;
  const bool is_explained =
      std::any_of(list.begin(), list.end(), [](const Doubt& doubt) { return doubt.serious; });
  if (!reference || is_explained) return;
  const double error = identification.answer().errors().overall_relative,
               floor = reference->floor_upper;
  if (!(error > kFarAboveNoise * floor && error > floor + kUnexplained)) return;
  list.push_back(
      {.id = "error-unexplained",
       .serious = kSerious,
       .words =
           fmt::format("The error is {:.3g} % of the torque, and noise explains at most {:.3g} "
                       "%: the log or the model has a fault that no test identifies.",
                       100 * error, 100 * floor),
       .remedy = "Compare predicted and measured torques on the page, joint by joint: friction "
                 "columns (tanh_width), the low-pass, delays, payloads and contacts."});
}

}  // namespace heft::doubts
