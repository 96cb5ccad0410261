// Steps that change the samples. Each trial takes a pass over the logs, so only a few are tried.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "identify/motion_cutoff.hpp"
#include "search.hpp"

namespace heft::select {

namespace {

constexpr double kCutoffRatio = 0.7;
constexpr double kRowFilterRatios[] = {1.4, 2, 3};  ///< of the cutoff on motion to that on torque
                                                    ///< and rows
constexpr int kMaxCutoffs = 3;                      ///< in one direction
constexpr int kMostRoundsOfDelay = 4;

std::string cutoff_name(double cutoff_hz) {
  return fmt::format("motion low-pass {:g} Hz", cutoff_hz);
}

std::string filtered_rows_name(double cutoff_hz) {
  return fmt::format("row filter, motion {:g} Hz", cutoff_hz);
}

std::string delay_name(double delay_s) {
  return fmt::format("{} {:g} ms", kDelayName, 1e3 * delay_s);
}

}  // namespace

/// The current choice with another motion cutoff; torques and used rows stay the same.
ModelChoice Search::with_cutoff(double cutoff_hz) const {
  ModelChoice choice = standing_.choice;
  choice.conditioning = with_motion_cutoff(choice.conditioning, cutoff_hz);
  return choice;
}

Result<Done> Search::move_cutoff() {
  const ConditioningOptions& conditioning = standing_.choice.conditioning;
  if (conditioning.filter != FilterKind::butterworth || !has_room()) return Done{};
  const double start_hz = conditioning.lowpass_hz;
  std::optional<Trial> best;
  for (const double ratio : {kCutoffRatio, 1 / kCutoffRatio}) {
    double cutoff_hz = start_hz, least = standing_.errors.relative();
    for (int k = 0; k < kMaxCutoffs; ++k) {
      cutoff_hz = std::round(100 * cutoff_hz * ratio) / 100;
      if (!(cutoff_hz < 0.4 * rate_hz_) || !(cutoff_hz > 0)) break;
      HEFT_TRY(trial, try_pass(cutoff_name(cutoff_hz), with_cutoff(cutoff_hz)));
      refuse(trial.option, trial.gain);
      if (!(trial.errors.relative() < least)) break;
      least = trial.errors.relative();
      if (is_worth_it(trial.gain) && (!best || least < best->errors.relative()))
        best = std::move(trial);
    }
    if (best) break;
  }
  if (best) accept(std::move(*best));
  return Done{};
}

/// The current choice with rows filtered like the torque and a separate motion cutoff.
ModelChoice Search::with_filtered_rows(double cutoff_hz) const {
  ModelChoice choice = with_cutoff(cutoff_hz);
  choice.conditioning.filter_rows = true;
  return choice;
}

Result<Done> Search::filter_rows() {
  const ConditioningOptions& conditioning = standing_.choice.conditioning;
  if (conditioning.filter != FilterKind::butterworth || conditioning.filter_rows || !has_room())
    return Done{};
  const double torque_hz = conditioning.torque_cutoff_hz();
  std::optional<Trial> best;
  double least = std::numeric_limits<double>::infinity();
  for (const double ratio : kRowFilterRatios) {
    const double cutoff_hz = std::round(100 * torque_hz * ratio) / 100;
    if (!(cutoff_hz < 0.4 * rate_hz_)) break;
    HEFT_TRY(trial, try_pass(filtered_rows_name(cutoff_hz), with_filtered_rows(cutoff_hz)));
    refuse(trial.option, trial.gain);
    if (!(trial.errors.relative() < least)) break;
    least = trial.errors.relative();
    if (is_worth_it(trial.gain)) best = std::move(trial);
  }
  if (best) accept(std::move(*best));
  return Done{};
}

Result<Done> Search::move_delay() {
  // the parabola is valid only between its three points: from a vertex at their ends, search again
  for (int round = 0; round < kMostRoundsOfDelay && has_room(); ++round) {
    if (!standing_.choice.conditioning.torque_delay_s.is_one())
      break;  // already chosen joint by joint
    const double start_s = standing_.choice.conditioning.torque_delay_s.for_all;
    std::vector<Moments> sums;  // a step earlier and a step later
    HEFT_TRY(best, best_delay(sums));
    const double moved_s = best ? best->choice.conditioning.torque_delay_s.for_all - start_s : 0;
    const bool is_last = std::abs(moved_s) < 0.99 * kDelayStep;
    if (is_last) {
      HEFT_TRY(by_joint,
               delay_joints(sums[0], sums[1], best ? std::optional(best->errors) : std::nullopt));
      if (by_joint) break;
    }
    if (!best) break;
    accept(std::move(*best));
    if (is_last) break;
  }
  return Done{};
}

/// The best accepted trial of three around the current delay, empty if it stays; `sums` are those
/// of the trials.
Result<std::optional<Search::Trial>> Search::best_delay(std::vector<Moments>& sums) {
  const double start_s = standing_.choice.conditioning.torque_delay_s.for_all;
  // a configured delay beyond the search range is not increased further
  const double least_s = std::min(kMinDelay, start_s), largest_s = std::max(kMaxDelay, start_s);
  std::optional<Trial> best;
  const auto try_delay = [&](double delay_s) -> Result<FoldErrors> {
    ModelChoice choice = standing_.choice;
    choice.conditioning.torque_delay_s = delay_s;
    HEFT_TRY(trial, try_pass(delay_name(delay_s), choice));
    refuse(trial.option, trial.gain);
    const FoldErrors errors = trial.errors;
    sums.push_back(trial.moments);
    const bool is_taken = delay_s >= least_s && delay_s <= largest_s && is_worth_it(trial.gain);
    if (is_taken && (!best || errors.relative() < best->errors.relative())) best = std::move(trial);
    return errors;
  };
  HEFT_TRY(earlier, try_delay(start_s - kDelayStep));
  HEFT_TRY(later, try_delay(start_s + kDelayStep));
  // a delay d adds (d - d0)^2 times the power of what it mistakes: the sum of squares is a parabola
  // near d0
  const double a = earlier.squared.sum(), b = standing_.errors.squared.sum(),
               c = later.squared.sum();
  const double curvature = a - 2 * b + c;
  if (curvature > 0) {
    const double vertex_s = start_s + kDelayStep * 0.5 * (a - c) / curvature;
    const double delay_s = std::round(1e4 * std::clamp(vertex_s, least_s, largest_s)) / 1e4;
    if (std::abs(delay_s - start_s) > 5e-5) HEFT_CHECK(try_delay(delay_s));
  }
  return best;
}

}  // namespace heft::select
