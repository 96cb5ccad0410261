#include "report/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "doubts/doubts.hpp"

namespace heft {

namespace {

double relative(const ChannelErrors& channel) {
  return channel.rms_error / channel.rms_torque;
}

std::string accuracy_sentence(const Estimate& answer) {
  const TorqueErrors& errors = answer.errors();
  std::string text =
      fmt::format("{}, predicted and measured torque differ by {:.3g} % (rms, of the torque)",
                  answer.validation ? "On held-out logs" : "On the training logs",
                  100 * errors.overall_relative);
  const auto worst = std::max_element(
      errors.channels.begin(), errors.channels.end(),
      [](const ChannelErrors& a, const ChannelErrors& b) { return relative(a) < relative(b); });
  if (worst != errors.channels.end() && std::isfinite(relative(*worst)) &&
      errors.channels.size() > 1)
    text += fmt::format("; the largest difference is that of {}, {:.3g} %", worst->channel,
                        100 * relative(*worst));
  return text + ".";
}

constexpr double kNearNoise = 1.5;       ///< times the upper end of the floor
constexpr double kBetterThanFile = 0.8;  ///< of what the file leaves

/// Rates an error relative to the robot file's error and the noise floor.
std::string judgment(double error, const Reference& reference) {
  if (!std::isfinite(reference.floor_upper))
    return error < kBetterThanFile * reference.urdf_relative ? "better than the file"
                                                             : "hardly better than the file";
  if (error <= doubts::kAsGoodAsNoise * reference.floor_upper)
    return "good: the error is hardly more than noise";
  const double times = error / reference.floor_upper;
  const std::string beside = doubts::two_digits(times) + " times what noise explains";
  const std::string causes =
      ": the model is incomplete, the filter distorts the motion, or the log has a fault";
  if (times <= kNearNoise) return "fair: " + beside;
  return error < kBetterThanFile * reference.urdf_relative
             ? "better than the robot file, but " + beside + causes
             : "poor: hardly better than the robot file, and " + beside + causes;
}

/// "The bodies of the robot file with fitted friction leave an error of 2.2 %, this result 1.4 %;
/// noise alone leaves 0.7 to 1.2 %. That is fair: .."
std::string reference_sentence(const Identification& identification) {
  const auto& reference = identification.second_pass.evidence.reference;
  if (!reference || !(reference->urdf_relative > 0)) return "";
  const Estimate& answer = identification.answer();
  const TorqueErrors& errors = answer.errors();
  std::string text = fmt::format(
      "The bodies of the robot file with fitted friction leave an error of "
      "{:.3g} %, this result {:.3g} %",
      100 * reference->urdf_relative, 100 * errors.overall_relative);
  if (std::isfinite(reference->floor_upper))
    text += fmt::format("; noise alone leaves {:.2g} to {:.2g} %", 100 * reference->floor_lower,
                        100 * reference->floor_upper);
  return text + ". That is " + judgment(errors.overall_relative, *reference) + ".";
}

std::string physics_sentence(const Identification& identification) {
  const Estimate& answer = identification.answer();
  if (!answer.impossible_bodies.empty() || !identification.optimum) {
    const int num_bodies = identification.plan().layout.num_bodies();
    return fmt::format(
        "Least squares does not enforce physical consistency: {} of {} bodies "
        "are physically impossible.",
        answer.impossible_bodies.size(), num_bodies);
  }
  return "Every body is physically consistent. " +
         doubts::sentence(identification.optimum->certificate.verdict);
}

std::string level_words(VerdictLevel level, const std::vector<Doubt>& doubts,
                        const SecondPass& pass) {
  const auto num_open = static_cast<std::size_t>(
      std::count_if(doubts.begin(), doubts.end(), [](const Doubt& d) { return d.is_open(); }));
  switch (level) {
    case VerdictLevel::green:
      if (!pass.has_seen_logs())
        return "certified, and no serious doubt is open; the logs were not checked";
      return pass.has_asked_logs()
                 ? "certified, and no serious doubt is open"
                 : "certified, and no serious doubt is open; the logs were not tested for "
                   "faults";
    case VerdictLevel::amber:
      return "certified, but " +
             doubts::plural(num_open, "serious doubt is", "serious doubts are") + " open";
    case VerdictLevel::red:
      break;
  }
  return "no certificate";
}

}  // namespace

Verdict verdict(const Identification& identification) {
  const RegressorPlan& plan = identification.plan();
  Verdict verdict;
  verdict.identified = fmt::format(
      "{} of {}", doubts::plural(plan.layout.bodies.size(), "body", "bodies"), plan.robot.name);
  if (const std::size_t num_columns = plan.layout.columns.size(); num_columns > 0)
    verdict.identified +=
        " and " + doubts::plural(num_columns, "column", "columns") + " such as friction";
  double seconds = 0;
  for (const LogSummary& log : identification.data.logs) seconds += log.duration_s;
  verdict.identified += fmt::format(", from {:.4g} s of motion.", seconds);
  verdict.accuracy = accuracy_sentence(identification.answer());
  verdict.reference = reference_sentence(identification);
  verdict.physics = physics_sentence(identification);
  verdict.doubts = doubts_about(identification);
  verdict.level = verdict_level(identification, verdict.doubts);
  verdict.words = level_words(verdict.level, verdict.doubts, identification.second_pass);
  return verdict;
}

}  // namespace heft
