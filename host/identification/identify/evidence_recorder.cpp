#include "evidence_recorder.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <limits>

#include "base/begun_work.hpp"
#include "base/parallel_for.hpp"
#include "check/velocity_scale.hpp"
#include "evidence/doubt_bounds.hpp"
#include "fault_test_input.hpp"
#include "late_stamps.hpp"
#include "log_findings.hpp"
#include "noise_reference.hpp"
#include "rows/row_kind.hpp"
#include "rows/unfiltered_motion.hpp"

namespace heft {

namespace {

constexpr double kBeyondNoise = 2.6;  ///< times the lower end of the noise floor

/// Samples whose rows cost about as much as those of 2500 of a seven-joint arm.
Eigen::Index excerpt_size(const RegressorPlan& plan) {
  constexpr double kSamples = 2500, kParameters = 91;
  const double share = kParameters / plan.layout.num_parameters();
  return static_cast<Eigen::Index>(kSamples * std::clamp(share, 0.15, 1.0));
}

/// Evidence::contacts has its place and time; the doubt describes it.
Hypothesis hypothesis_of(const Contact& contact) {
  constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
  Hypothesis hypothesis{.id = "contact",
                        .subject = contact.link,
                        .value = contact.force.norm(),
                        .unit = "N",
                        .lower = kUnknown,
                        .upper = kUnknown,
                        .gain_training = contact.held_out ? kUnknown : contact.gain};
  if (contact.held_out) hypothesis.gain_held_out = contact.gain;
  return hypothesis;
}

/// Skips the tests if the excerpt is too poor. Error: stopped().
Result<std::optional<std::vector<Hypothesis>>> hypotheses_of(const FaultTestInput& test_input,
                                                             bool leaves_more_than_noise,
                                                             std::vector<Finding> findings,
                                                             int num_threads) {
  auto found = test_hypotheses(test_input.input(leaves_more_than_noise, std::move(findings)),
                               num_threads, test_input.request().progress);
  if (found) return std::optional(*std::move(found));
  if (found.error().is_stop) return found.error();
  return std::optional<std::vector<Hypothesis>>();
}

/// Remaining share of the error after correcting the fault.
double share_left(const Hypothesis& h) {
  return h.held_out_after ? *h.held_out_after / *h.held_out_before
                          : h.training_after / h.training_before;
}

/// Whether logged velocities, measured with the controller's clock, agree with the stamps, which
/// then have the right rate.
Result<bool> velocities_refute(const Hypothesis& clock_ratio, const IdentifyRequest& request) {
  constexpr double kShare = 0.3;  // of the suspected rate
  for (const Log& log : request.training_logs) {
    const auto scale = logged_velocity_scale(request.setup.model, log, request.gathering.log,
                                             request.gathering.conditioning);
    if (!scale && scale.error().is_stop) return scale.error();
    if (scale && *scale &&
        std::abs(std::log(**scale)) < kShare * std::abs(std::log(clock_ratio.value)))
      return true;
  }
  return false;
}

/// Reads the training logs only if a clock rate is suspected. Error: stopped().
Result<std::vector<Hypothesis>> without_refuted_clocks(std::vector<Hypothesis> hypotheses,
                                                       const IdentifyRequest& request) {
  const auto found = std::find_if(hypotheses.begin(), hypotheses.end(),
                                  [](const Hypothesis& one) { return one.id == "clock-ratio"; });
  if (found == hypotheses.end()) return hypotheses;
  HEFT_TRY(is_refuted, velocities_refute(*found, request));
  if (is_refuted) hypotheses.erase(found);
  return hypotheses;
}

/// The same as hypotheses_of().
Result<std::optional<Hypothesis>> long_delay_of(const FaultTestInput& test_input, int num_threads) {
  auto found = long_delay(test_input.input(), num_threads, test_input.request().progress);
  if (found || found.error().is_stop) return found;
  return std::optional<Hypothesis>();
}

}  // namespace

EvidenceRecorder::EvidenceRecorder(const RegressorPlan& plan, int num_threads)
    : num_threads_(num_threads),
      training_(excerpt_size(plan)),
      held_out_(excerpt_size(plan)),
      long_training_(excerpt_size(plan)),
      long_held_out_(excerpt_size(plan)) {}

void EvidenceRecorder::push(bool held_out, int segment, const Samples& block,
                            const Eigen::ArrayXXd& predicted) {
  // tests use torque rows, regardless of the rows summed
  const bool has_other_rows = block.unfiltered && block.unfiltered->kind;
  const Samples of_torques = has_other_rows ? with_torque_rows(block) : Samples();
  const Samples& rows = has_other_rows ? of_torques : block;
  const std::function<void()> recorders[] = {
      [&] {
        (held_out ? held_out_residuals_ : training_residuals_).push(segment, block, predicted);
      },
      [&] { (held_out ? held_out_quiet_ : training_quiet_).push(segment, block, predicted); },
      [&] { (held_out ? held_out_contacts_ : training_contacts_).push(segment, block, predicted); },
      [&] {
        (held_out ? held_out_ : training_).push(segment, rows);
        (held_out ? long_held_out_ : long_training_).push(segment, rows);
      }};
  parallel_for(std::ssize(recorders), num_threads_, [&](std::int64_t k, int) { recorders[k](); });
}

Result<Evidence> EvidenceRecorder::evidence(const IdentifyRequest& request,
                                            const Identification& result,
                                            std::future<Result<std::vector<LogFindings>>>& findings,
                                            Executor& executor) const {
  Evidence evidence;
  evidence.residuals = training_residuals_.by_log(result.data.logs, false);
  for (ResidualBlocks& blocks :
       held_out_residuals_.by_log(result.second_pass.validation_logs, true))
    evidence.residuals.push_back(std::move(blocks));
  evidence.quiet = training_quiet_.by_log(result.data.logs, false);
  for (QuietStretch& stretch : held_out_quiet_.by_log(result.second_pass.validation_logs, true))
    evidence.quiet.push_back(std::move(stretch));
  evidence.contacts = training_contacts_.by_log(result.data.logs, false, result.plan());
  for (Contact& contact :
       held_out_contacts_.by_log(result.second_pass.validation_logs, true, result.plan()))
    evidence.contacts.push_back(std::move(contact));
  const FaultTestInput test_input(request, result, training_.excerpt(), held_out_.excerpt());
  const Estimate& answer = result.answer();
  const bool is_poor =
      fits_poorly(answer.training) || (answer.validation && fits_poorly(*answer.validation));
  const int num_threads = executor.num_threads();
  HEFT_TRY(found, is_poor ? findings_of_logs(request, is_poor, num_threads)
                          : awaited(findings, request.progress, "checking the logs"));
  HEFT_CHECK(refuse_misread_positions(found, request.gathering.log));
  evidence.logs = std::move(found);
  HEFT_CHECK(tell_motors_from_degrees(test_input, evidence.logs, num_threads));
  HEFT_CHECK(confirm_torque_units(test_input, evidence.logs, num_threads));
  HEFT_CHECK(add_missing_model(test_input, evidence.logs, num_threads));
  HEFT_CHECK(add_mistaken_columns(test_input, evidence.logs, num_threads));
  HEFT_TRY(reference,
           noise_reference(result, test_input.judged(), request.gathering.conditioning, executor));
  // least squares has no objective that a fault could change
  if (!request.estimation.is_least_squares()) {
    const double error =
        (answer.validation ? *answer.validation : answer.training).overall_relative;
    const bool leaves_more_than_noise = !(error < kBeyondNoise * reference.floor_lower);
    if (leaves_more_than_noise)
      HEFT_CHECK(add_permuted_joints(test_input, evidence.logs, num_threads));
    const std::vector<Finding> to_fix = fixable(evidence.logs);
    HEFT_TRY(late_stamps, remedy_of_late_stamps(request, result, evidence.logs));
    // the noise of late rows imitates other faults, so skip their search
    const bool is_of_stamps =
        to_fix.empty() && late_stamps && doubt_bounds::shows_in_error(*late_stamps);
    std::vector<Hypothesis> hypotheses;
    if (is_of_stamps) {
      hypotheses = {*late_stamps};
    } else {
      HEFT_TRY(tested, hypotheses_of(test_input, leaves_more_than_noise, to_fix, num_threads));
      if (tested) {
        retract_unconfirmed(to_fix, *tested, evidence.logs);
        HEFT_TRY(left, without_refuted_clocks(std::move(*tested), request));
        hypotheses = std::move(left);
      }
    }
    if (leaves_more_than_noise && to_fix.empty() && !is_of_stamps) {
      const FaultTestInput in_long_stretches(request, result, long_training_.excerpt(),
                                             long_held_out_.excerpt());
      HEFT_TRY(late, long_delay_of(in_long_stretches, num_threads));
      // a long delay imitates other faults, and a low-pass or a clock imitates a long delay: the
      // cause is the one with the smaller residual
      const auto explains_more = [&](const Hypothesis& h) {
        return share_left(h) <= share_left(*late);
      };
      if (late && std::none_of(hypotheses.begin(), hypotheses.end(), explains_more))
        hypotheses = {std::move(*late)};
    }
    if (late_stamps && !is_of_stamps) hypotheses.push_back(std::move(*late_stamps));
    std::ptrdiff_t num_first = 0;
    for (const Contact& contact : evidence.contacts) {
      const bool is_first = contact.is_sure() && to_fix.empty();
      hypotheses.insert(is_first ? hypotheses.begin() + num_first++ : hypotheses.end(),
                        hypothesis_of(contact));
    }
    evidence.hypotheses = std::move(hypotheses);
  }
  evidence.reference = std::move(reference);
  return evidence;
}

}  // namespace heft
