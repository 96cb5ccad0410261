#include "log_findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "base/parallel_tasks.hpp"
#include "check/joint_orders.hpp"
#include "check/position_rules.hpp"
#include "check/possible_mistakes.hpp"
#include "check/sign_and_order_rules.hpp"
#include "evidence/joint_order.hpp"
#include "evidence/missing_model.hpp"
#include "evidence/mistaken_columns.hpp"
#include "evidence/motor_turns.hpp"
#include "evidence/torque_factor.hpp"
#include "readers/option_yaml.hpp"

namespace heft {

namespace {

constexpr int kMaxLogsAtOnce = 4;  ///< are looked through, each of up to 70 MB
constexpr double kPoorFit = 0.1,
                 kPoorChannel = 0.25;  ///< relative errors above which signs are tested

bool fits_poorly(const ChannelErrors& channel) {
  return channel.num_rows > 0 && !(channel.rms_error < kPoorChannel * channel.rms_torque);
}

/// Joints that contribute to a poor fit, worst first; empty for a good fit.
std::vector<int> poor_channels(const TorqueErrors& errors) {
  std::vector<int> poor;
  if (!fits_poorly(errors)) return poor;
  const auto relative = [&](int c) {
    const ChannelErrors& channel = errors.channels[static_cast<std::size_t>(c)];
    return channel.num_rows > 0 ? channel.rms_error / channel.rms_torque : 0;
  };
  for (int c = 0; c < static_cast<int>(errors.channels.size()); ++c)
    if (relative(c) > kPoorFit) poor.push_back(c);
  std::stable_sort(poor.begin(), poor.end(),
                   [&](int a, int b) { return relative(a) > relative(b); });
  return poor;
}

/// A torque too small for the masses of the file, possibly due to another column.
bool is_of_size(const Finding& finding) {
  return finding.name == "torque-below-gravity";
}

bool is_of_missing_model(const Finding& finding) {
  return finding.name == "torque-without-gravity" || finding.name == "torque-external";
}

/// Raw errors, and errors that identify mistaken columns.
bool has_errors(const std::vector<LogFindings>& logs) {
  return std::any_of(logs.begin(), logs.end(), [](const LogFindings& log) {
    return std::any_of(log.findings.begin(), log.findings.end(), [](const Finding& finding) {
      return finding.severity == Severity::error && !is_of_size(finding);
    });
  });
}

/// Whether it also explains torques too small for the masses of the file.
void add_to_logs(const Finding& finding, bool held_out_too, std::vector<LogFindings>& logs) {
  for (LogFindings& log : logs) {
    if (log.held_out && !held_out_too) continue;
    std::erase_if(log.findings, is_of_size);
    log.findings.push_back(finding);
    log.findings.back().where = log.log + ":1";
  }
}

/// A unit supported by limits and integers as well as torques: not turns.
bool is_evident_unit(const Finding& finding) {
  const std::vector<std::string> units = position_unit_rules();
  return !finding.fix.yaml.empty() && finding.name != "position-turns" &&
         std::find(units.begin(), units.end(), finding.name) != units.end();
}

}  // namespace

Result<Done> refuse_misread_positions(const std::vector<LogFindings>& logs,
                                      const LogFormat& format) {
  if (format.angle_unit.for_all != "auto") return Done{};
  for (const LogFindings& log : logs) {
    const auto found = std::find_if(log.findings.begin(), log.findings.end(), is_evident_unit);
    if (found != log.findings.end())
      return Error{
          log.log, found->subject + ": " + found->what + " (" + found->name + ")",
          found->remedy + "; or set log.angle_unit: rad, if they are in radians and meters"};
  }
  return Done{};
}

namespace {

/// Drops foreign rows, unless that leaves no rows.
const Finding* foreign_rows_in(const std::vector<LogFindings>& logs) {
  for (const LogFindings& log : logs)
    for (const Finding& finding : log.findings)
      if (finding.name == "rows-foreign") return &finding;
  return nullptr;
}

}  // namespace

Error with_misread_positions(const IdentifyRequest& request, const Error& error, int num_threads) {
  if (error.is_stop) return error;
  const auto logs = findings_of_logs(request, true, num_threads);
  if (!logs) return logs.error().is_stop ? logs.error() : error;
  if (const Finding* foreign = foreign_rows_in(*logs))
    return Error{foreign->where, foreign->what + " (rows-foreign); without them: " + error.what,
                 foreign->remedy};
  if (request.gathering.log.angle_unit.for_all != "auto") return error;
  const auto refused = refuse_misread_positions(*logs, request.gathering.log);
  return refused ? error : refused.error();
}

bool fits_poorly(const TorqueErrors& errors) {
  return !(errors.overall_relative < kPoorFit) ||
         std::any_of(errors.channels.begin(), errors.channels.end(),
                     [](const ChannelErrors& channel) { return fits_poorly(channel); });
}

Result<std::vector<LogFindings>> findings_of_logs(const IdentifyRequest& request, bool fits_poorly,
                                                  int num_threads) {
  std::vector<const Log*> logs;
  std::vector<LogFindings> all;
  for (const bool held_out : {false, true})
    for (const Log& log : held_out ? request.validation_logs : request.training_logs) {
      logs.push_back(&log);
      all.push_back({log.name(), held_out, {}});
    }
  const auto question = [&](std::int64_t index, int thread) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    HEFT_TRY(found, question_log(request.setup.model, *logs[at], request.gathering.log,
                                 request.gathering.conditioning, {.signs_and_order = fits_poorly},
                                 thread == 0 ? request.progress : Progress{}));
    all[at].findings = std::move(found);
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(std::ssize(logs), std::min(num_threads, kMaxLogsAtOnce),
                            request.progress, "checking the logs", question));
  return all;
}

Result<Done> tell_motors_from_degrees(const FaultTestInput& test_input,
                                      std::vector<LogFindings>& logs, int num_threads) {
  const IdentifyRequest& request = test_input.request();
  const Identification& result = test_input.result();
  if (logs.empty() || request.estimation.is_least_squares() || result.plan().whitened_from)
    return Done{};
  std::vector<Finding> in_degrees;  // or in turns of a motor whose gear the file's torques do not
                                    // tell
  for (const Finding& finding : logs.front().findings)
    if (finding.name == "position-in-degrees" ||
        (finding.name == "position-motor-side" && finding.fix.yaml.empty()))
      in_degrees.push_back(finding);
  if (in_degrees.size() != 1) return Done{};
  const Robot& robot = result.plan().robot;
  const auto joint =
      std::find_if(robot.coordinates.begin(), robot.coordinates.end(),
                   [&](const Coordinate& one) { return one.name == in_degrees.front().joint; });
  if (joint == robot.coordinates.end()) return Done{};
  const auto coordinate = static_cast<int>(joint - robot.coordinates.begin());
  const auto turns = motor_turns(test_input.input(), coordinate, num_threads, request.progress);
  if (!turns) return turns.error().is_stop ? Result<Done>(turns.error()) : Result<Done>(Done{});
  if (!*turns) return Done{};
  const double ratio = **turns;
  Fix fix{
      .yaml = option_yaml({"log", "position_scale", 1}, request.gathering.log.position_scale, robot,
                          [&](int k, double old) { return k == coordinate ? old / ratio : old; }),
      .undo = [coordinate, ratio](Samples& samples) {
        for (Eigen::ArrayXXd* array : {&samples.position, &samples.velocity, &samples.acceleration})
          array->col(coordinate) /= ratio;
      }};
  for (LogFindings& log : logs)
    for (Finding& finding : log.findings) {
      if (finding.joint != joint->name ||
          (finding.name != "position-in-degrees" && finding.name != "position-motor-side"))
        continue;
      finding.name = "position-motor-side";
      finding.what = fmt::format(
          "positions are far beyond the limits: they are probably motor "
          "positions, and the torques indicate a gear ratio of about {:.4g}",
          ratio);
      finding.measure = ratio;
      finding.unit = "1";
      finding.remedy = "add to the configuration, preferably with the exact gear ratio: " +
                       fix.yaml.substr(0, fix.yaml.find('\n'));
      finding.fix = fix;
    }
  return Done{};
}

namespace {

/// Describes a factor that no unit explains.
bool is_unconfirmed_unit(const Finding& finding) {
  return finding.name == "torque-unit" && finding.fix.yaml.empty();
}

/// Joint and factor of the findings in any log, without duplicates.
std::map<std::string, double> unconfirmed_units(const std::vector<LogFindings>& logs) {
  std::map<std::string, double> factors;
  for (const LogFindings& log : logs)
    for (const Finding& finding : log.findings)
      if (is_unconfirmed_unit(finding)) factors.emplace(finding.joint, finding.measure);
  return factors;
}

/// `found`: the factor in the result, if any.
void settle_unit(const std::string& joint, const std::optional<Hypothesis>& found,
                 std::vector<LogFindings>& logs) {
  constexpr double kAnotherUnit = 3;
  const bool is_confirmed = found && 1 / found->value > kAnotherUnit;
  for (LogFindings& log : logs) {
    if (!is_confirmed)
      std::erase_if(log.findings, [&](const Finding& finding) {
        return is_unconfirmed_unit(finding) && finding.joint == joint;
      });
    for (Finding& finding : log.findings)
      if (is_confirmed && is_unconfirmed_unit(finding) && finding.joint == joint &&
          !found->yaml.empty())
        finding.remedy =
            "add to the configuration: " + found->yaml.substr(0, found->yaml.find('\n'));
  }
}

}  // namespace

Result<Done> confirm_torque_units(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                                  int num_threads) {
  const Identification& result = test_input.result();
  if (test_input.request().estimation.is_least_squares() || result.plan().whitened_from)
    return Done{};
  const std::map<std::string, double> factors = unconfirmed_units(logs);
  if (2 * std::ssize(factors) > result.plan().robot.num_coordinates()) return Done{};
  for (const auto& [joint, factor] : factors) {
    const auto found = torque_factor_near(test_input.input(), joint, factor, num_threads,
                                          test_input.request().progress);
    if (!found && found.error().is_stop) return found.error();
    if (found) settle_unit(joint, *found, logs);
  }
  return Done{};
}

Result<Done> add_missing_model(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                               int num_threads) {
  // findings based on the robot's file alone are confirmed here or dropped
  std::size_t num_suspected = 0;
  for (LogFindings& log : logs) num_suspected += std::erase_if(log.findings, is_of_missing_model);
  if (test_input.request().estimation.is_least_squares() ||
      (num_suspected == 0 && has_errors(logs)))
    return Done{};
  const auto found = missing_model(test_input.input(), num_threads, test_input.request().progress);
  if (!found) return found.error().is_stop ? Result<Done>(found.error()) : Result<Done>(Done{});
  if (!*found) return Done{};
  add_to_logs((*found)->finding, (*found)->held_out_too, logs);
  return Done{};
}

Result<Done> add_mistaken_columns(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                                  int num_threads) {
  const IdentifyRequest& request = test_input.request();
  const Identification& result = test_input.result();
  constexpr std::size_t kMaxChannels = 8;  // pairs of them grow with the square of their number
  std::vector<int> poor = poor_channels(result.answer().training);
  if (poor.empty() || request.training_logs.empty() || has_errors(logs) ||
      request.estimation.is_least_squares() || result.plan().whitened_from)
    return Done{};
  poor.resize(std::min(poor.size(), kMaxChannels));
  HEFT_TRY(possible,
           possible_mistakes(request.setup.model, request.training_logs.front(),
                             request.gathering.log, request.gathering.conditioning, poor));
  const auto found = mistaken_columns(test_input.input(), possible, num_threads, request.progress);
  if (!found) return found.error().is_stop ? Result<Done>(found.error()) : Result<Done>(Done{});
  if (!*found) return Done{};
  add_to_logs((*found)->finding, (*found)->held_out_too, logs);
  return Done{};
}

Result<Done> add_permuted_joints(const FaultTestInput& test_input, std::vector<LogFindings>& logs,
                                 int num_threads) {
  const IdentifyRequest& request = test_input.request();
  if (request.training_logs.empty() || has_errors(logs) || request.estimation.is_least_squares() ||
      test_input.result().plan().whitened_from)
    return Done{};
  const auto order = likely_order(test_input.input(), num_threads, request.progress);
  if (!order) return order.error().is_stop ? Result<Done>(order.error()) : Result<Done>(Done{});
  if (!*order) return Done{};
  HEFT_TRY(finding,
           permuted_joints(request.setup.model, request.training_logs.front(),
                           request.gathering.log, request.gathering.conditioning, **order));
  const auto found = mistaken_columns(test_input.input(), {finding}, num_threads, request.progress);
  if (!found) return found.error().is_stop ? Result<Done>(found.error()) : Result<Done>(Done{});
  if (*found) add_to_logs((*found)->finding, (*found)->held_out_too, logs);
  return Done{};
}

void retract_unconfirmed(const std::vector<Finding>& fixable,
                         const std::vector<Hypothesis>& confirmed, std::vector<LogFindings>& logs) {
  for (const Finding& finding : fixable) {
    const auto is_same = [&](const Hypothesis& hypothesis) {
      return hypothesis.id == finding.name && hypothesis.subject == finding.subject;
    };
    if (!is_told_by_file(finding.name) || std::any_of(confirmed.begin(), confirmed.end(), is_same))
      continue;
    for (LogFindings& log : logs)
      std::erase_if(log.findings, [&](const Finding& other) {
        return other.name == finding.name && other.subject == finding.subject;
      });
  }
}

std::vector<Finding> fixable(const std::vector<LogFindings>& logs) {
  std::vector<Finding> all;
  const auto first =
      std::find_if(logs.begin(), logs.end(), [](const LogFindings& log) { return !log.held_out; });
  if (first == logs.end()) return all;
  for (const Finding& finding : first->findings) {
    const auto is_same = [&](const Finding& other) {
      return other.name == finding.name && other.subject == finding.subject;
    };
    const auto has_it = [&](const LogFindings& log) {
      return log.held_out || std::any_of(log.findings.begin(), log.findings.end(), is_same);
    };
    if (finding.severity == Severity::error && !finding.fix.yaml.empty() &&
        std::all_of(logs.begin(), logs.end(), has_it))
      all.push_back(finding);
  }
  return all;
}

}  // namespace heft
