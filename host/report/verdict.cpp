#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "words.hpp"

namespace heft {

namespace {

// what is worth a doubt
constexpr double kBadChannel = 0.3;    ///< rms error of a channel relative to its torque
constexpr double kWorseHeldOut = 1.5;  ///< error on held-out logs over that on the training logs
constexpr double kHighPrice = 0.1;     ///< of the squared error, for being physical
constexpr double kManyDropped = 0.2;   ///< of the rows of all logs
constexpr double kFewRows = 0.2;       ///< of a joint's torques, relative to the joint with most
constexpr double kLargeKnown = 1.5;    ///< rms of measured minus known torque over that of the measured one

double relative(const ChannelFit& channel) {
  return channel.rms_error / channel.rms_torque;
}

std::string plural(std::size_t count, const std::string& noun, const std::string& nouns) {
  return fmt::format("{} {}", count, count == 1 ? noun : nouns);
}

std::string sentence(std::string words) {
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  return words + ".";
}

/// Rotors that the joints of a column turn.
std::vector<std::string> rotors_of(const Robot& robot, const Column& column) {
  std::vector<std::string> rotors;
  for (const Body& body : robot.bodies)
    if (body.is_rotor && std::find(column.joints.begin(), column.joints.end(),
                                   robot.coordinates[body.coordinate].name) != column.joints.end())
      rotors.push_back(body.name);
  return rotors;
}

std::string accuracy_sentence(const Estimate& answer) {
  const Fit& fit = answer.validation ? *answer.validation : answer.training;
  std::string text = fmt::format("{}, predicted and measured torque differ by {:.3g} % (rms, of the torque)",
                                 answer.validation ? "On held-out logs" : "On the training logs",
                                 100 * fit.overall_relative);
  const auto worst =
      std::max_element(fit.channels.begin(), fit.channels.end(),
                       [](const ChannelFit& a, const ChannelFit& b) { return relative(a) < relative(b); });
  if (worst != fit.channels.end() && std::isfinite(relative(*worst)) && fit.channels.size() > 1)
    text += fmt::format("; least well {}, by {:.3g} %", worst->channel, 100 * relative(*worst));
  return text + ".";
}

std::string physics_sentence(const Identification& identification) {
  const Estimate& answer = identification.answer();
  if (!answer.impossible_bodies.empty() || !identification.certificate) {
    const int num_bodies = identification.plan().layout.num_bodies();
    return fmt::format(
        "Least squares, which does not know what a body is: {} of {} bodies are physically impossible.",
        answer.impossible_bodies.size(), num_bodies);
  }
  return "Every body is physically possible. The certificate: " + identification.certificate->verdict + ".";
}

void add_doubts_about_fit(const Identification& identification, std::vector<Doubt>& doubts) {
  const Estimate& answer = identification.answer();
  const bool from_moments = identification.backend.empty();
  if (!answer.validation)
    doubts.push_back({std::string("No held-out log was given: how well the answer predicts another motion is "
                                  "unknown. ") +
                          (from_moments ? "heft predict says it for a log." : "Give one with --validate."),
                      true});
  else if (answer.validation->overall_relative > kWorseHeldOut * answer.training.overall_relative)
    doubts.push_back({fmt::format("The error on held-out logs is {:.2g} times that on the training logs: the "
                                  "training motion may not stand for the held-out one.",
                                  answer.validation->overall_relative / answer.training.overall_relative),
                      true});
  const Fit& fit = answer.validation ? *answer.validation : answer.training;
  for (const ChannelFit& channel : fit.channels)
    if (channel.num_rows > 0 && !(relative(channel) <= kBadChannel))
      doubts.push_back({fmt::format("The torque of {} is predicted badly: the error is {:.0f} % of it.",
                                    channel.channel, 100 * relative(channel)),
                        true});
}

/// Logs that were given twice, moments of other options, joints whose torque was hardly used.
void add_doubts_about_data(const Identification& identification, std::vector<Doubt>& doubts) {
  const std::vector<LogSummary>& training = identification.data.logs;
  const auto same_as = [](const LogSummary& log) {
    return [&log](const LogSummary& other) { return other.sha256 == log.sha256; };
  };
  for (const LogSummary& log : identification.validation_logs)
    if (std::any_of(training.begin(), training.end(), same_as(log)))
      doubts.push_back(
          {log.path + " is held out and learned from: its error says nothing of other motions.", true});
  for (auto log = training.begin(); log != training.end(); ++log)
    if (std::any_of(training.begin(), log, same_as(*log)))
      doubts.push_back(
          {log->path + " is learned from twice: it counts double, and intervals are too narrow.", true});
  for (const std::string& words : identification.data.disagreements)
    doubts.push_back({words + ".", true});  // begins with the name of a file

  const std::vector<ChannelFit>& channels = identification.answer().training.channels;
  long long most = 0;
  for (const ChannelFit& channel : channels) most = std::max(most, channel.num_rows);
  for (std::size_t c = 0; c < channels.size(); ++c) {
    const bool is_joint = identification.plan().channels[c].coordinate >= 0;
    if (!is_joint || static_cast<double>(channels[c].num_rows) >= kFewRows * static_cast<double>(most))
      continue;
    doubts.push_back(
        {fmt::format(
             "Of {}, {} torques were used, where another joint has {}: the others were missing, clipped, "
             "in the dead band, or within the low-pass's reach of one that was missing.",
             channels[c].channel, channels[c].num_rows, most),
         true});
  }
  for (const ChannelFit& channel : channels)
    if (channel.rms_measured > 0 && channel.rms_torque > kLargeKnown * channel.rms_measured)
      doubts.push_back(
          {fmt::format("The known torque of {} is larger than what was measured ({:.3g} against {:.3g} "
                       "{} rms): errors in % of what is left look small.",
                       channel.channel, channel.rms_torque, channel.rms_measured, channel.unit),
           true});
}

void add_doubts_about_physics(const Identification& identification, std::vector<Doubt>& doubts) {
  if (!identification.answer().impossible_bodies.empty())
    doubts.push_back({"A simulator will refuse the impossible bodies: use the default solver.", true});
  if (identification.certificate && !identification.certificate->certified)
    doubts.push_back({"The answer has no certificate: " + identification.certificate->verdict + ".", true});
  if (identification.price && identification.price->relative > kHighPrice)
    doubts.push_back(
        {fmt::format("Being physical raises the squared error by {:.0f} %: a torque is scaled wrongly, or "
                     "the model lacks something.",
                     100 * identification.price->relative),
         true});
  for (const std::string& words : price_words(identification))
    if (words.starts_with("suspicious")) doubts.push_back({sentence(words), true});
  const std::vector<std::string> bounding = bounding_words(identification);
  for (std::size_t k = 1; k < bounding.size(); ++k)
    doubts.push_back({sentence(bounding[k])});  // 0: what is bounded
}

void add_doubts_about_parameters(const Identification& identification, std::vector<Doubt>& doubts) {
  const RegressorPlan& plan = identification.plan();
  if (identification.uncertainty) {
    const Uncertainty& uncertainty = *identification.uncertainty;
    const int num_inertial = core::kNumParameters * plan.layout.num_bodies();
    int set_by_prior = 0;
    for (int k = 0; k < num_inertial; ++k) set_by_prior += uncertainty.is_set_by_prior(k) ? 1 : 0;
    if (set_by_prior > 0)
      doubts.push_back(
          {fmt::format("{} of the {} inertial parameters are set by the prior, not by the data: trust them "
                       "as far as you trust the URDF.",
                       set_by_prior, num_inertial)});
    if (!uncertainty.unexcited.empty())
      doubts.push_back(
          {fmt::format("The training motion does not excite {} of what this robot can reveal: see "
                       "Conditioning.",
                       plural(uncertainty.unexcited.size(), "direction", "directions"))});
    if (!uncertainty.no_intervals.empty())
      doubts.push_back({"There are no intervals: " + uncertainty.no_intervals + "."});
  }
  for (const Column& column : plan.layout.columns) {
    if (column.kind != "reflected_inertia") continue;
    for (const std::string& rotor : rotors_of(plan.robot, column))
      doubts.push_back(
          {fmt::format("{} and the column '{}' stand for the same inertia, which the data can hardly "
                       "share out between them: keep one of the two.",
                       rotor, column.name),
           true});
  }
  for (const PriorRepair& repair : identification.setup.prior.repairs)
    doubts.push_back({"Prior of " + plan.layout.bodies[repair.body] + ": " + repair.what + "."});
  if (identification.weight_choice && !identification.weight_choice->gap_is_full)
    doubts.push_back({"The training log is short for cross-validation: the prior weight is uncertain."});
}

void add_doubts_about_rows(const Identification& identification, std::vector<Doubt>& doubts) {
  const DroppedRows dropped = identification.dropped();
  const double num_dropped = std::accumulate(
      dropped.begin(), dropped.end(), 0.0, [](double sum, const auto& entry) { return sum + entry.second; });
  double num_rows = 0;  // as dropped rows are counted: per channel
  for (const auto* logs : {&identification.data.logs, &identification.validation_logs})
    for (const LogSummary& log : *logs)
      num_rows += static_cast<double>(log.num_rows) * identification.plan().num_channels();
  if (num_dropped > kManyDropped * num_rows)
    doubts.push_back({fmt::format("{:.0f} % of the rows of the logs were dropped: see Rows.",
                                  100 * num_dropped / num_rows)});
}

}  // namespace

Verdict verdict(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  Verdict verdict;
  verdict.identified =
      fmt::format("{} of {}", plural(plan.layout.bodies.size(), "body", "bodies"), plan.robot.name);
  if (const std::size_t num_columns = plan.layout.columns.size(); num_columns > 0)
    verdict.identified += " and " + plural(num_columns, "term", "terms") + " of friction and the like";
  double seconds = 0;
  for (const LogSummary& log : identification.data.logs) seconds += log.duration_s;
  verdict.identified += fmt::format(", from {:.4g} s of motion.", seconds);
  verdict.accuracy = accuracy_sentence(identification.answer());
  verdict.physics = physics_sentence(identification);
  add_doubts_about_data(identification, verdict.doubts);
  add_doubts_about_fit(identification, verdict.doubts);
  add_doubts_about_physics(identification, verdict.doubts);
  add_doubts_about_parameters(identification, verdict.doubts);
  add_doubts_about_rows(identification, verdict.doubts);
  return verdict;
}

}  // namespace heft
