// check_robot: reports what the reader refuses, then applies the rules for robot files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "rule_table.hpp"

namespace heft {

namespace check {

namespace {

// the link or joint that a place "file:line" is in: the last that begins at or before that line
std::string owner_of(const RobotFacts& robot, const std::string& where) {
  const std::size_t colon = where.rfind(':');
  const long line = colon == std::string::npos ? 0 : std::atol(where.c_str() + colon + 1);
  std::string owner = robot.document->root().attribute("name").value();
  for (const pugi::xml_node node : robot.document->root().children()) {
    if (node.type() != pugi::node_element) continue;
    const std::string place = robot.document->where(node);
    if (std::atol(place.c_str() + place.rfind(':') + 1) > line) break;
    owner = node.attribute("name").value();
  }
  return owner;
}

// errors of read_robot, in its words
Finding refusal(const RobotFacts& robot, const Rule<NoTest>& rule, const Error& error) {
  return {rule.name, rule.severity, owner_of(robot, error.where), error.where, error.what, 0,
          "1",       error.remedy};
}

void ask_reader(const RobotFacts& robot, std::vector<Finding>& findings) {
  if (const auto sound = check_urdf_structure(*robot.document); !sound)
    findings.push_back(refusal(robot, rule_table().reader[0], sound.error()));
  if (const auto sound = check_urdf_numbers(*robot.document); !sound)
    findings.push_back(refusal(robot, rule_table().reader[1], sound.error()));
}

// if no rule finds an error, report that of the reader; its most common errors have rules of their
// own
void ask_whole_reader(const RobotFacts& robot, std::vector<Finding>& findings) {
  const auto read = robot.document->robot("", {.floating_base = true});  // a robot without a joint
                                                                         // that moves passes
  if (!read)
    findings.insert(findings.begin(), refusal(robot, rule_table().reader[0], read.error()));
}

void ask_rules(const RobotFacts& robot, std::vector<Finding>& findings) {
  const auto add_for = [&](const std::string& subject, pugi::xml_node node) {
    return [&findings, &robot, &subject, node](const auto& rule, const Evidence& evidence) {
      findings.push_back({rule.name, rule.severity, subject,
                          robot.document->where(evidence.node ? evidence.node : node),
                          evidence.what, evidence.measure, evidence.unit, evidence.remedy});
    };
  };
  const RuleTable& table = rule_table();
  const std::string name = robot.document->root().attribute("name").value();
  ask(table.robot, add_for(name, {}), robot);
  for (const LinkFacts& link : robot.links)
    ask(table.link, add_for(link.name, link.node), robot, link);
  for (const JointFacts& joint : robot.joints)
    ask(table.joint, add_for(joint.name, joint.node), robot, joint);
}

}  // namespace

}  // namespace check

int CheckReport::count(Severity severity) const {
  return static_cast<int>(
      std::count_if(findings.begin(), findings.end(),
                    [&](const Finding& finding) { return finding.severity == severity; }));
}

Result<CheckReport> check_robot(const RobotDocument& document, const CheckOptions& options) {
  HEFT_TRY(urdf, UrdfDocument::parse(document.path(), document.text()));
  constexpr std::ptrdiff_t kMaxElements = 100000;
  const auto elements = urdf->root().children();
  const auto is_element = [](const pugi::xml_node& node) {
    return node.type() == pugi::node_element;
  };
  if (const auto count = std::count_if(elements.begin(), elements.end(), is_element);
      count > kMaxElements)
    return Error{document.path(),
                 fmt::format("has {} links and joints, more than {}", count, kMaxElements),
                 "no robot has that many: check the program that wrote the file"};
  const check::RobotFacts robot = check::gather_facts(std::move(urdf), options);
  CheckReport report;
  report.path = document.path();
  report.subject = fmt::format("robot '{}': {} links, {} joints, {:.4g} kg",
                               robot.document->root().attribute("name").value(), robot.links.size(),
                               robot.joints.size(), robot.total_mass);
  if (const auto expanded = check_urdf_expanded(*robot.document); !expanded) {
    report.findings.push_back(
        check::refusal(robot, check::rule_table().reader[0], expanded.error()));
    return report;  // other rules would report elements that xacro has yet to expand
  }
  check::ask_reader(robot, report.findings);
  check::ask_rules(robot, report.findings);
  if (report.count(Severity::error) == 0) check::ask_whole_reader(robot, report.findings);
  return report;
}

}  // namespace heft
