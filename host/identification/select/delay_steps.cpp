// Delays of single torques. The torque of one joint at another delay changes the squared error of
// its own channel alone while the parameters stay: the passes on either side of the current delay,
// in which all torques move together, give the parabola of every joint. Joints share the median of
// their vertices; only those whose own vertex promises a sufficient gain over it get a trial.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "base/median.hpp"
#include "identify/gathering.hpp"
#include "search.hpp"

namespace heft::select {

namespace {

constexpr double kResolution = 1e-4;  // [s]
constexpr double kLeastDelay = 5e-4;  ///< [s]; smaller ones are rounding of the parabola
constexpr double kSensitive = 0.02;   ///< relative change of squares by a step that shows a delay
constexpr double kErrorsOfDelay = 2;  ///< standard errors that it must gain: its sign is free

/// A delay of one joint and the share of the error of all joints that it promises to remove.
struct JointDelay {
  int channel = 0;
  double delay_s = 0;
  double gain = 0;
};

Eigen::ArrayXd squares_by_channel(const Moments& moments, const Eigen::VectorXd& x) {
  Eigen::ArrayXd squares(moments.plan->num_channels());
  for (Eigen::Index c = 0; c < squares.size(); ++c)
    squares[c] = std::max(0.0, residual_sum(moments, static_cast<int>(c), x));
  return squares;
}

/// Delays of all joints, and of those that differ.
struct Delays {
  double common_s = 0;
  std::vector<JointDelay> of_joints;  ///< best first
};

double rounded(double delay_s) {
  return kResolution * std::round(std::clamp(delay_s, kMinDelay, kMaxDelay) / kResolution);
}

/// Delays from the squared errors a step earlier, now and a step later, of joints that promise
/// `min_gain`.
Delays promising(const RegressorPlan& plan, const Eigen::ArrayXd& earlier,
                 const Eigen::ArrayXd& now, const Eigen::ArrayXd& later, double start_s,
                 double min_gain) {
  const Eigen::ArrayXd curvature = earlier - 2 * now + later;
  std::vector<int> sensitive;
  std::vector<double> vertices;
  for (int c = 0; c < plan.num_channels(); ++c) {
    if (plan.channels[static_cast<std::size_t>(c)].coordinate < 0 ||
        !(curvature[c] > kSensitive * now[c]))
      continue;
    sensitive.push_back(c);
    vertices.push_back(
        rounded(start_s + 0.5 * kDelayStep * (earlier[c] - later[c]) / curvature[c]));
  }
  Delays found{.common_s = start_s};
  if (sensitive.size() < 2) return found;
  found.common_s = rounded(balanced_median(vertices));
  for (std::size_t i = 0; i < sensitive.size(); ++i) {
    const int c = sensitive[i];
    const double steps = (vertices[i] - found.common_s) / kDelayStep;
    // half: of the error, not its square
    const double gain = 0.5 * std::min(0.5 * steps * steps * curvature[c], now[c]) / now.sum();
    if (std::abs(vertices[i] - found.common_s) >= kLeastDelay && gain >= min_gain)
      found.of_joints.push_back({c, vertices[i], gain});
  }
  std::ranges::stable_sort(
      found.of_joints, [](const JointDelay& a, const JointDelay& b) { return a.gain > b.gain; });
  return found;
}

/// Abscissa of the minimum of the parabola through (0, none), (1, near) and (ratio, far), where
/// ratio > 1; NaN if it has no minimum.
double vertex_of_parabola(double none, double near, double far, double ratio) {
  const double slope = near - none, curvature = ((far - near) / (ratio - 1) - slope) / ratio;
  return curvature > 0 ? 0.5 - 0.5 * slope / curvature : std::nan("");
}

}  // namespace

Result<bool> Search::delay_joints(const Moments& earlier, const Moments& later,
                                  const std::optional<FoldErrors>& common) {
  const Moments& moments = standing_.moments;
  const double start_s = standing_.choice.conditioning.torque_delay_s.for_all;
  const bool is_of_joints = earlier.plan && later.plan && !moments.plan->whitened_from &&
                            !moments.is_summed() && moments.plan->num_channels() > 1 &&
                            standing_.choice.conditioning.rows == "torque" &&
                            standing_.choice.model.contacts.empty();
  if (!is_of_joints) return false;
  Setup setup = request_.setup;
  setup.prior.weight = standing_.choice.weight_of_prior;
  HEFT_TRY(x, point_estimate(moments, setup, estimation()));
  const Delays delays =
      promising(*moments.plan, squares_by_channel(earlier, x), squares_by_channel(moments, x),
                squares_by_channel(later, x), start_s, options_.min_gain);
  bool has_any = false;
  for (const JointDelay& delay : delays.of_joints) {
    if (!has_room()) break;
    const Channel& channel =
        standing_.moments.plan->channels[static_cast<std::size_t>(delay.channel)];
    std::optional<Trial> best;
    const auto try_delay = [&](double delay_s) -> Result<double> {
      ModelChoice choice = standing_.choice;
      choice.conditioning.torque_delay_s.for_all = delays.common_s;
      choice.conditioning.torque_delay_s.set(channel.name, channel.coordinate, delay_s);
      HEFT_TRY(trial,
               try_pass(fmt::format("delay of {} {:g} ms", channel.name, 1e3 * delay_s), choice));
      const double squared = trial.errors.squared.sum();
      refuse(trial.option, trial.gain, kErrorsOfDelay);
      const bool beats_common =
          has_any || !common ||
          is_worth_it(stable_gain(*common, trial.errors, division_sizes(options_.folds)),
                      kErrorsOfDelay);
      if (beats_common && is_worth_it(trial.gain, kErrorsOfDelay) &&
          (!best || trial.errors.relative() < best->errors.relative()))
        best = std::move(trial);
      return squared;
    };
    // parameters that were fitted without the delay hide a part of it: twice as far, then the
    // vertex of the parabola through the errors of new fits
    const double step_s = delay.delay_s - delays.common_s;
    HEFT_TRY(near, try_delay(delay.delay_s));
    if (!best) continue;
    const double far_s = rounded(delays.common_s + 2 * step_s);
    const double ratio = (far_s - delays.common_s) / step_s;  // below 2 at the end of the range
    if (ratio > 1.1) {
      HEFT_TRY(far, try_delay(far_s));
      const double vertex = vertex_of_parabola(standing_.errors.squared.sum(), near, far, ratio);
      if (std::abs(vertex - 1) > 0.1 && std::abs(vertex - ratio) > 0.1)
        HEFT_CHECK(try_delay(rounded(delays.common_s + vertex * step_s)));
    }
    accept(std::move(*best), "delay");
    has_any = true;
  }
  return has_any;
}

}  // namespace heft::select
