// The step that changes the equations: rows of momentum, which need no accelerations, instead of
// rows of torque.
//
// The accelerations of a held-out log are as noisy as those of the training logs, so rows of torque
// favor estimates that the noise has shrunk. The kinds are therefore compared on torques and rows
// below half the cutoff, through the same filter, where the noise of accelerations, which grows
// with the power 2.5 of the frequency, is a sixth; all later steps are judged as before.
#include <fmt/format.h>

#include <cmath>

#include "rows/row_kind.hpp"
#include "search.hpp"

namespace heft::select {

namespace {

constexpr double kJudgedBelow = 0.5;  ///< of the cutoff: as far as rows of momentum reach
                                      ///< (host/data/conditioning/condition.cpp)
constexpr double kTrimmedPeriods = 2;
constexpr double kLargestLoss = 0.05;  ///< of the error on torques as they are

/// Trains on folds of one pass and evaluates on the held-out folds of another.
std::vector<Fold> judged_on(const std::vector<Fold>& learned, const std::vector<Fold>& held_out) {
  std::vector<Fold> folds = learned;
  for (std::size_t k = 0; k < folds.size(); ++k) folds[k].held_out = held_out[k].held_out;
  return folds;
}

}  // namespace

bool Search::can_take_momentum() const {
  const ConditioningOptions& conditioning = standing_.choice.conditioning;
  return conditioning.rows == "torque" && conditioning.filter == FilterKind::butterworth &&
         conditioning.torque_delay_s.is_one() && !standing_.moments.plan->robot.floating_base;
}

/// The current choice with both sides of its equations filtered at a fraction of its cutoff, at the
/// same samples.
ModelChoice Search::below_half_cutoff() const {
  ModelChoice choice = standing_.choice;
  ConditioningOptions& conditioning = choice.conditioning;
  if (conditioning.filter_rows) return choice;  // they exist already
  const double torque_hz = conditioning.torque_cutoff_hz();
  if (!conditioning.trim)
    conditioning.trim = static_cast<int>(std::ceil(kTrimmedPeriods * rate_hz_ / torque_hz));
  conditioning.filter_rows = true;
  conditioning.torque_lowpass_hz = kJudgedBelow * std::min(conditioning.lowpass_hz, torque_hz);
  return choice;
}

Result<Done> Search::choose_rows() {
  if (!has_room() || !can_take_momentum()) return Done{};
  const ModelChoice judging = below_half_cutoff();
  const std::string option =
      fmt::format("rows of momentum, judged below {:g} Hz", judging.conditioning.torque_lowpass_hz);
  auto judge = pass(judging);
  if (!judge && !is_about_folds(judge.error())) return judge.error();
  ModelChoice choice = standing_.choice;
  choice.conditioning.rows = "momentum";
  auto pool = judge ? pass(choice, &standing_.folds) : judge.error();
  if (!pool && !is_about_folds(pool.error())) return pool.error();
  if (!pool) {
    refuse(option, without_folds(option, choice).gain);
    return Done{};
  }
  HEFT_TRY(trial, evaluate(option, choice, std::move(pool->data.moments), std::move(pool->folds)));
  const StableGain on_torques = trial.gain;
  const auto below = [&](const Trial& of) {
    const std::vector<Fold> folds = judged_on(of.folds, judge->folds);
    return cross_validated({{&folds, of.choice.weight_of_prior}}, of.weights);
  };
  HEFT_TRY(before, below(standing_));
  HEFT_TRY(after, below(trial));
  selection_.num_solves += static_cast<int>(2 * trial.folds.size());
  trial.gain = stable_gain(before.front(), after.front(), division_sizes(options_.folds));
  if (!is_worth_it(trial.gain))
    refuse(trial.option, trial.gain);
  else if (!(on_torques.share > -kLargestLoss))
    refuse(trial.option, on_torques);  // too much is lost above
  else
    accept(std::move(trial));
  return Done{};
}

}  // namespace heft::select
