#include <fmt/format.h>

#include "doubts.hpp"

namespace heft::doubts {

namespace {

/// Share of the rows from which a warning about torques spoils an answer.
constexpr double kMaterialShare = 0.005;

/// An error of the rules is serious, a warning minor, a note no doubt; torques that were clipped, dead or jump are
/// serious where they are many.
bool is_serious(const Finding& finding) {
  if (finding.severity == Severity::error) return true;
  if (finding.name == "torque-saturated") return finding.rows_share > kMaterialShare;
  return finding.name == "torque-jumps" || finding.name == "torque-dead";
}

}  // namespace

void about_logs(const Identification& identification, List& list) {
  for (const LogFindings& log : identification.second_pass.evidence.logs)
    for (const Finding& finding : log.findings) {
      if (finding.severity == Severity::note) continue;
      // the prior's share says it better
      if (finding.name == "not-excited") continue;
      list.push_back({.id = finding.name,
                      .serious = is_serious(finding),
                      .joint = finding.joint,
                      .log = log.log,
                      .from_s = finding.from_s,
                      .to_s = finding.to_s,
                      .words = finding.where + ": " + finding.subject + ": " + finding.what + ".",
                      .remedy = sentence(finding.remedy)});
    }
  for (const QuietStretch& stretch : identification.second_pass.evidence.quiet) {
    const std::string& name = identification.plan().channels[static_cast<std::size_t>(stretch.channel)].name;
    list.push_back(
        {.id = "torque-quiet",
         .serious = kSerious,
         .joint = name,
         .log = stretch.log,
         .from_s = stretch.from_s,
         .to_s = stretch.to_s,
         .words = fmt::format("{}: the torque of {} stands still from {:.4g} to {:.4g} s, while the motion "
                              "asks for more and less.",
                              stretch.log, name, stretch.from_s, stretch.to_s),
         .remedy = "Cut the stretch out; look for a drive or bus that stopped."});
  }
}

}  // namespace heft::doubts
