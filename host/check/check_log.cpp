// check_log: the rules for logs.
#include <fmt/format.h>

#include "heft/robot/robot_document.hpp"
#include "log_facts.hpp"
#include "rule_table.hpp"

namespace heft {

namespace check {

namespace {

class LogCheck {
  auto add_for(const std::string& subject) {
    return [this, &subject](const auto& rule, const LogEvidence& evidence) {
      findings_.push_back({rule.name, rule.severity, subject, fmt::format("{}:{}", path_, evidence.line),
                           evidence.what, evidence.measure, evidence.unit, evidence.remedy});
    };
  }

 public:
  LogCheck(const LogFacts& log, const std::string& path, std::vector<Finding>& findings)
      : log_(log), path_(path), findings_(findings) {}

  void ask_clock() { ask(rule_table().clock, add_for(log_.options.log.time), log_); }

  void ask_columns() {
    for (int value = 0; value < log_.raw.columns.num_values(); ++value)
      ask(rule_table().column, add_for(log_.raw.name(value)), log_, value);
  }

  void ask_joints() {
    const RuleTable& table = rule_table();
    const LogColumns& columns = log_.raw.columns;
    for (const JointLog& joint : log_.joints) {
      const std::string& position = log_.raw.name(columns.first_position + joint.joint);
      ask(table.position, add_for(position), log_, joint);
      ask(table.velocity,
          add_for(log_.raw.has_velocity ? log_.raw.name(columns.first_velocity + joint.joint) : position),
          log_, joint);
      ask(table.torque, add_for(torque_name(joint)), log_, joint);
    }
  }

  /// Joints whose positions were found to be degrees.
  std::vector<int> joints_in_degrees() const {
    std::vector<int> joints;
    for (const JointLog& joint : log_.joints)
      if (position_in_degrees(log_, joint)) joints.push_back(joint.joint);
    return joints;
  }

 private:
  const std::string& torque_name(const JointLog& joint) const {
    const int value = log_.raw.columns.torque[static_cast<std::size_t>(joint.channel)];
    return value < 0 ? log_.channels[static_cast<std::size_t>(joint.channel)].name : log_.raw.name(value);
  }

  const LogFacts& log_;
  const std::string& path_;
  std::vector<Finding>& findings_;
};

// every coordinate with its channel; whether it moves decides what can be asked of it
void find_joints(LogFacts& log) {
  for (std::size_t c = 0; c < log.channels.size(); ++c) {
    const int coordinate = log.channels[c].coordinate;
    if (coordinate < 0) continue;
    JointLog joint{coordinate, static_cast<int>(c), true};
    joint.moves = !joint_still(log, joint);
    log.joints.push_back(joint);
  }
}

}  // namespace

}  // namespace check

Result<CheckReport> check_log(const std::string& robot_path, const std::string& log_path,
                              const CheckLogOptions& options, const Progress& progress) {
  check::LogFacts log;
  HEFT_TRY(robot, read_robot(robot_path, options.robot));
  log.robot = std::move(robot);
  HEFT_TRY(channels, model_channels(log.robot, options.model));
  log.channels = std::move(channels);
  log.options = options;
  HEFT_TRY(raw,
           check::read_raw_log(log_path, log.robot, log.channels, options, check::kMaxNumbers, progress));
  log.raw = std::move(raw);
  check::find_joints(log);

  CheckReport report;
  report.path = log_path;
  report.subject = fmt::format("log of robot '{}': {} rows, {:.4g} s, {:.4g} Hz, {} joints", log.robot.name,
                               log.raw.num_rows(), log.raw.time.maxCoeff() - log.raw.time.minCoeff(),
                               log.raw.median_step > 0 ? 1 / log.raw.median_step : 0.0, log.joints.size());
  check::LogCheck checks(log, log_path, report.findings);
  checks.ask_clock();
  checks.ask_columns();
  checks.ask_joints();
  if (log.robot.floating_base) return report;  // its torques turn on the base's motion
  const auto torques = check::check_torques(log, log_path, checks.joints_in_degrees(), progress);
  if (!torques) {
    const Error& error = torques.error();
    if (error.is_stop || error.where.starts_with(log_path)) return error;
    return Error{log_path, "its torques cannot be judged: " + error.what,
                 "look for values that are far too large or too small"};
  }
  report.findings.insert(report.findings.end(), torques->begin(), torques->end());
  return report;
}

}  // namespace heft
