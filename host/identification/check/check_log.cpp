// check_log: runs the rules for logs.
#include "check/check_recording.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "check/velocity_scale.hpp"
#include "conditioning/read_again.hpp"
#include "files/yaml_text.hpp"
#include "heft/robot/robot_document.hpp"
#include "log_facts.hpp"
#include "merged_options.hpp"
#include "model/least_travel.hpp"
#include "model/units.hpp"
#include "readers/pause.hpp"
#include "rule_table.hpp"
#include "setup/match_clocks.hpp"

namespace heft {

namespace check {

namespace {

class LogCheck {
  auto add_for(const std::string& subject, const std::string& joint = "") {
    return [this, &subject, joint](const auto& rule, const LogEvidence& evidence) {
      findings_.push_back({rule.name, rule.severity, subject,
                           fmt::format("{}:{}", path_, evidence.line), evidence.what,
                           evidence.measure, evidence.unit, remedy_of(evidence), joint,
                           evidence.rows_share, evidence.from_s, evidence.to_s, evidence.fix});
    };
  }

  std::string remedy_of(const LogEvidence& evidence) const {
    if (!evidence.is_excludable) return evidence.remedy;
    return fmt::format(
        "{}; exclude the stretch: log: {{exclude: [{}]}}", evidence.remedy,
        yaml_quoted(fmt::format("{:.1f} to {:.1f} of {}", evidence.from_s, evidence.to_s,
                                std::filesystem::path(path_).filename().string())));
  }

 public:
  LogCheck(const LogFacts& log, const std::string& path, std::vector<Finding>& findings)
      : log_(log), path_(path), findings_(findings) {}

  void ask_all() {
    ask_clock();
    ask_columns();
    ask_joints();
    merge_degrees();
    merge_still();
  }

  /// Findings of joints whose positions are not in radians.
  std::vector<PositionUnit> units_of_positions() const {
    std::vector<PositionUnit> units;
    for (const JointLog& joint : log_.joints)
      if (const auto& turns = log_.motor_turns[static_cast<std::size_t>(joint.joint)]; turns)
        units.push_back({joint.joint, std::isfinite(*turns) ? 1 / *turns : 1.0});
      else if (!has_reading(joint) && position_in_degrees(log_, joint))
        units.push_back({joint.joint, kDegree});
    return units;
  }

 private:
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
      const std::string& name = log_.coordinate(joint).name;
      if (!has_reading(joint)) ask(table.position, add_for(position, name), log_, joint);
      ask(table.velocity,
          add_for(log_.raw.has_velocity ? log_.raw.name(columns.first_velocity + joint.joint)
                                        : position,
                  name),
          log_, joint);
      if (columns.first_acceleration >= 0)
        ask(table.acceleration,
            add_for(log_.raw.name(columns.first_acceleration + joint.joint), name), log_, joint);
      ask(table.torque, add_for(torque_name(joint), name), log_, joint);
    }
  }

  /// Degrees apply to a whole log: one finding with one option for all affected joints.
  void merge_degrees() {
    const auto is_of_degrees = [](const Finding& finding) {
      return finding.name == "position-in-degrees" && !finding.joint.empty();
    };
    const auto first = std::find_if(findings_.begin(), findings_.end(), is_of_degrees);
    const auto count = std::count_if(findings_.begin(), findings_.end(), is_of_degrees);
    if (count < 2) return;
    Finding all = *first;
    std::vector<std::string> joints, subjects;
    std::vector<std::function<void(Samples&)>> undo;
    for (const Finding& finding : findings_) {
      if (!is_of_degrees(finding)) continue;
      joints.push_back(yaml_quoted(finding.joint) + ": deg");
      subjects.push_back(finding.subject);
      undo.push_back(finding.fix.undo);
      all.measure = std::max(all.measure, finding.measure);
    }
    const bool is_of_all = count == std::ssize(log_.joints);
    all.joint.clear();
    all.subject = fmt::format("{}", fmt::join(subjects, ", "));
    all.what = fmt::format("positions up to {:.4g} rad in {} joints: they are in degrees",
                           all.measure, count);
    all.fix.yaml = is_of_all
                       ? std::string("log: {angle_unit: deg}\n")
                       : fmt::format("log: {{angle_unit: {{{}}}}}\n", fmt::join(joints, ", "));
    all.fix.undo = [undo](Samples& samples) {
      for (const auto& of_joint : undo) of_joint(samples);
    };
    all.remedy = "add to the configuration: " + all.fix.yaml.substr(0, all.fix.yaml.find('\n'));
    const auto at = first - findings_.begin();
    std::erase_if(findings_, is_of_degrees);
    findings_.insert(findings_.begin() + at, std::move(all));
  }

  /// If no joint moves, the result is the prior: one error for all joints.
  void merge_still() {
    constexpr double kNoMotion = 0.1;  // of the width below which a joint hardly moves
    const auto is_still = [](const Finding& finding) { return finding.name == "joint-still"; };
    double widest = 0;
    for (const JointLog& joint : log_.joints) {
      const MaybeLogEvidence still = joint_still(log_, joint);
      if (has_reading(joint) || !still) return;
      widest = std::max(widest, still->measure / least_travel(log_.coordinate(joint)));
    }
    const auto first = std::find_if(findings_.begin(), findings_.end(), is_still);
    if (first == findings_.end() || widest >= kNoMotion) return;
    const auto most = std::max_element(
        findings_.begin(), findings_.end(), [&](const Finding& a, const Finding& b) {
          return is_still(b) && (!is_still(a) || a.measure < b.measure);
        });
    Finding all = *most;
    all.severity = Severity::error;
    all.joint.clear();
    all.subject = "all positions";
    all.what = fmt::format("no joint moves by more than {:.2g} {} in the whole log", all.measure,
                           all.unit);
    all.remedy =
        "record a motion of all joints; if they moved, fix the unit of the positions "
        "(log.position_scale, log.device)";
    const auto at = first - findings_.begin();
    std::erase_if(findings_, is_still);
    findings_.insert(findings_.begin() + at, std::move(all));
  }

  /// A wrong unit explains other findings: encoder steps, positions beyond the limits.
  bool has_reading(const JointLog& joint) const {
    return log_.readings[static_cast<std::size_t>(joint.joint)].has_value();
  }

  const std::string& torque_name(const JointLog& joint) const {
    const int value = log_.raw.columns.torque[static_cast<std::size_t>(joint.channel)];
    return value < 0 ? log_.channels[static_cast<std::size_t>(joint.channel)].name
                     : log_.raw.name(value);
  }

  const LogFacts& log_;
  const std::string& path_;
  std::vector<Finding>& findings_;
};

// check all other rules without foreign rows
void take(RawLog raw, LogFacts& log) {
  if (raw.foreign.count > 0) log.options.log.drop_damaged = true;
  log.raw = std::move(raw);
}

/// Rows per time excluding pauses [Hz].
double rate_of(const RawLog& raw) {
  double duration = 0, num_steps = 0;
  for (Eigen::Index k = 1; k < raw.num_rows(); ++k)
    if (const double step = raw.time[k] - raw.time[k - 1];
        step >= 0 && step <= kPauseInSteps * raw.median_step) {
      duration += step;
      ++num_steps;
    }
  return duration > 0 ? num_steps / duration : 0;
}

// every coordinate with its channel and its kind of positions; only moving ones can be checked
// further
Result<Done> find_joints(LogFacts& log, const Log& file, bool by_torque_alone,
                         const Progress& progress) {
  take_turns_out(log);
  for (std::size_t c = 0; c < log.channels.size(); ++c) {
    const int coordinate = log.channels[c].coordinate;
    if (coordinate < 0) continue;
    JointLog joint{coordinate, static_cast<int>(c), true};
    joint.moves = !joint_still(log, joint);
    log.joints.push_back(joint);
  }
  HEFT_CHECK(find_position_readings(log, file, by_torque_alone, progress));
  for (JointLog& joint : log.joints)
    if (log.readings[static_cast<std::size_t>(joint.joint)]) joint.moves = !joint_still(log, joint);
  return find_motor_turns(log, file, progress);
}

}  // namespace

}  // namespace check

namespace {

/// Skips the torque rules if the unit of the motion is unknown.
bool is_motion_unknown(const check::LogFacts& log) {
  return std::any_of(log.readings.begin(), log.readings.end(),
                     [](const auto& found) { return found && !found->is_measured; });
}

/// Applies the torque rules; for a floating base, those of its wrenches and IMU.
Result<std::vector<Finding>> findings_about_torques(const check::LogFacts& log, const Log& file,
                                                    const std::vector<check::PositionUnit>& units,
                                                    bool fits, const Progress& progress) {
  if (is_motion_unknown(log)) return std::vector<Finding>{};
  auto torques = check::check_torques(log, file, units, fits, progress);
  if (torques) return torques;
  const Error& error = torques.error();
  if (error.is_stop || error.where.starts_with(file.name())) return error;
  return Error{file.name(), "its torques cannot be checked: " + error.what,
               "look for values that are far too large or too small"};
}

/// A wrong unit explains a torque far beyond the effort limit. A factor without an option is a
/// suspicion that a fit may dismiss.
bool explains(const Finding& unit, const Finding& other) {
  return unit.name == "torque-unit" && !unit.fix.yaml.empty() &&
         other.name == "torque-beyond-effort" &&
         (unit.subject == "all torques" ||
          (", " + unit.subject + ", ").find(", " + other.subject + ", ") != std::string::npos);
}

void add_torque_findings(const std::vector<Finding>& torques, std::vector<Finding>& findings) {
  for (const Finding& torque : torques)
    std::erase_if(findings, [&](const Finding& other) { return explains(torque, other); });
  findings.insert(findings.end(), torques.begin(), torques.end());
}

}  // namespace

Result<CheckReport> check_log(const std::string& robot_path, const std::string& log_path,
                              const CheckLogOptions& options, const Progress& progress) {
  HEFT_CHECK(can_be_read_again(log_path));
  HEFT_TRY(robot, read_robot(robot_path, options.robot));
  return check_recording(std::move(robot), Log(log_path), options, progress);
}

Result<CheckReport> check_recording(Robot robot, const Log& given, const CheckLogOptions& options,
                                    const Progress& progress) {
  check::LogFacts log;
  HEFT_CHECK(can_be_read_again(given));
  log.robot = std::move(robot);
  HEFT_TRY(channels, model_channels(log.robot, options.model));
  log.channels = std::move(channels);
  HEFT_TRY(matched,
           match_clocks({given}, log.robot, log.channels, options.log, options.conditioning));
  const Log& file = matched.logs.front();
  log.options = options;
  log.options.conditioning.chooses_lowpass = false;  // the default says enough of columns and
                                                     // clocks
  HEFT_TRY(raw, check::read_raw_log(file, log.robot, log.channels, options, check::kMaxNumbers,
                                    progress));
  check::take(std::move(raw), log);
  HEFT_CHECK(check::find_joints(log, file, true, progress));

  CheckReport report;
  report.path = file.name();
  report.findings = check::readings_found(log, options.log, file.name());
  report.subject =
      fmt::format("log of robot '{}': {} rows, {:.4g} s, {:.4g} Hz, {} joints", log.robot.name,
                  log.raw.num_rows(), log.raw.time.maxCoeff() - log.raw.time.minCoeff(),
                  check::rate_of(log.raw), log.joints.size());
  check::LogCheck checks(log, report.path, report.findings);
  checks.ask_all();
  HEFT_TRY(torques, findings_about_torques(log, file, checks.units_of_positions(), true, progress));
  // an existing error explains it
  for (Finding& finding : torques)
    if (finding.name == "torque-not-tested" && report.count(Severity::error) > 0)
      finding.severity = Severity::note;
  add_torque_findings(torques, report.findings);
  report.yaml = check::merged_options(report.findings, log.robot, options.log).value_or("");
  return report;
}

Result<std::vector<Finding>> question_log(const Model& model, const Log& file,
                                          const LogFormat& format,
                                          const ConditioningOptions& conditioning,
                                          const LogQuestions& questions, const Progress& progress) {
  check::LogFacts log{.robot = model.plan->robot,
                      .channels = model.plan->channels,
                      .options = {.log = format, .conditioning = conditioning},
                      .model = model};
  HEFT_TRY(raw, check::read_raw_log(file, log.robot, log.channels, log.options,
                                    questions.max_numbers, progress));
  check::take(std::move(raw), log);
  HEFT_CHECK(check::find_joints(log, file, questions.signs_and_order, progress));
  std::vector<Finding> findings = check::readings_found(log, format, file.name());
  check::LogCheck checks(log, file.name(), findings);
  checks.ask_all();
  if (!questions.signs_and_order) return findings;
  HEFT_TRY(torques,
           findings_about_torques(log, file, checks.units_of_positions(), false, progress));
  add_torque_findings(torques, findings);
  return findings;
}

Result<std::optional<double>> logged_velocity_scale(const Model& model, const Log& file,
                                                    const LogFormat& format,
                                                    const ConditioningOptions& conditioning) {
  check::LogFacts log{.robot = model.plan->robot,
                      .channels = model.plan->channels,
                      .options = {.log = format, .conditioning = conditioning},
                      .model = model};
  HEFT_TRY(raw, check::read_raw_log(file, log.robot, log.channels, log.options,
                                    LogQuestions{}.max_numbers));
  check::take(std::move(raw), log);
  HEFT_CHECK(check::find_joints(log, file, false, {}));
  return check::velocity_scale(log);
}

}  // namespace heft
