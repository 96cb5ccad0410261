// The rules for logs, in the order in which they are asked.
#include <fmt/format.h>

#include <algorithm>

#include "heft/robot_document.hpp"
#include "host/check/log_facts.hpp"
#include "host/check/rules.hpp"

namespace heft {

namespace check {

namespace {

constexpr Severity kError = Severity::error, kWarning = Severity::warning, kNote = Severity::note;

struct ClockRule {
  const char* name;
  Severity severity;
  MaybeLogEvidence (*test)(const LogFacts&);
  const char* meaning;
};

constexpr ClockRule kClockRules[] = {
    {"time-missing", kError, time_missing, "a row without a time"},
    {"time-backwards", kError, time_backwards, "time goes backwards"},
    {"time-in-milliseconds", kError, time_in_milliseconds, "steps of more than half a second"},
    {"time-repeated", kWarning, time_repeated, "rows of the same time"},
    {"time-gap", kWarning, time_gap, "a pause of more than ten periods"},
    {"time-jitter", kWarning, time_jitter, "steps that are no multiple of the period"},
    {"rate-low", kWarning, rate_low, "fewer than 50 samples a second"},
    {"log-short", kWarning, log_short, "less than 3 s"},
    {"log-cut", kNote, log_cut, "so long that its end is not examined row by row"}};

struct ColumnRule {
  const char* name;
  Severity severity;
  MaybeLogEvidence (*test)(const LogFacts&, int value);
  const char* meaning;
};

constexpr ColumnRule kColumnRules[] = {
    {"value-missing", kWarning, value_missing, "rows without a number"},
    {"signal-spikes", kWarning, signal_spikes, "single samples far off"},
    {"signal-stuck", kError, signal_stuck, "the same number over a stretch, then a jump"}};

struct JointRule {
  const char* name;
  Severity severity;
  MaybeLogEvidence (*test)(const LogFacts&, const JointLog&);
  enum Column { position, velocity, torque } column;
  const char* meaning;
};

/// Rules that explain one another: the first that holds is reported.
const std::vector<std::vector<JointRule>>& joint_rules() {
  static const std::vector<std::vector<JointRule>> kGroups = {
      {{"position-in-degrees", kError, position_in_degrees, JointRule::position, "angles of many turns"},
       {"joint-still", kWarning, joint_still, JointRule::position, "a joint that hardly moves"},
       {"position-beyond-limits", kWarning, position_beyond_limits, JointRule::position,
        "outside the limits of the URDF"}},
      {{"position-quantised", kWarning, position_quantised, JointRule::position,
        "coarse steps of an encoder"}},
      {{"velocity-reversed", kError, velocity_reversed, JointRule::velocity,
        "minus the position's derivative"},
       {"velocity-in-degrees", kError, velocity_in_degrees, JointRule::velocity, "57.3 times the derivative"},
       {"velocity-of-other-joint", kError, velocity_of_other_joint, JointRule::velocity,
        "the derivative of another joint's position"},
       {"velocity-mismatch", kWarning, velocity_mismatch, JointRule::velocity,
        "not the derivative of the position"}},
      {{"torque-dead", kWarning, torque_dead, JointRule::torque, "the same torque in every row"},
       {"torque-saturated", kWarning, torque_saturated, JointRule::torque, "clipped at the largest torque"}}};
  return kGroups;
}

// found together, in check_torques: one hypothesis may explain what another seems to show
constexpr struct {
  const char* name;
  Severity severity;
  const char* meaning;
} kTorqueRules[] = {
    {"torque-reversed", kError, "minus the torque that the URDF asks for"},
    {"position-reversed", kError, "the joint counts against the URDF's axis"},
    {"joint-reversed", kError, "position and torque count against the URDF's axis"},
    {"torques-swapped", kError, "two torque columns exchanged"},
    {"positions-swapped", kError, "two position columns exchanged"},
    {"joints-swapped", kError, "all columns of two joints exchanged"},
    {"torque-motor-side", kError, "a small fraction of the torque: before the gear, or a current"},
    {"torque-unit", kError, "many times the torque: another unit"},
    {"torque-delay", kError, "torque and position belong to different times"},
    {"torque-offset", kWarning, "a constant torque"},
    {"not-excited", kWarning, "base parameters that the motion cannot tell"},
    {"torque-not-tested", kNote, "the log cannot be conditioned"}};

class LogCheck {
 public:
  LogCheck(const LogFacts& log, const std::string& path, std::vector<Finding>& findings)
      : log_(log), path_(path), findings_(findings) {}

  void ask_clock() {
    for (const ClockRule& rule : kClockRules)
      add(rule.name, rule.severity, log_.configuration.log.time, rule.test(log_));
  }

  void ask_columns() {
    for (int value = 0; value < log_.raw.columns.num_values(); ++value)
      for (const ColumnRule& rule : kColumnRules)
        add(rule.name, rule.severity, log_.raw.name(value), rule.test(log_, value));
  }

  void ask_joints() {
    for (const JointLog& joint : log_.joints)
      for (const auto& group : joint_rules())
        for (const JointRule& rule : group)
          if (add(rule.name, rule.severity, column_name(joint, rule.column), rule.test(log_, joint))) break;
  }

  /// Joints whose positions were found to be degrees.
  std::vector<int> joints_in_degrees() const {
    std::vector<int> joints;
    for (const JointLog& joint : log_.joints)
      if (position_in_degrees(log_, joint)) joints.push_back(joint.joint);
    return joints;
  }

 private:
  bool add(const char* name, Severity severity, const std::string& subject,
           const MaybeLogEvidence& evidence) {
    if (!evidence) return false;
    findings_.push_back({name, severity, subject, fmt::format("{}:{}", path_, evidence->line), evidence->what,
                         evidence->measure, evidence->unit, evidence->remedy});
    return true;
  }

  std::string column_name(const JointLog& joint, JointRule::Column column) const {
    const LogColumns& columns = log_.raw.columns;
    if (column == JointRule::torque) {
      const int value = columns.torque[static_cast<std::size_t>(joint.channel)];
      return value < 0 ? log_.channels[static_cast<std::size_t>(joint.channel)].name : log_.raw.name(value);
    }
    const bool velocity = column == JointRule::velocity && log_.raw.has_velocity;
    return log_.raw.name((velocity ? columns.first_velocity : columns.first_position) + joint.joint);
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

std::string log_rules_text() {
  std::string text;
  for (const ClockRule& rule : kClockRules) text += rule_line(rule.severity, rule.name, rule.meaning);
  for (const ColumnRule& rule : kColumnRules) text += rule_line(rule.severity, rule.name, rule.meaning);
  for (const auto& group : joint_rules())
    for (const JointRule& rule : group) text += rule_line(rule.severity, rule.name, rule.meaning);
  for (const auto& rule : kTorqueRules) text += rule_line(rule.severity, rule.name, rule.meaning);
  return text;
}

}  // namespace check

Result<CheckReport> check_log(const std::string& robot_path, const std::string& log_path,
                              const Configuration& configuration) {
  check::LogFacts log;
  HEFT_TRY(robot, read_robot(robot_path, configuration.robot));
  log.robot = std::move(robot);
  log.channels = default_channels(log.robot);
  log.configuration = configuration;
  HEFT_TRY(raw, check::read_raw_log(log_path, log.robot, log.channels, configuration));
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
  const auto torques = check::check_torques(log, log_path, checks.joints_in_degrees());
  if (!torques) {
    const Error& error = torques.error();
    if (error.where.starts_with(log_path)) return error;
    return Error{log_path, "its torques cannot be judged: " + error.what,
                 "look for values that are far too large or too small"};
  }
  report.findings.insert(report.findings.end(), torques->begin(), torques->end());
  return report;
}

}  // namespace heft
