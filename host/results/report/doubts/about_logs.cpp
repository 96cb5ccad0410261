#include <fmt/format.h>

#include <algorithm>

#include "check/sign_and_order_rules.hpp"
#include "doubts.hpp"
#include "evidence/doubt_bounds.hpp"

namespace heft::doubts {

namespace {

/// Share of rows above which a warning about torques affects the result.
constexpr double kMaterialShare = 0.005;

/// Relative torque error of a joint above which the rules' suspicion is plausible.
constexpr double kLargeError = 0.1;

/// Whether the torque of this joint is predicted poorly on training or held-out logs.
bool fits_poorly(const Identification& identification, const std::string& joint) {
  const Estimate& answer = identification.answer();
  const auto is_poor = [&](const TorqueErrors& errors) {
    return std::any_of(errors.channels.begin(), errors.channels.end(),
                       [&](const ChannelErrors& channel) {
                         return channel.channel == joint && channel.num_rows > 0 &&
                                !(channel.rms_error <= kLargeError * channel.rms_torque);
                       });
  };
  return is_poor(answer.training) || (answer.validation && is_poor(*answer.validation));
}

/// Remedies that were tried for rows not sampled at the times of their stamps.
const Hypothesis* remedy_of_late_stamps(const Identification& identification) {
  for (const Hypothesis& hypothesis : identification.second_pass.evidence.hypotheses)
    if (hypothesis.id == "stamps-late") return &hypothesis;
  return nullptr;
}

std::string remedy_of(const Identification& identification, const Finding& finding) {
  const Hypothesis* const tried =
      finding.name == "stamps-late" ? remedy_of_late_stamps(identification) : nullptr;
  if (!tried) return sentence(finding.remedy);
  const bool has_held_out = tried->held_out_before && tried->held_out_after;
  return fmt::format(
      "Add to the configuration: {}: the error on the {} logs falls from {:.3g} to {:.3g} %.",
      tried->yaml.substr(0, tried->yaml.find('\n')), has_held_out ? "held-out" : "training",
      100 * (has_held_out ? *tried->held_out_before : tried->training_before),
      100 * (has_held_out ? *tried->held_out_after : tried->training_after));
}

/// An error of the rules is serious, a warning minor, a note no doubt; torques that were clipped,
/// dead or jump are serious where they are many. What may be a fault, or the way that this joint
/// is, is one where the joint fits poorly.
bool is_serious(const Identification& identification, const Finding& finding) {
  if (finding.severity == Severity::error) return true;
  if (finding.name == "torque-saturated")
    return finding.rows_share > kMaterialShare || fits_poorly(identification, finding.joint);
  if (finding.name == "stamps-late") {
    const Hypothesis* const tried = remedy_of_late_stamps(identification);
    return tried && doubt_bounds::shows_in_error(*tried);
  }
  if (finding.name == "position-of-other-joint") return fits_poorly(identification, finding.joint);
  return finding.name == "torque-jumps" || finding.name == "torque-dead";
}

/// Whether a finding of a held-out log based on the robot file is refuted: the identified model
/// predicts the joint well.
bool is_contradicted(const Identification& identification, const LogFindings& log,
                     const Finding& finding) {
  const auto& logs = identification.second_pass.evidence.logs;
  const auto has_it = [&](const LogFindings& other) {
    return !other.held_out &&
           std::any_of(other.findings.begin(), other.findings.end(),
                       [&](const Finding& one) { return one.name == finding.name; });
  };
  return log.held_out && is_told_by_file(finding.name) && !finding.joint.empty() &&
         std::none_of(logs.begin(), logs.end(), has_it) &&
         !fits_poorly(identification, finding.joint);
}

}  // namespace

void about_logs(const Identification& identification, List& list) {
  for (const LogFindings& log : identification.second_pass.evidence.logs)
    for (const Finding& finding : log.findings) {
      if (finding.severity == Severity::note) continue;
      // the prior's share is more specific
      if (finding.name == "not-excited") continue;
      list.push_back({.id = finding.name,
                      .serious = is_serious(identification, finding) &&
                                 !is_contradicted(identification, log, finding),
                      .joint = finding.joint,
                      .subject = finding.subject,
                      .log = log.log,
                      .from_s = finding.from_s,
                      .to_s = finding.to_s,
                      .words = finding.where + ": " + finding.subject + ": " + finding.what + ".",
                      .remedy = remedy_of(identification, finding)});
    }
  for (const QuietStretch& stretch : identification.second_pass.evidence.quiet) {
    const std::string& name =
        identification.plan().channels[static_cast<std::size_t>(stretch.channel)].name;
    list.push_back({.id = "torque-quiet",
                    .serious = kSerious,
                    .joint = name,
                    .log = stretch.log,
                    .from_s = stretch.from_s,
                    .to_s = stretch.to_s,
                    .words = fmt::format(
                        "{}: the torque of {} stays constant from {:.4g} to {:.4g} s, although "
                        "the motion requires it to change.",
                        stretch.log, name, stretch.from_s, stretch.to_s),
                    .remedy = "Exclude this stretch; look for a drive or bus that stopped."});
  }
}

}  // namespace heft::doubts
