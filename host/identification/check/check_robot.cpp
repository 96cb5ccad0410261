// check_robot: reports the errors of the reader, then runs the rules for robot files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "rule_table.hpp"

namespace heft {

namespace check {

namespace {

// the link or joint that a place "file:line" is in: the last that begins at or before that line
std::string owner_of(const WrittenRobot& robot, const std::string& where) {
  const std::size_t colon = where.rfind(':');
  const long line = colon == std::string::npos ? 0 : std::atol(where.c_str() + colon + 1);
  std::string owner = robot.name;
  for (const NamedPlace& element : robot.elements) {
    if (std::atol(element.where.c_str() + element.where.rfind(':') + 1) > line) break;
    owner = element.name;
  }
  return owner;
}

// what read_robot would refuse, as it says it
Finding refusal(const WrittenRobot& robot, const Rule<NoTest>& rule, const Error& error) {
  return {rule.name, rule.severity, owner_of(robot, error.where), error.where, error.what, 0,
          "1",       error.remedy};
}

void ask_reader(const WrittenRobot& robot, std::vector<Finding>& findings) {
  if (robot.structure) findings.push_back(refusal(robot, rule_table().reader[0], *robot.structure));
  if (robot.numbers) findings.push_back(refusal(robot, rule_table().reader[1], *robot.numbers));
}

// if no rule finds an error, report that of the reader; its most common errors have rules of their
// own
void ask_whole_reader(const RobotDocument& document, const WrittenRobot& robot,
                      std::vector<Finding>& findings) {
  // with a floating base a robot without a moving joint passes
  const auto read = document.robot("", {.floating_base = true});
  if (!read)
    findings.insert(findings.begin(), refusal(robot, rule_table().reader[0], read.error()));
}

void ask_rules(const RobotFacts& robot, const NamedPlace& whole, std::vector<Finding>& findings) {
  const auto add_for = [&](const std::string& subject, const std::string& where) {
    return [&](const auto& rule, const Evidence& evidence) {
      findings.push_back({rule.name, rule.severity, subject,
                          evidence.where.empty() ? where : evidence.where, evidence.what,
                          evidence.measure, evidence.unit, evidence.remedy});
    };
  };
  const RuleTable& table = rule_table();
  ask(table.robot, add_for(whole.name, whole.where), robot);
  for (const LinkFacts& link : robot.links)
    ask(table.link, add_for(link.name, link.where), robot, link);
  for (const JointFacts& joint : robot.joints)
    ask(table.joint, add_for(joint.name, joint.where), robot, joint);
}

}  // namespace

}  // namespace check

int CheckReport::count(Severity severity) const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

Result<CheckReport> check_robot(const RobotDocument& document, const CheckOptions& options) {
  HEFT_TRY(written, document.as_written());
  const check::RobotFacts robot = check::gather_facts(written, document, options);
  CheckReport report;
  report.path = document.path();
  report.subject = fmt::format("robot '{}': {} links, {} joints, {:.4g} kg", written.name,
                               robot.links.size(), robot.joints.size(), robot.total_mass);
  if (written.unexpanded) {
    report.findings.push_back(
        check::refusal(written, check::rule_table().reader[0], *written.unexpanded));
    return report;  // other rules would report what the template has yet to write
  }
  check::ask_reader(written, report.findings);
  check::ask_rules(robot, {written.name, document.path()}, report.findings);
  if (report.count(Severity::error) == 0)
    check::ask_whole_reader(document, written, report.findings);
  return report;
}

}  // namespace heft
