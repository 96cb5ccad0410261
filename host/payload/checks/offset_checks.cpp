#include "offset_checks.hpp"

#include <Eigen/Geometry>
#include <cmath>

#include "base/number_text.hpp"
#include "changes.hpp"
#include "methods/methods.hpp"
#include "samples/delay.hpp"
#include "samples/filtering.hpp"
#include "sums/offsets.hpp"

namespace heft::payload {

namespace {

constexpr double kChanceOfOffset = 30;      // of a log-likelihood's gain that noise reaches hardly ever
constexpr double kStillLeftByOffset = 0.8;  // share of what is left that an explanation may leave
constexpr double kAlikeWeight = 0.03, kAlikeTorque = 0.05;  // of a tared payload

std::string newtons(const Vector6d& offset) {
  return number_text(offset.head<3>().norm(), 3) + " N and " + number_text(offset.tail<3>().norm(), 3) +
         " N m";
}

/// Whether the offset is what a sensor keeps that was set to zero with the payload hanging on it: b_f = m g0, b_n = h x g0.
bool is_tared(const Vector6d& offset, const BodyParameters& x, double gravity) {
  const double weight = x[core::kMass] * gravity;
  const Eigen::Vector3d force = offset.head<3>(), com = com_of(x);
  if (!(weight > 0) || std::abs(force.norm() / weight - 1) > kAlikeWeight) return false;
  return (offset.tail<3>() - com.cross(force)).norm() < kAlikeTorque * weight * std::max(com.norm(), 0.02);
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
    doubts.push_back(
        {"tared-with-payload", true,
         "the sensor was set to zero with the payload on it: its offset, " + newtons(offset) +
             ", is the payload's own weight in one pose",
         "set payload.bias: constant, which takes it for unknown; or zero the sensor without the payload"});
  else if (is_calibrated)
    doubts.push_back({"offset-drifted", true,
                      "the offset is " + newtons(offset) + " from the one that was calibrated",
                      "calibrate again with --zero, or set payload.bias: constant"});
  else
    doubts.push_back(
        {"offset", true,
         "the sensor has an offset of " + newtons(offset) + ", and payload.bias: none leaves it out",
         "set payload.bias: constant, or calibrate it with --zero"});
}

void doubt_tared(const WrenchSamples& samples, const PayloadOptions& options, double gravity,
                 const BodyParameters& answer, std::vector<PayloadDoubt>& doubts) {
  const Eigen::ArrayXXd biases = biases_of(samples, options.bias, answer);
  for (Eigen::Index group = 0; group < biases.rows(); ++group) {
    const Vector6d offset = biases.row(group).transpose().matrix();
    if (!is_tared(offset, answer, gravity)) continue;
    doubts.push_back({"tared-with-payload", false,
                      "the sensor was set to zero with the payload on it: its offset, " + newtons(offset) +
                          ", is the payload's own weight in one pose; it is fitted, and does no harm here",
                      "keep payload.bias: constant; zero the sensor without the payload where wrenches are "
                      "used as they are"});
    return;
  }
}

void doubt_one_body(const WrenchSamples& samples, const PayloadOptions& options,
                    std::vector<PayloadDoubt>& doubts) {
  const std::vector<Change> changes = changes_in(samples, options);
  if (changes.empty()) return;
  std::string times, masses = number_text(changes.front().before[core::kMass], 3);
  for (const Change& change : changes) {
    times += (times.empty() ? "" : ", ") + number_text(change.time, 4);
    masses += ", then " + number_text(change.after[core::kMass], 3);
  }
  const std::string at = samples.moves ? times + " s" : "row " + times + " (from 0)";
  doubts.push_back({"payload-changes", true,
                    "another body is on the sensor from " + at + " on: " + masses +
                        " kg; one body was fitted to all of it",
                    "weigh each stretch by itself: --changes auto, or payload.changes: [" + times + "]"});
}

void doubt_delay(const WrenchSamples& samples, const PayloadOptions& options,
                 std::vector<PayloadDoubt>& doubts) {
  const auto found = estimate_delay(samples, options);
  if (!found || found->left > kStillLeftByOffset || found->log_likelihood < kChanceOfOffset) return;
  if (std::abs(found->delay) < 0.5 / rate_of(samples)) return;
  const std::string seconds = number_text(found->delay, 3);
  doubts.push_back({"wrench-delayed", true,
                    "the wrench is " + number_text(1e3 * std::abs(found->delay), 3) + " ms " +
                        (found->delay > 0 ? "later" : "earlier") + " than the motion that it belongs to",
                    "set payload.wrench_delay_s: " + seconds + " (on top of one that is set), or auto"});
}

}  // namespace

std::vector<PayloadDoubt> doubts_about_offsets(const WrenchSamples& samples, const PayloadOptions& options,
                                               const BodyParameters& answer) {
  std::vector<PayloadDoubt> doubts;
  const double gravity =
      samples.gravity.rows() > 0 ? samples.gravity.square().rowwise().sum().sqrt().mean() : kUsualGravity;
  doubt_one_body(samples, options, doubts);
  if (!doubts.empty()) return doubts;
  if (options.bias == BiasKind::none)
    doubt_offset(samples, options, gravity, doubts);
  else
    doubt_tared(samples, options, gravity, answer, doubts);
  doubt_delay(samples, options, doubts);
  return doubts;
}

}  // namespace heft::payload
