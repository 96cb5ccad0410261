#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>

#include "doubts.hpp"
#include "evidence/doubt_bounds.hpp"
#include "model/units.hpp"

namespace heft::doubts {

namespace {

/// Whether the interval is at most as wide as the fault.
bool is_measured(const Hypothesis& h) {
  if (h.unit == "1") return std::log(h.upper / h.lower) < std::abs(std::log(h.value));
  return h.upper - h.lower < std::abs(h.value);
}

/// Whether there are several faults: the error is large and stays large. The estimate of one fault
/// is then biased by the others.
bool leaves_most(const Hypothesis& h) {
  const double before = h.held_out_before.value_or(h.training_before),
               after = h.held_out_after.value_or(h.training_after);
  return before > doubt_bounds::kLargeError && after > doubt_bounds::kMaxErrorLeft * before;
}

/// Bodies that are further from the robot's file explain the logs as well: a heavy prior held them.
bool is_of_bodies(const Hypothesis& h) {
  return h.gain_over_freer_bodies && !(*h.gain_over_freer_bodies >= doubt_bounds::kLeastGain);
}

/// Whether neither chance nor bodies explain it and its size is significant: bodies estimated with
/// it compensate on the logged motions only.
bool is_unmistakable(const Hypothesis& h) {
  if (!h.gain_over_freer_bodies ||
      !(std::min(h.least_gain(), *h.gain_over_freer_bodies) >= doubt_bounds::kUnmistakable))
    return false;
  return (h.id == "joint-zero" && std::abs(h.value) >= doubt_bounds::kClearZero) ||
         (h.id == "clock-ratio" && std::abs(std::log(h.value)) >= doubt_bounds::kClearRate);
}

bool is_serious(const Hypothesis& hypothesis) {
  if (hypothesis.id == "contact" || hypothesis.id == "stamps-late")
    return false;  // doubts of their own
  if (!is_measured(hypothesis) || leaves_most(hypothesis) || is_of_bodies(hypothesis)) return false;
  // training logs favor explanations fitted to them
  const double least =
      hypothesis.held_out_after ? doubt_bounds::kLeastGain : doubt_bounds::kClearGain;
  if (!(hypothesis.least_gain() >= least)) return false;
  // a correction that does not help on unused logs is not a fault of the log
  if (hypothesis.held_out_after && !(*hypothesis.held_out_after < *hypothesis.held_out_before))
    return false;
  // on clean logs of small robots, spurious joint zeros explain a third of the error without
  // changing torques
  const bool moves_torque =
      hypothesis.id != "joint-zero" || hypothesis.torque_change >= doubt_bounds::kChangeByZero;
  if (doubt_bounds::shows_in_error(hypothesis) && moves_torque) return true;
  if (hypothesis.torque_change >= doubt_bounds::kLeastChange) return true;
  if (!(hypothesis.least_gain() >= doubt_bounds::kClearGain) || !hypothesis.held_out_after)
    return false;
  if (is_unmistakable(hypothesis)) return true;
  return (hypothesis.id == "torque-scale" &&
          std::abs(std::log(hypothesis.value)) >= doubt_bounds::kClearScale) ||
         (hypothesis.id == "joint-zero" && std::abs(hypothesis.value) >= doubt_bounds::kClearZero &&
          hypothesis.torque_change >= doubt_bounds::kChangeByZero);
}

/// A size with its interval: in `unit` after `factor`.
std::string measured(const Hypothesis& h, double factor, const char* unit) {
  return fmt::format("{:.3g} {} (95 % {:.3g} to {:.3g})", factor * h.value, unit, factor * h.lower,
                     factor * h.upper);
}

std::string claim_of(const Hypothesis& h) {
  if (h.id == "torque-scale" && h.value < 1)
    return fmt::format("{} is logged {:.3g} times too large (95 % {:.3g} to {:.3g})", h.subject,
                       1 / h.value, 1 / h.upper, 1 / h.lower);
  if (h.id == "torque-scale")
    return fmt::format("{} is logged {:.3g} times too small (95 % {:.3g} to {:.3g})", h.subject,
                       h.value, h.lower, h.upper);
  if (h.id == "torque-delay")
    return fmt::format("{} is logged {:.3g} ms too {} (95 % {:.3g} to {:.3g})", h.subject,
                       1e3 * std::abs(h.value), h.value > 0 ? "late" : "early",
                       1e3 * (h.value > 0 ? h.lower : -h.upper),
                       1e3 * (h.value > 0 ? h.upper : -h.lower));
  if (h.id == "torque-lowpass")
    return fmt::format(
        "{} seems to be logged after a low-pass filter of {:.3g} Hz, with a time constant of {}",
        h.subject, 0.5 * std::numbers::inv_pi / h.value, measured(h, 1e3, "ms"));
  if (h.id == "clock-ratio")
    return fmt::format("{} runs at the wrong rate: one second of it takes {}", h.subject,
                       measured(h, 1, "s"));
  if (h.id == "clock-drift")
    return fmt::format("{} drifts relative to the motion's clock by {}", h.subject,
                       measured(h, 1e3, "ms per second"));
  if (h.id == "gravity-direction")
    return fmt::format("{} differs from the configured one by {}", h.subject,
                       measured(h, 1 / kDegree, "degrees"));
  if (h.id == "kinematics" && h.unit == "1")
    return fmt::format("the robot differs from its file: {} is {} times as long", h.subject,
                       measured(h, 1, ""));
  if (h.id == "kinematics" && h.unit == "rad/rad")
    return fmt::format("the robot differs from its file: {}, by {}", h.subject,
                       measured(h, 1, "rad per rad"));
  if (h.id == "kinematics")
    return fmt::format("the robot differs from its file: {} is rotated by {}", h.subject,
                       measured(h, 1 / kDegree, "degrees"));
  return fmt::format("{} is off by {}", h.subject, measured(h, 1 / kDegree, "degrees"));
}

std::string one_line(std::string yaml) {
  while (!yaml.empty() && yaml.back() == '\n') yaml.pop_back();
  return yaml;
}

/// The remedy: an option, or advice if no option corrects it.
std::string remedy_of(const Hypothesis& h) {
  if (h.is_of_training_alone)
    return "Fix the training log: the held-out log does not have this "
           "fault";
  if (h.id == "torque-lowpass")
    return "Log the torque before the drive's filter, or apply the same filter to the motion";
  if (h.id == "clock-ratio")
    return fmt::format(
        "Check the rate at which the log was written: multiply its stamps by {:.6g}{}", h.value,
        h.yaml.empty() ? "" : ", or add to the configuration: " + one_line(h.yaml));
  if (h.id == "clock-drift")
    return "Log torque and motion with one clock, or synchronize the "
           "two clocks";
  if (h.id == "gravity-direction")
    return "Configure how the robot is mounted; according to these logs: " + one_line(h.yaml);
  if (h.id == "kinematics" && h.unit == "rad/rad")
    return "Look for a linkage or a <mimic> that the URDF lacks";
  if (h.id == "kinematics")
    return "Compare the robot's type and dimensions with the URDF, which may be "
           "that of a similar model";
  return "Fix the log, or add to the configuration: " + one_line(h.yaml);
}

std::string gain_words(const Hypothesis& h) {
  if (h.held_out_before && h.held_out_after)
    return fmt::format(
        ": with this corrected, the error on an excerpt of the held-out logs "
        "falls from {:.3g} to {:.3g} %, and the predicted torque changes by "
        "{} %.",
        100 * *h.held_out_before, 100 * *h.held_out_after, two_digits(100 * h.torque_change));
  return fmt::format(
      ": with this corrected, the log is explained better (log-likelihood "
      "ratio {:.3g}), and the predicted torque changes by {} %.",
      h.gain_training, two_digits(100 * h.torque_change));
}

/// Raw faults and exchanged columns take precedence over a hypothesis that imitates them.
bool is_explained(const List& list) {
  return std::any_of(list.begin(), list.end(), [](const Doubt& doubt) { return doubt.serious; });
}

bool is_surely_touched(const Identification& identification) {
  const auto& contacts = identification.second_pass.evidence.contacts;
  return std::any_of(contacts.begin(), contacts.end(),
                     [](const Contact& contact) { return contact.is_sure(); });
}

}  // namespace

void about_hypotheses(const Identification& identification, List& list) {
  const std::vector<Hypothesis>& hypotheses = identification.second_pass.evidence.hypotheses;
  // correcting the best one changes all others
  if (hypotheses.empty() || is_explained(list) || is_surely_touched(identification)) return;
  const auto best = std::find_if(hypotheses.begin(), hypotheses.end(), is_serious);
  if (best == hypotheses.end()) return;
  std::string words = claim_of(*best) +
                      (best->is_of_training_alone ? " in the training logs only" : "") +
                      gain_words(*best);
  words[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(words[0])));
  list.push_back({.id = best->id,
                  .serious = kSerious,
                  .joint = best->joint,
                  .words = std::move(words),
                  .remedy = remedy_of(*best)});
}

}  // namespace heft::doubts
