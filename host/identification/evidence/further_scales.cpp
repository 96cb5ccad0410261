#include "further_scales.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

#include "faults/fault.hpp"
#include "judged_fault.hpp"
#include "score_scan.hpp"

namespace heft {

namespace {

constexpr double kClearScaleGain = 3;  ///< nats, on training and held-out logs
constexpr double kLeastFactor = 0.02;  ///< log of a factor: smaller ones are not worth correcting
                                       ///< in a constant
constexpr double kWorthSearchingFurther = 1;  ///< nats that a derivative must promise
constexpr std::size_t kMaxFurther = 4;        ///< of the most promising

/// The most promising factor of the logs with the current corrections; empty if none is clear.
Result<std::optional<Hypothesis>> next_scale(const Profile& profile) {
  const HypothesisInput& input = profile.input();
  Faults scales;
  torque_scales(input, scales);
  HEFT_TRY(answer, profile.explain_as_it_is());
  HEFT_TRY(residuals, profile.residuals_as_it_is(input.training, answer));
  HEFT_TRY(scanned, scan(profile, scales));
  const std::vector<Promise>& promises = scanned.promises;
  const double least = kWorthSearchingFurther * rows_worth_one(residuals).maxCoeff();
  std::vector<std::size_t> order(scales.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return promises[a].fall > promises[b].fall;
  });
  order.resize(std::min(order.size(), kMaxFurther));
  std::erase_if(order, [&](std::size_t k) { return !(promises[k].fall > least); });
  HEFT_TRY(judgments, judged(profile, scales, order, promises, answer, residuals));
  std::optional<Hypothesis> best;
  for (const std::optional<Judged>& found : judgments) {
    if (!found) continue;
    const Hypothesis& scale = found->hypothesis;
    if (scale.is_of_training_alone) continue;
    const bool helps = !scale.held_out_after || *scale.held_out_after < *scale.held_out_before;
    const bool is_clear =
        scale.least_gain() >= kClearScaleGain && std::abs(std::log(scale.value)) >= kLeastFactor;
    if (helps && is_clear && (!best || scale.least_gain() > best->least_gain())) best = scale;
  }
  return best;
}

/// "the torque of joint_3, beside those of joint_1 and joint_5,"
std::string with_others(const std::string& subject, const std::set<std::string>& others) {
  std::string names;
  std::size_t left = others.size();
  for (const std::string& joint : others) {
    names += (names.empty() ? "" : left == 1 ? " and " : ", ") + joint;
    --left;
  }
  return others.empty() ? subject : subject + ", besides those of " + names + ",";
}

}  // namespace

Result<Hypothesis> with_further_scales(const Profile& profile, Hypothesis best) {
  const HypothesisInput& input = profile.input();
  HEFT_TRY(as_they_are, profile.moments_as_it_is());
  Moments sums = *as_they_are;
  const Robot& robot = input.setup.plan().robot;
  Excerpt training = input.training, held_out = input.held_out;
  LogFormat log = input.log;
  std::set<std::string> others;
  Hypothesis latest = best;
  const int most = 2 * robot.num_coordinates();  // one that was found first is found again, once
                                                 // the others are undone
  for (int round = 0; round < most; ++round) {
    Faults scales;
    torque_scales(input, scales);
    const auto fault = std::find_if(scales.begin(), scales.end(), [&](const auto& scale) {
      return scale->joint() == latest.joint;
    });
    if (fault == scales.end()) break;
    const double size = -std::log(latest.value);
    training = undone(training, **fault, size);
    held_out = undone(held_out, **fault, size);
    sums = with_divided_torque(std::move(sums), *(*fault)->divided_torque(size));
    for (int k = 0; k < robot.num_coordinates(); ++k)
      if (const std::string& name = robot.coordinates[static_cast<std::size_t>(k)].name;
          name == latest.joint)
        log.torque_scale.set(name, k, log.torque_scale.of(name, k) * latest.value);
    const HypothesisInput as_weighted = input.on(training, held_out, log);
    const Profile before(as_weighted, profile.workers(), sums);
    HEFT_TRY(weights, before.weights_left());
    const HypothesisInput now = as_weighted.weighted(weights);
    HEFT_TRY(found, next_scale(before.under_weights_of(now)));
    if (!found) break;
    latest = std::move(*found);
    if (latest.joint != best.joint) others.insert(latest.joint);
    best.yaml = latest.yaml;
    best.training_after = latest.training_after;
    best.held_out_after = latest.held_out_after;
  }
  best.subject = with_others(best.subject, others);
  return best;
}

}  // namespace heft
