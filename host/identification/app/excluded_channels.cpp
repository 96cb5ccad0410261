#include "excluded_channels.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "files/yaml_text.hpp"
#include "heft/config/module_options.hpp"
#include "identify/not_torque.hpp"

namespace heft::app {

namespace {

/// Returns the option that uses a joint's column anyway.
std::string keeping(std::vector<std::string> kept, const std::string& joint) {
  kept.push_back(joint);
  for (std::string& name : kept) name = yaml_quoted(name);
  return fmt::format("joints: {{keep: [{}]}}", fmt::join(kept, ", "));
}

/// ", and the robot file gives flange no mass"
std::string without_mass(const NotTorque& channel) {
  if (channel.massless.empty()) return "";
  return fmt::format(", and the robot file gives {} no mass", fmt::join(channel.massless, ", "));
}

std::string remedy_of(const NotTorque& channel, const std::string& joint,
                      const Configuration& configuration) {
  const std::string keep =
      "log the torque of this joint; to use the column anyway, add to the "
      "configuration: " +
      keeping(configuration.kept_joints, joint);
  if (channel.massless.empty()) return keep;
  std::vector<std::string> priors;
  for (const std::string& body : channel.massless)
    priors.push_back(yaml_quoted(body) + ": unknown");
  return fmt::format(
      "if it is a torque, give {} a mass in the robot file, or let the log determine "
      "it: priors: {{{}}}; otherwise {}",
      fmt::join(channel.massless, ", "), fmt::join(priors, ", "), keep);
}

Finding finding_of(const NotTorque& channel, const std::string& joint,
                   const Configuration& configuration) {
  return {.name = "not-torque",
          .severity = Severity::error,
          .subject = "the torque column of " + joint,
          .where = {},
          .what = fmt::format("{}{}: the column {} a torque and is excluded from the fit and from "
                              "all errors, including held-out errors; the bodies of {} remain in "
                              "the model",
                              channel.why, without_mass(channel),
                              channel.massless.empty() ? "is not" : "may not be", joint),
          .measure = 1,
          .unit = "1",
          .remedy = remedy_of(channel, joint, configuration),
          .joint = joint};
}

/// Copies findings about an excluded column, which the second identification does not read.
void keep_rules_about(const std::vector<LogFindings>& first, const Finding& excluded,
                      std::vector<LogFindings>& logs) {
  for (const LogFindings& log : first)
    for (const Finding& finding : log.findings) {
      if (finding.name != "torque-dead" || finding.joint != excluded.joint) continue;
      for (LogFindings& now : logs)
        if (now.log == log.log && now.held_out == log.held_out) now.findings.push_back(finding);
    }
}

void add_findings(const std::vector<Finding>& findings, Identification& result) {
  for (LogFindings& log : result.second_pass.evidence.logs) {
    if (log.held_out) continue;
    for (Finding finding : findings) {
      finding.where = log.log + ":1";
      // one doubt per cause: torque-dead already reports a constant
      if (std::ranges::any_of(log.findings, [&](const Finding& other) {
            return other.name == "torque-dead" && other.joint == finding.joint;
          }))
        finding.severity = Severity::warning;
      log.findings.push_back(std::move(finding));
    }
    return;  // the first log reports it for all
  }
}

Result<std::vector<Finding>> excluded(const Identification& result, IdentifyRequest& request,
                                      Configuration& configuration) {
  HEFT_TRY(found, channels_without_torque(request, result, configuration.kept_joints));
  std::vector<Finding> findings;
  for (const NotTorque& channel : found) {
    const std::string& joint =
        result.plan().channels[static_cast<std::size_t>(channel.channel)].name;
    findings.push_back(finding_of(channel, joint, configuration));
    configuration.conditioning.excluded_joints.push_back(joint);
  }
  if (!found.empty()) request.gathering = gather_options(configuration, request.setup.model);
  return findings;
}

}  // namespace

Result<ExcludedChannels> exclude_before_search(IdentifyRequest& request,
                                               Configuration& configuration) {
  IdentifyRequest quick = request;
  quick.gathers_evidence = quick.gathers_traces = false;
  quick.estimation.uncertainty.bootstrap = 0;
  quick.validation_logs.clear();
  HEFT_TRY(first, identify(quick));
  HEFT_TRY(in_doubt, channels_without_torque(quick, first, configuration.kept_joints));
  if (in_doubt.empty()) return ExcludedChannels{};
  quick.gathers_evidence = true;
  HEFT_TRY(second, identify(quick));
  HEFT_TRY(findings, excluded(second, request, configuration));
  return ExcludedChannels{std::move(findings)};
}

Result<Identification> identify_torques(IdentifyRequest& request, Configuration& configuration,
                                        const ExcludedChannels& before) {
  HEFT_TRY(result, identify(request));
  if (!request.gathers_evidence) return std::move(result);
  std::vector<Finding> findings = before.findings;
  HEFT_TRY(found, excluded(result, request, configuration));
  if (!found.empty()) {
    const std::vector<LogFindings> first = std::move(result.second_pass.evidence.logs);
    HEFT_TRY(again, identify(request));
    for (const Finding& finding : found)
      keep_rules_about(first, finding, again.second_pass.evidence.logs);
    findings.insert(findings.end(), found.begin(), found.end());
    result = std::move(again);
  }
  add_findings(findings, result);
  return std::move(result);
}

}  // namespace heft::app
