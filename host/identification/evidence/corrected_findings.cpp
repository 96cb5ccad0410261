#include "corrected_findings.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "check/sign_and_order_rules.hpp"
#include "evidence/doubt_bounds.hpp"
#include "found_fault.hpp"
#include "judged_fault.hpp"
#include "score_scan.hpp"

namespace heft {

namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

Hypothesis without_figures(const Finding& finding) {
  return {.id = finding.name,
          .joint = finding.joint,
          .subject = finding.subject,
          .value = finding.measure,
          .unit = finding.unit,
          .lower = kUnknown,
          .upper = kUnknown,
          .gain_training = kUnknown,
          .torque_change = kUnknown,
          .training_before = kUnknown,
          .training_after = kUnknown,
          .yaml = finding.fix.yaml};
}

/// Refines a gear ratio that the rules estimated with the file's bodies; here the bodies are
/// estimated, too. Returns the interval.
Result<Done> refine_ratio(const HypothesisInput& now, const Finding& finding,
                          Hypothesis& hypothesis, const Workers& workers) {
  const int joint = [&] {
    const auto& coordinates = now.setup.plan().robot.coordinates;
    for (std::size_t k = 0; k < coordinates.size(); ++k)
      if (coordinates[k].name == finding.joint) return static_cast<int>(k);
    return -1;
  }();
  if (joint < 0) return Done{};
  hypothesis.value = 1 / finding.measure;  // as the option has it, also where nothing is left to
                                           // refine
  const Profile profile(now, workers);
  Faults scales;
  scales.push_back(position_scale(joint, finding.joint, 1 / finding.measure));
  HEFT_TRY(scanned, scan(profile, scales));
  const std::vector<Promise>& promises = scanned.promises;
  if (promises[0].size == 0) return Done{};
  HEFT_TRY(answer, profile.explain_as_it_is());
  HEFT_TRY(residuals, profile.residuals_as_it_is(now.training, answer));
  HEFT_TRY(found, judged(profile, scales, {0}, promises, answer, residuals));
  if (!found[0]) return Done{};
  const Hypothesis& finer = found[0]->hypothesis;
  hypothesis.value = finer.value;
  hypothesis.lower = finer.lower;
  hypothesis.upper = finer.upper;
  hypothesis.training_after = finer.training_after;
  hypothesis.held_out_after = finer.held_out_after;
  hypothesis.yaml = finer.yaml;
  return Done{};
}

/// Whether a correction gains more than chance on held-out or, without them, training logs.
bool is_confirmed(const Hypothesis& hypothesis) {
  const bool helps = hypothesis.held_out_after
                         ? *hypothesis.held_out_after < *hypothesis.held_out_before
                         : hypothesis.training_after < hypothesis.training_before;
  return helps && hypothesis.least_gain() >= doubt_bounds::kLeastGain;
}

/// Applies all corrections at once: one of two exchanges need not help alone.
Result<bool> are_confirmed_together(const HypothesisInput& input, const Workers& workers) {
  Finding all = input.findings.front();
  all.fix.undo = [&input](Samples& samples) {
    for (const Finding& finding : input.findings)
      if (finding.fix.undo) finding.fix.undo(samples);
  };
  const FoundFault fault(all);
  const Profile profile(input, workers);
  HEFT_TRY(without, profile.explain(fault, 0));
  HEFT_TRY(with, profile.explain(fault, 1));
  HEFT_TRY(found, compared(profile, fault, without, with));
  return is_confirmed(found.hypothesis);
}

/// Drops findings based on the robot file alone that help neither alone nor together with the
/// others.
Result<std::vector<Hypothesis>> with_unconfirmed(const HypothesisInput& input,
                                                 const std::vector<Finding>& unconfirmed,
                                                 std::vector<Hypothesis> hypotheses,
                                                 const Workers& workers) {
  if (unconfirmed.empty() || input.findings.size() < 2) return hypotheses;
  HEFT_TRY(together, are_confirmed_together(input, workers));
  for (const Finding& finding : unconfirmed)
    if (together) hypotheses.push_back(without_figures(finding));
  return hypotheses;
}

}  // namespace

Result<std::vector<Hypothesis>> corrected_findings(const HypothesisInput& input,
                                                   const Workers& workers) {
  std::vector<Hypothesis> hypotheses;
  std::vector<Finding> unconfirmed;
  Excerpt training = input.training, held_out = input.held_out;
  Eigen::VectorXd weights = input.channel_weights;
  const DerivedSignals& derived = input.setup.model.derived;
  const bool has_known_torque = !derived.known_torque.empty() || !derived.functions.empty();
  for (const Finding& finding : input.findings) {
    if (!finding.fix.undo && !finding.fix.gravity) {
      hypotheses.push_back(without_figures(finding));
      continue;
    }
    const FoundFault fault(finding);
    const Excerpt corrected_training = undone(training, fault, 1),
                  corrected_held_out = undone(held_out, fault, 1);
    if (!finding.fix.gravity) {
      const HypothesisInput corrected =
          input.on(corrected_training, corrected_held_out).weighted(weights);
      HEFT_TRY(left, Profile(corrected, workers).weights_left());
      weights = std::move(left);
    }
    const HypothesisInput as_it_was = input.on(training, held_out).weighted(weights);
    const Profile profile(as_it_was, workers);
    HEFT_TRY(without, profile.explain(fault, 0));
    HEFT_TRY(with, profile.explain(fault, 1));
    HEFT_TRY(found, compared(profile, fault, without, with));
    Hypothesis hypothesis = std::move(found.hypothesis);
    hypothesis.lower = hypothesis.upper = kUnknown;
    const bool helps = hypothesis.held_out_after
                           ? *hypothesis.held_out_after < *hypothesis.held_out_before
                           : hypothesis.training_after < hypothesis.training_before;
    // conditioned samples keep known torques computed from the wrong position
    if (!helps && has_known_torque) hypotheses.push_back(without_figures(finding));
    if (is_told_by_file(finding.name) && !is_confirmed(hypothesis)) {
      unconfirmed.push_back(finding);
      continue;
    }
    if (!helps) continue;
    training = corrected_training;
    held_out = corrected_held_out;
    if (finding.name == "position-motor-side")
      HEFT_CHECK(refine_ratio(input.on(training, held_out).weighted(weights), finding, hypothesis,
                              workers));
    hypotheses.push_back(std::move(hypothesis));
  }
  return with_unconfirmed(input, unconfirmed, std::move(hypotheses), workers);
}

}  // namespace heft
