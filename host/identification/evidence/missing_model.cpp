#include "evidence/missing_model.hpp"

#include <utility>
#include <vector>

#include "check/missing_dynamics.hpp"
#include "found_fault.hpp"
#include "heft/executor/executor.hpp"
#include "judged_fault.hpp"
#include "profile.hpp"
#include "thinned_samples.hpp"

namespace heft {

namespace {

constexpr double kConfirmingGain = 8;  ///< nats
constexpr double kErrorLeft = 0.8;     ///< of the error with gravity

/// Parameters of the robot's file, columns at zero.
Eigen::VectorXd parameters_of_file(const RegressorPlan& plan) {
  Eigen::VectorXd parameters = Eigen::VectorXd::Zero(plan.layout.num_parameters());
  for (int i = 0; i < plan.layout.num_bodies(); ++i) {
    const int body = plan.layout.body_index[static_cast<std::size_t>(i)];
    parameters.segment<core::kNumParameters>(core::kNumParameters * i) =
        plan.robot.bodies[static_cast<std::size_t>(body)].prior;
  }
  return parameters;
}

/// An excerpt and the terms of its torques.
struct Terms {
  std::vector<const Samples*> samples;
  std::vector<DynamicsTerms> terms;
};

Result<Terms> terms_of(Backend& backend, const RegressorPlan& plan, const Excerpt& excerpt) {
  Terms found;
  for (const Samples& stretch : excerpt.stretches) found.samples.push_back(&stretch);
  HEFT_TRY(terms, dynamics_terms(backend, plan, parameters_of_file(plan), found.samples));
  found.terms = std::move(terms);
  return found;
}

/// Whether a few samples of the training logs already show gravity beyond doubt.
Result<bool> shows_gravity(Backend& backend, const HypothesisInput& input) {
  const Eigen::Index step = step_of(input);
  if (step == 1) return false;
  Excerpt few;
  for (const Samples& stretch : input.training.stretches)
    few.stretches.push_back(thinned(stretch, step));
  const RegressorPlan& plan = input.setup.plan();
  HEFT_TRY(of_few, terms_of(backend, plan, few));
  return has_gravity(plan, of_few.samples, of_few.terms);
}

Result<std::optional<MissingDynamics>> missing_of(Backend& backend, const RegressorPlan& plan,
                                                  const Excerpt& excerpt) {
  HEFT_TRY(found, terms_of(backend, plan, excerpt));
  return missing_dynamics(plan, found.samples, found.terms);
}

/// Whether a model without gravity and with free bodies explains the logs much better.
Result<bool> is_confirmed(const HypothesisInput& input, const Workers& workers,
                          const Finding& finding) {
  const FoundFault fault(finding);
  const Profile profile(input, workers);
  HEFT_TRY(without, profile.explain(fault, 0));
  HEFT_TRY(with, profile.explain(fault, 1));
  HEFT_TRY(found, compared(profile, fault, without, with));
  const Hypothesis& hypothesis = found.hypothesis;
  return hypothesis.gain_training >= kConfirmingGain &&
         hypothesis.training_after < kErrorLeft * hypothesis.training_before;
}

}  // namespace

Result<std::optional<MissingModel>> missing_model(const HypothesisInput& input, int num_threads,
                                                  const Progress& progress) {
  const RegressorPlan& plan = input.setup.plan();
  std::optional<MissingModel> none;
  if (plan.robot.floating_base || plan.whitened_from || !(plan.robot.gravity.norm() > 0) ||
      input.training.stretches.empty())
    return none;
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  HEFT_TRY(has_it, shows_gravity(*backend, input));
  if (has_it) return none;
  HEFT_TRY(missing, missing_of(*backend, plan, input.training));
  if (!missing) return none;
  const Finding finding = finding_of(*missing, "");
  // if more than gravity is missing, a model without gravity does not explain the logs
  if (missing->part == MissingPart::gravity) {
    HEFT_TRY(confirmed, is_confirmed(input, {*backend, num_threads, progress}, finding));
    if (!confirmed) return none;
  }
  HEFT_TRY(held_out, missing_of(*backend, plan, input.held_out));
  return std::optional<MissingModel>({finding, input.held_out.stretches.empty() || held_out});
}

}  // namespace heft
