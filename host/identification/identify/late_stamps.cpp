#include "late_stamps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "heft/identify/selection.hpp"

namespace heft {

namespace {

/// A lower cutoff removes signal with the noise: its error must be below this share of that with
/// even times.
constexpr double kClearlyLess = 0.9;

const Finding* finding_in(const LogFindings& log, const char* name) {
  const auto found = std::find_if(log.findings.begin(), log.findings.end(),
                                  [&](const Finding& finding) { return finding.name == name; });
  return found == log.findings.end() ? nullptr : &*found;
}

/// The largest shift, if all training logs have one.
const Finding* late_stamps_of_training_logs(const std::vector<LogFindings>& logs) {
  const Finding* largest = nullptr;
  for (const LogFindings& log : logs) {
    if (log.held_out) continue;
    const Finding* const found = finding_in(log, "stamps-late");
    if (!found) return nullptr;
    if (!largest || found->measure > largest->measure) largest = found;
  }
  return largest;
}

bool have_unused_velocities(const std::vector<LogFindings>& logs) {
  return std::all_of(logs.begin(), logs.end(), [](const LogFindings& log) {
    return finding_in(log, "velocity-not-used") != nullptr;
  });
}

struct Remedy {
  std::string yaml;
  GatherOptions gathering;
  bool keeps_cutoff = false;
  double training = 0;  ///< relative error, once it was tried
  std::optional<double> held_out = {};

  double error() const { return held_out.value_or(training); }
};

/// Identifies with the remedy and sets its errors; false if that fails. Error: stopped().
Result<bool> try_remedy(const IdentifyRequest& request, Remedy& remedy) {
  IdentifyRequest changed = request;
  changed.gathering = remedy.gathering;
  changed.gathers_evidence = changed.gathers_traces = false;
  changed.estimation.uncertainty.bootstrap = 0;
  const auto result = identify(changed);
  if (!result) return result.error().is_stop ? Result<bool>(result.error()) : Result<bool>(false);
  const Estimate& answer = result->answer();
  remedy.training = answer.training.overall_relative;
  if (answer.validation) remedy.held_out = answer.validation->overall_relative;
  return true;
}

/// The options with the cutoff chosen on the training logs; empty if it equals the current one or
/// none fits.
Result<std::optional<Remedy>> with_chosen_cutoff(const IdentifyRequest& request,
                                                 const GatherOptions& options) {
  IdentifyRequest changed = request;
  changed.gathering = options;
  const auto choice = choose_cutoff(changed);
  if (!choice && choice.error().is_stop) return choice.error();
  if (!choice) return std::optional<Remedy>();
  Remedy remedy{.yaml = fmt::format("lowpass_hz: {:g}", choice->cutoff_hz), .gathering = options};
  ConditioningOptions& conditioning = remedy.gathering.conditioning;
  const ConditioningOptions& now = request.gathering.conditioning;
  conditioning.torque_lowpass_hz *= choice->cutoff_hz / conditioning.lowpass_hz;
  conditioning.lowpass_hz = choice->cutoff_hz;
  if (conditioning.lowpass_hz == now.lowpass_hz && conditioning.velocity == now.velocity)
    return std::optional<Remedy>();
  if (conditioning.torque_lowpass_hz > 0)
    remedy.yaml += fmt::format(", torque_lowpass_hz: {:.6g}", conditioning.torque_lowpass_hz);
  if (conditioning.velocity != now.velocity) remedy.yaml += ", velocity: logged";
  remedy.yaml = "conditioning: {" + remedy.yaml + "}\n";
  return std::optional<Remedy>(std::move(remedy));
}

Result<std::vector<Remedy>> possible_remedies(const IdentifyRequest& request,
                                              const std::vector<LogFindings>& logs) {
  const GatherOptions& now = request.gathering;
  std::vector<Remedy> list;
  GatherOptions even = now;
  even.log.retime = Retiming::automatic;
  list.push_back({.yaml = "log: {retime: auto}\n", .gathering = even, .keeps_cutoff = true});
  if (now.conditioning.filter != FilterKind::butterworth) return list;
  HEFT_TRY(smoothed, with_chosen_cutoff(request, now));
  if (smoothed) list.push_back(std::move(*smoothed));
  if (now.conditioning.velocity == VelocitySource::from_position && have_unused_velocities(logs)) {
    GatherOptions logged = now;
    logged.conditioning.velocity = VelocitySource::logged;
    HEFT_TRY(by_velocity, with_chosen_cutoff(request, logged));
    if (by_velocity) list.push_back(std::move(*by_velocity));
  }
  return list;
}

Hypothesis hypothesis_of_stamps(const Finding& finding, const Estimate& before,
                                const Remedy& remedy) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Hypothesis hypothesis{.id = "stamps-late",
                        .joint = {},
                        .subject = "the times of the rows",
                        .value = finding.measure,
                        .unit = "s",
                        .lower = kUnknown,
                        .upper = kUnknown,
                        .gain_training = kUnknown,
                        .torque_change = kUnknown,
                        .training_before = before.training.overall_relative,
                        .training_after = remedy.training,
                        .held_out_after = remedy.held_out,
                        .yaml = remedy.yaml};
  if (before.validation) hypothesis.held_out_before = before.validation->overall_relative;
  return hypothesis;
}

}  // namespace

Result<std::optional<Hypothesis>> remedy_of_late_stamps(const IdentifyRequest& request,
                                                        const Identification& result,
                                                        const std::vector<LogFindings>& logs) {
  const Finding* const finding = late_stamps_of_training_logs(logs);
  if (!finding || request.estimation.is_least_squares()) return std::optional<Hypothesis>();
  HEFT_TRY(remedies, possible_remedies(request, logs));
  const Remedy* best = nullptr;
  for (Remedy& remedy : remedies) {
    HEFT_TRY(is_tried, try_remedy(request, remedy));
    if (!is_tried || !std::isfinite(remedy.error())) continue;
    if (!best || remedy.error() < (best->keeps_cutoff ? kClearlyLess : 1) * best->error())
      best = &remedy;
  }
  const Estimate& answer = result.answer();
  const double before = (answer.validation ? *answer.validation : answer.training).overall_relative;
  if (!best || !(best->error() < before)) return std::optional<Hypothesis>();
  return std::optional<Hypothesis>(hypothesis_of_stamps(*finding, answer, *best));
}

}  // namespace heft
