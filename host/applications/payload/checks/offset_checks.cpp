#include "sample_checks.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "base/number_text.hpp"
#include "methods/methods.hpp"
#include "offset_history.hpp"
#include "samples/delay.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"

namespace heft::payload {

namespace {

constexpr double kChanceOfOffset = 30;      // log-likelihood gain that noise rarely reaches
constexpr double kStillLeftByOffset = 0.8;  // largest share of the residual that an explanation may
                                            // leave
constexpr double kAlikeWeight = 0.03, kAlikeTorque = 0.05;  // of a tared payload

std::string newtons(const Vector6d& offset) {
  return number_text(offset.head<3>().norm(), 3) + " N and " +
         number_text(offset.tail<3>().norm(), 3) + " N m";
}

/// Whether the offset matches a sensor zeroed with the payload attached: b_f = m g0, b_n = h x g0.
bool is_tared(const Vector6d& offset, const BodyParameters& x, double gravity) {
  const double weight = x[core::kMass] * gravity;
  const Eigen::Vector3d force = offset.head<3>(), com = com_of(x);
  if (!(weight > 0) || std::abs(force.norm() / weight - 1) > kAlikeWeight) return false;
  return (offset.tail<3>() - com.cross(force)).norm() <
         kAlikeTorque * weight * std::max(com.norm(), 0.02);
}

void doubt_offset(const WrenchSamples& samples, const PayloadOptions& options, double gravity,
                  std::vector<PayloadDoubt>& doubts) {
  const auto passed = slow_samples(samples, options.lowpass_hz);
  if (!passed) return;
  const WrenchSamples& slow = passed->samples;
  const auto fit = least_squares_of(sums_of(slow, BiasKind::constant));
  if (!fit) return;
  const StretchFit all(moments_of(slow, 0, slow.size()), inverse_squares(fit->rms));
  const OffsetInformation& information = all.information();
  const double left = std::max(information.least(), 1e-12 * information.rest);
  const double noise = left / (6 * static_cast<double>(slow.size()));
  const bool is_calibrated = options.sensor.tool && options.sensor.tool->has_bias;
  if (!(information.rest - left > 2 * kChanceOfOffset * passed->autocorrelation * noise) ||
      (!is_calibrated && left > kStillLeftByOffset * information.rest))
    return;
  const Vector6d offset = information.offset();
  if (is_tared(offset, all.body(offset), gravity))
    doubts.push_back({"tared-with-payload", true,
                      "the sensor was zeroed with the payload attached: its offset, " +
                          newtons(offset) + ", is the weight of the payload in one pose",
                      "set payload.bias: constant, which estimates the offset; or zero the "
                      "sensor without the payload"});
  else if (is_calibrated)
    doubts.push_back({"offset-drifted", true,
                      "the offset differs by " + newtons(offset) + " from the calibrated one",
                      "calibrate again with --zero, or set payload.bias: constant"});
  else
    doubts.push_back(
        {"offset", true,
         "the sensor has an offset of " + newtons(offset) + ", and payload.bias: none ignores it",
         "set payload.bias: constant, or calibrate it with --zero"});
}

void doubt_tared(const WrenchSamples& samples, const PayloadOptions& options, double gravity,
                 const BodyParameters& answer, std::vector<PayloadDoubt>& doubts) {
  const Eigen::ArrayXXd biases = biases_of(samples, options.bias, answer);
  for (Eigen::Index group = 0; group < biases.rows(); ++group) {
    const Vector6d offset = biases.row(group).transpose().matrix();
    if (!is_tared(offset, answer, gravity)) continue;
    doubts.push_back({"tared-with-payload", false,
                      "the sensor was zeroed with the payload attached: its offset, " +
                          newtons(offset) +
                          ", is the weight of the payload in one pose; it is estimated, so the "
                          "result is not affected",
                      "keep payload.bias: constant; zero the sensor without the payload if "
                      "other programs use the raw wrench"});
    return;
  }
}

void doubt_changes(const WrenchSamples& samples, const std::vector<Change>& changes,
                   std::vector<PayloadDoubt>& doubts) {
  std::string times, masses = number_text(changes.front().before[core::kMass], 3);
  for (const Change& change : changes) {
    times += (times.empty() ? "" : ", ") + number_text(change.time, 4);
    masses += ", then " + number_text(change.after[core::kMass], 3);
  }
  const std::string at = samples.moves ? times + " s" : "row " + times + " (from 0)";
  doubts.push_back(
      {"payload-changes", true,
       "the body on the sensor changes at " + at + ": " + masses +
           " kg; one body was fitted to the whole log",
       "weigh each stretch separately: --changes auto, or payload.changes: [" + times + "]"});
}

/// Formats with enough digits to distinguish samples.
std::string time_of_sample(double time, double rate) {
  const double steps = std::max(std::abs(time) * rate, 1.0);
  return number_text(time, std::clamp(static_cast<int>(std::ceil(std::log10(steps))) + 1, 4, 15));
}

void doubt_jumps(const WrenchSamples& samples, const PayloadOptions& options,
                 const std::vector<OffsetJump>& jumps, std::vector<PayloadDoubt>& doubts) {
  const bool has_one_log = samples.segments.front().log == samples.segments.back().log;
  std::string list, words;
  for (const OffsetJump& jump : jumps) {
    const std::string time =
        samples.moves ? time_of_sample(jump.time, rate_of(samples)) : number_text(jump.time, 15);
    list += (list.empty() ? "" : ", ") + time;
    words += (words.empty() ? "" : ", and ") +
             (samples.moves ? "at " + time + " s" : "at row " + time + " (from 0)") +
             (has_one_log ? "" : " of log " + std::to_string(jump.log + 1)) + " by " +
             newtons(jump.by);
  }
  std::string remedy = "set payload.bias_changes: ";
  remedy += has_one_log ? "[" + list + "], or auto" : "auto";
  if (options.bias == BiasKind::none || options.bias == BiasKind::per_segment)
    remedy += ", and payload.bias: constant";
  doubts.push_back({"offset-jumps", true,
                    "the offset of the sensor jumps " + words +
                        ": the sensor was zeroed, restarted or overloaded during the log, or "
                        "something has touched the payload since then",
                    remedy + "; and zero the sensor only before a log", "", false,
                    samples.moves ? std::optional(jumps.front().time) : std::nullopt});
}

void doubt_drift(const WrenchSamples& samples, const OffsetDrift& drift,
                 std::vector<PayloadDoubt>& doubts) {
  doubts.push_back({"offset-drifted", true,
                    "the offset of the sensor drifts by " + newtons(drift.by) +
                        (samples.moves ? " over the log" : " over the poses"),
                    "set payload.bias: drift; and let the sensor warm up before the next log"});
}

/// True if an event within the log explains the residual.
bool doubt_history(const WrenchSamples& samples, const PayloadOptions& options,
                   std::vector<PayloadDoubt>& doubts) {
  const LogHistory history = history_of(samples, options);
  if (!history.changes.empty()) doubt_changes(samples, history.changes, doubts);
  if (!history.jumps.empty()) doubt_jumps(samples, options, history.jumps, doubts);
  if (history.drift) doubt_drift(samples, *history.drift, doubts);
  return !doubts.empty();
}

void doubt_delay(const WrenchSamples& samples, const PayloadOptions& options,
                 std::vector<PayloadDoubt>& doubts) {
  const auto found = estimate_delay(samples, options);
  if (!found || found->left > kStillLeftByOffset || found->log_likelihood < kChanceOfOffset) return;
  if (std::abs(found->delay) < 0.5 / rate_of(samples)) return;
  const std::string seconds = number_text(found->delay, 3);
  doubts.push_back(
      {"wrench-delayed", true,
       "the wrench is " + number_text(1e3 * std::abs(found->delay), 3) + " ms " +
           (found->delay > 0 ? "later" : "earlier") + " than the corresponding motion",
       "set payload.wrench_delay_s: " + seconds + " (in addition to a configured delay), or auto"});
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_offsets(const WrenchSamples& samples,
                                               const PayloadOptions& options,
                                               const BodyParameters& answer) {
  std::vector<PayloadDoubt> doubts;
  const double gravity = samples.gravity.rows() > 0
                             ? samples.gravity.square().rowwise().sum().sqrt().mean()
                             : kUsualGravity;
  if (doubt_history(samples, options, doubts)) return doubts;
  if (options.bias == BiasKind::none)
    doubt_offset(samples, options, gravity, doubts);
  else
    doubt_tared(samples, options, gravity, answer, doubts);
  doubt_delay(samples, options, doubts);
  return doubts;
}

}  // namespace heft::payload
