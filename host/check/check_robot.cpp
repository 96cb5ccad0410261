// The rules for robot files, in the order in which they are asked.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "host/check/rules.hpp"

namespace heft {

namespace check {

namespace {

using LinkTest = MaybeEvidence (*)(const RobotFacts&, const LinkFacts&);
using JointTest = MaybeEvidence (*)(const RobotFacts&, const JointFacts&);

template <class Test>
struct Rule {
  const char* name;
  Severity severity;
  Test test;
  const char* meaning;
};

/// Rules that explain one another: the first that holds is reported. What is found at one stage makes the
/// later stages moot for the link: with a mass in grams, every density is wrong.
template <class Test>
struct RuleGroup {
  int stage;
  std::vector<Rule<Test>> rules;
};

constexpr Severity kError = Severity::error, kWarning = Severity::warning, kNote = Severity::note;

const std::vector<RuleGroup<LinkTest>>& link_rules() {
  static const std::vector<RuleGroup<LinkTest>> kGroups = {
      {0,
       {{"mass-missing", kError, mass_missing, "an <inertial> without a mass"},
        {"tensor-missing", kError, tensor_missing, "an <inertial> without six numbers of a tensor"},
        {"mass-negative", kError, mass_negative, "a mass below zero"},
        {"mass-zero-with-tensor", kError, mass_zero_with_tensor, "moments of inertia without a mass"},
        {"mass-placeholder", kNote, mass_placeholder,
         "next to no mass: a frame that some program wants heavy"},
        {"leaf-without-mass", kWarning, leaf_without_mass, "the last link of a chain moves, weightless"},
        {"body-without-mass", kNote, body_without_mass, "a link inside a chain moves, weightless"}}},
      {0, {{"mesh-in-millimetres", kError, mesh_in_millimetres, "geometry 1000 times too large"}}},
      {1, {{"mass-in-grams", kError, mass_unit_slip, "a mass 1000 times too large"}}},
      {1, {{"com-in-millimetres", kError, com_units, "a centre of mass 1000 times too far away"}}},
      {2,
       {{"density-too-high", kWarning, density_too_high, "denser than any material"},
        {"density-too-low", kWarning, density_too_low, "lighter than foam"}}},
      {2,
       {{"com-outside-geometry", kWarning, com_outside_geometry, "the centre of mass is outside the shapes"},
        {"com-beyond-reach", kWarning, com_beyond_reach, "the centre of mass is beyond the robot's reach"}}},
      {2,
       {{"tensor-zero", kWarning, tensor_zero, "mass in a point"},
        {"tensor-default", kWarning, tensor_default, "a placeholder: 1, 0.1, 1e-3 .. times the identity"},
        {"tensor-unit-slip", kError, tensor_units, "a tensor in g m^2, kg mm^2, g mm^2, .."},
        {"products-sign", kError, products_sign, "impossible, but not with products of the other sign"},
        {"tensor-entries-swapped", kError, tensor_entries, "impossible, but not in another order"},
        {"tensor-shifted-twice", kError, tensor_shifted,
         "impossible: parallel axes subtracted once too often"},
        {"moment-negative", kError, moment_negative, "impossible: a principal moment below zero"},
        {"triangle-inequality", kError, triangle_inequality,
         "impossible: one moment exceeds the others' sum"},
        {"impossible-by-rounding", kWarning, impossible_by_rounding, "impossible by less than its decimals"},
        {"tensor-about-link-origin", kWarning, tensor_about_link_origin, "about the origin of the link"},
        {"tensor-in-wrong-frame", kWarning, tensor_in_wrong_frame, "fits the geometry in other axes"},
        {"tensor-copied", kWarning, tensor_copied, "one tensor on three links of different mass"},
        {"spread-beyond-geometry", kWarning, spread_beyond_geometry, "mass where the link has no shape"},
        {"tensor-too-small", kWarning, tensor_too_small, "mass as if in the middle of a large link"},
        {"tensor-flat", kNote, tensor_flat, "a body without thickness"}}},
      {2, {{"mirror-mass-differs", kWarning, mirror_mass, "left and right weigh different"}}},
      {2,
       {{"mirror-com-differs", kWarning, mirror_com, "left and right have centres of mass elsewhere"},
        {"mirror-com-side", kWarning, mirror_com_side, "left and right: a sign of the centre of mass"}}},
      {2,
       {{"mirror-moments-differ", kWarning, mirror_moments, "left and right have different moments"},
        {"mirror-products-side", kWarning, mirror_products, "left and right: signs of the products"}}}};
  return kGroups;
}

const std::vector<RuleGroup<JointTest>>& joint_rules() {
  static const std::vector<RuleGroup<JointTest>> kGroups = {
      {0,
       {{"axis-zero", kError, axis_zero, "an axis of no direction"},
        {"axis-not-unit", kWarning, axis_not_unit, "an axis whose length is not one"}}},
      {0,
       {{"limit-missing", kError, limit_missing, "revolute or prismatic without <limit effort velocity>"},
        {"limits-inverted", kError, limits_inverted, "lower above upper"},
        {"limits-in-degrees", kError, limits_in_degrees, "a range of many turns"},
        {"limits-in-millimetres", kError, limits_in_millimetres, "a stroke far beyond the robot"},
        {"limits-without-range", kWarning, limits_without_range, "a joint that cannot move"}}},
      {0,
       {{"effort-negative", kError, effort_negative, "an effort limit below zero"},
        {"effort-zero", kWarning, effort_zero, "no effort: simulators hold the joint"}}},
      {0,
       {{"velocity-negative", kError, velocity_negative, "a velocity limit below zero"},
        {"velocity-zero", kWarning, velocity_zero, "no velocity: planners hold the joint"}}},
      {0, {{"friction-negative", kError, friction_negative, "damping or friction below zero"}}},
      {0, {{"origin-in-millimetres", kError, origin_in_millimetres, "a joint 1000 times too far away"}}},
      {0,
       {{"angle-in-degrees", kError, angle_in_degrees, "rpy of many turns"},
        {"angle-rounded", kNote, angle_rounded, "1.57 for a right angle"}}}};
  return kGroups;
}

constexpr struct {
  const char* name;
  const char* meaning;
} kReaderRules[] = {{"structure", "what the reader refuses: two roots, cycles, names that do not exist, .."},
                    {"not-a-number", "a number that is none"}};

constexpr Rule<MaybeEvidence (*)(const RobotFacts&)> kRobotRules[] = {
    {"meshes-unread", kNote, meshes_unread, "meshes not found or not readable: geometry is not compared"}};

template <class Subject, class Test>
void ask(const std::vector<RuleGroup<Test>>& groups, const RobotFacts& robot, const Subject& subject,
         std::vector<Finding>& findings) {
  int moot_after = groups.back().stage;
  for (const RuleGroup<Test>& group : groups) {
    if (group.stage > moot_after) break;
    for (const Rule<Test>& rule : group.rules) {
      const MaybeEvidence evidence = rule.test(robot, subject);
      if (!evidence) continue;
      const pugi::xml_node node = evidence->node ? evidence->node : subject.node;
      findings.push_back({rule.name, rule.severity, subject.name, robot.document->where(node), evidence->what,
                          evidence->measure, evidence->unit, evidence->remedy});
      moot_after = std::min(moot_after, group.stage);
      break;
    }
  }
}

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

// what read_robot would refuse, as it says it
Finding refusal(const RobotFacts& robot, const char* name, const Error& error) {
  return {name, Severity::error, owner_of(robot, error.where), error.where, error.what, 0, "1", error.remedy};
}

void ask_reader(const RobotFacts& robot, std::vector<Finding>& findings) {
  if (const auto sound = check_urdf_structure(*robot.document); !sound)
    findings.push_back(refusal(robot, kReaderRules[0].name, sound.error()));
  if (const auto sound = check_urdf_numbers(*robot.document); !sound)
    findings.push_back(refusal(robot, kReaderRules[1].name, sound.error()));
}

// where no rule has found an error the reader may still: what it misses most often has rules of its own
void ask_whole_reader(const RobotFacts& robot, std::vector<Finding>& findings) {
  const auto read = robot.document->robot("", {.floating_base = true});  // a robot without a joint that moves passes
  if (!read) findings.insert(findings.begin(), refusal(robot, kReaderRules[0].name, read.error()));
}

void ask_robot(const RobotFacts& robot, std::vector<Finding>& findings) {
  for (const auto& rule : kRobotRules)
    if (const MaybeEvidence evidence = rule.test(robot))
      findings.push_back({rule.name, rule.severity, robot.document->root().attribute("name").value(),
                          robot.document->where(evidence->node), evidence->what, evidence->measure,
                          evidence->unit, evidence->remedy});
}

template <class Test>
std::string rules_text(const std::vector<RuleGroup<Test>>& groups) {
  std::string text;
  for (const RuleGroup<Test>& group : groups)
    for (const Rule<Test>& rule : group.rules) text += rule_line(rule.severity, rule.name, rule.meaning);
  return text;
}

}  // namespace

}  // namespace check

int CheckReport::count(Severity severity) const {
  return static_cast<int>(std::count_if(findings.begin(), findings.end(), [&](const Finding& finding) {
    return finding.severity == severity;
  }));
}

Result<CheckReport> check_robot(const RobotDocument& document, const CheckOptions& options) {
  HEFT_TRY(urdf, UrdfDocument::parse(document.path(), document.text()));
  const check::RobotFacts robot = check::gather_facts(std::move(urdf), options);
  CheckReport report;
  report.path = document.path();
  report.subject = fmt::format("robot '{}': {} links, {} joints, {:.4g} kg",
                               robot.document->root().attribute("name").value(), robot.links.size(),
                               robot.joints.size(), robot.total_mass);
  check::ask_reader(robot, report.findings);
  check::ask_robot(robot, report.findings);
  for (const check::LinkFacts& link : robot.links)
    check::ask(check::link_rules(), robot, link, report.findings);
  for (const check::JointFacts& joint : robot.joints)
    check::ask(check::joint_rules(), robot, joint, report.findings);
  if (report.count(Severity::error) == 0) check::ask_whole_reader(robot, report.findings);
  return report;
}

std::string format_check_rules() {
  std::string text = "robot files:\n";
  for (const auto& rule : check::kReaderRules)
    text += check::rule_line(Severity::error, rule.name, rule.meaning);
  for (const auto& rule : check::kRobotRules)
    text += check::rule_line(rule.severity, rule.name, rule.meaning);
  return text + check::rules_text(check::link_rules()) + check::rules_text(check::joint_rules()) +
         "\nlogs:\n" + check::log_rules_text();
}

}  // namespace heft
