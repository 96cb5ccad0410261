#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "doubts.hpp"

namespace heft::doubts {

namespace {

constexpr double kLeastGain = 3, kClearGain = 8;          ///< nats, on training and held-out logs
constexpr double kLeastChange = 0.02;                     ///< of the torque, by mending
constexpr double kLargeError = 0.08, kMostOfIt = 0.7;     ///< relative error of all torques; share of it
constexpr double kErrorRatio = 1.25, kErrorFall = 0.003;  ///< of the relative error of all torques
constexpr double kClearScale = 0.18;                      ///< size of the log of a factor
constexpr double kClearZero = 2 * std::numbers::pi / 180;

/// Undone, the error becomes smaller by what shows: on held-out logs if there are any.
bool shows_in_error(const Hypothesis& h) {
  const double before = h.held_out_before.value_or(h.training_before),
               after = h.held_out_after.value_or(h.training_after);
  return before > kErrorRatio * after && before > after + kErrorFall;
}

/// The interval is no wider than the fault itself.
bool is_measured(const Hypothesis& h) {
  if (h.id == "torque-scale") return std::log(h.upper / h.lower) < std::abs(std::log(h.value));
  return h.upper - h.lower < std::abs(h.value);
}

/// Whether more than one thing is wrong: the error is large and stays so. One fault then borrows from the others.
bool leaves_most(const Hypothesis& h) {
  const double before = h.held_out_before.value_or(h.training_before),
               after = h.held_out_after.value_or(h.training_after);
  return before > kLargeError && after > kMostOfIt * before;
}

bool is_serious(const Hypothesis& hypothesis) {
  if (!is_measured(hypothesis) || leaves_most(hypothesis)) return false;
  // a log that was learned from flatters what explains it
  const double least = hypothesis.held_out_after ? kLeastGain : kClearGain;
  if (!(hypothesis.least_gain() >= least)) return false;
  // what does not help on logs that chose nothing is no fault of the log
  if (hypothesis.held_out_after && !(*hypothesis.held_out_after < *hypothesis.held_out_before)) return false;
  if (shows_in_error(hypothesis)) return true;
  if (hypothesis.torque_change >= kLeastChange) return true;
  if (!(hypothesis.least_gain() >= kClearGain) || !hypothesis.held_out_after) return false;
  return (hypothesis.id == "torque-scale" && std::abs(std::log(hypothesis.value)) >= kClearScale) ||
         (hypothesis.id == "joint-zero" && std::abs(hypothesis.value) >= kClearZero);
}

std::string claim_of(const Hypothesis& h) {
  const std::string joint = h.joint.empty() ? "all joints" : h.joint;
  if (h.id == "torque-scale" && h.value < 1)
    return fmt::format("The torque of {} is logged {:.3g} times too large (95 % {:.3g} to {:.3g})", joint,
                       1 / h.value, 1 / h.upper, 1 / h.lower);
  if (h.id == "torque-scale")
    return fmt::format("The torque of {} is logged {:.3g} times too small (95 % {:.3g} to {:.3g})", joint,
                       h.value, h.lower, h.upper);
  if (h.id == "torque-delay")
    return fmt::format("The torque of {} is logged {:.3g} ms too {} (95 % {:.3g} to {:.3g})", joint,
                       1e3 * std::abs(h.value), h.value > 0 ? "late" : "early",
                       1e3 * (h.value > 0 ? h.lower : -h.upper), 1e3 * (h.value > 0 ? h.upper : -h.lower));
  const double unit = h.unit == "rad" ? 180 / std::numbers::pi : 1e3;
  return fmt::format("The zero of {} is off by {:.3g} {} (95 % {:.3g} to {:.3g})", joint, unit * h.value,
                     h.unit == "rad" ? "degrees" : "mm", unit * h.lower, unit * h.upper);
}

std::string gain_words(const Hypothesis& h) {
  if (h.held_out_before && h.held_out_after)
    return fmt::format(
        ": undone, the error on an excerpt of the held-out logs falls from {:.3g} to {:.3g} %, and the "
        "predicted torque "
        "changes by {:.2g} %.",
        100 * *h.held_out_before, 100 * *h.held_out_after, 100 * h.torque_change);
  return fmt::format(
      ": that explains the log better by {:.3g} nats, and changes the predicted torque by {:.2g} %.",
      h.gain_training, 100 * h.torque_change);
}

/// Raw faults and exchanged columns explain what a hypothesis only imitates.
bool is_explained(const List& list) {
  return std::any_of(list.begin(), list.end(), [](const Doubt& doubt) { return doubt.serious; });
}

}  // namespace

void about_hypotheses(const Identification& identification, List& list) {
  const std::vector<Hypothesis>& hypotheses = identification.evidence.hypotheses;
  // undoing the best one changes all others
  if (hypotheses.empty() || is_explained(list)) return;
  const auto best = std::find_if(hypotheses.begin(), hypotheses.end(), is_serious);
  if (best == hypotheses.end()) return;
  std::string yaml = best->yaml;
  while (!yaml.empty() && yaml.back() == '\n') yaml.pop_back();
  list.push_back({.id = best->id,
                  .serious = kSerious,
                  .joint = best->joint,
                  .words = claim_of(*best) + gain_words(*best),
                  .remedy = "Mend the log, or put into the configuration: " + yaml});
}

}  // namespace heft::doubts
