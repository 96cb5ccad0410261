#include "evidence/motor_turns.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

#include "base/parallel_tasks.hpp"
#include "faults/fault.hpp"
#include "heft/executor/executor.hpp"
#include "refit_residuals.hpp"

namespace heft {

namespace {

constexpr double kDegreesOfARadian = 180 / std::numbers::pi;
constexpr double kSmallestGear = 2, kLargestGear = 1000;
constexpr double kOtherThanDegrees = 0.1;  ///< log of a ratio: nearer is degrees
constexpr double kCertain = 8;             ///< nats over degrees, on training and held-out logs

/// Residual with positions divided by each of `ratios`.
Result<std::vector<Left>> left_with(const HypothesisInput& input, int coordinate,
                                    const Workers& workers, const std::vector<double>& ratios) {
  const auto fault = position_scale(coordinate, {}, 1);
  std::vector<Left> all(ratios.size());
  const auto explain = [&](std::int64_t index, int) -> Result<Done> {
    const auto at = static_cast<std::size_t>(index);
    const Excerpt training = undone(input.training, *fault, std::log(ratios[at])),
                  held_out = undone(input.held_out, *fault, std::log(ratios[at]));
    Explained answer;
    HEFT_TRY(left, explained_again(input.on(training, held_out), workers, answer));
    all[at] = std::move(left);
    return Done{};
  };
  HEFT_CHECK(parallel_tasks(std::ssize(ratios), workers.num_threads, workers.progress,
                            "estimating a gear ratio", explain));
  return all;
}

/// Ratios with which the positions fit between the joint's limits, if it has any.
std::vector<double> possible_ratios(const HypothesisInput& input, int coordinate) {
  double low = INFINITY, high = -INFINITY;
  for (const Samples& stretch : input.training.stretches) {
    low = std::min(low, stretch.position.col(coordinate).minCoeff());
    high = std::max(high, stretch.position.col(coordinate).maxCoeff());
  }
  const Coordinate& joint =
      input.setup.plan().robot.coordinates[static_cast<std::size_t>(coordinate)];
  const double allowed = 1.1 * (joint.upper - joint.lower);
  std::vector<double> ratios;
  for (double ratio = kSmallestGear; ratio < kLargestGear; ratio *= 1.2)
    if (!std::isfinite(allowed) || high - low < allowed * ratio) ratios.push_back(ratio);
  return ratios;
}

}  // namespace

Result<std::optional<double>> motor_turns(const HypothesisInput& input, int coordinate,
                                          int num_threads, const Progress& progress) {
  const std::optional<double> none;
  if (input.training.stretches.empty()) return none;
  HEFT_TRY(backend, make_backend({.kind = BackendKind::cpu, .threads = 1}));
  const Workers workers{*backend, num_threads, progress};
  HEFT_TRY(of_degrees, left_with(input, coordinate, workers, {kDegreesOfARadian}));
  const Left& degrees = of_degrees.front();
  std::vector<double> ratios = possible_ratios(input, coordinate);
  double best = kDegreesOfARadian;
  Better training, held_out;
  for (const double step : {1.06, 1.02, 1.0}) {
    if (ratios.empty()) return none;
    HEFT_TRY(left, left_with(input, coordinate, workers, ratios));
    for (std::size_t k = 0; k < ratios.size(); ++k) {
      const Better found = better(input.training, degrees.training, left[k].training);
      if (!(found.fall > training.fall)) continue;
      training = found;
      held_out = better(input.held_out, degrees.held_out, left[k].held_out);
      best = ratios[k];
    }
    ratios = {best / (step * step), best / step, best * step, best * step * step};
  }
  const bool is_certain =
      training.gain >= kCertain && (input.held_out.stretches.empty() || held_out.gain >= kCertain);
  if (!is_certain || std::abs(std::log(best / kDegreesOfARadian)) < kOtherThanDegrees) return none;
  return std::optional<double>(best);
}

}  // namespace heft
