#include "thinned_samples.hpp"

#include <algorithm>
#include <cmath>

#include "evidence/excerpt.hpp"

namespace heft {

/// Every k-th sample is enough: the power of a product of low-passed signals ends at 2.5 times the
/// bandwidth of the low-pass (twice it, and what its slope lets through).
Eigen::Index step_of(const HypothesisInput& input) {
  constexpr double kOfBandwidth = 2.5, kMaxStep = 8;
  constexpr Eigen::Index kMinSamplesLeft = 60;  // samples of a stretch that are left
  const ConditioningOptions& options = input.conditioning;
  double step = options.filter == FilterKind::butterworth && options.lowpass_hz > 0 ? kMaxStep : 1;
  const double bandwidth = std::max(options.lowpass_hz, options.torque_lowpass_hz);
  for (const Samples& stretch : input.training.stretches) {
    if (stretch.unfiltered) return 1;
    step = std::min({step, 1 / (period_of(stretch) * kOfBandwidth * bandwidth),
                     static_cast<double>(stretch.size() / kMinSamplesLeft)});
  }
  return static_cast<Eigen::Index>(std::max(1.0, std::floor(step)));
}

Eigen::ArrayXXd thinned(const Eigen::ArrayXXd& numbers, Eigen::Index step) {
  if (step == 1 || numbers.size() == 0) return numbers;
  return numbers(Eigen::seq(0, numbers.rows() - 1, step), Eigen::all);
}

Samples thinned(const Samples& stretch, Eigen::Index step) {
  if (step == 1) return stretch;
  Samples few{.time = stretch.time(Eigen::seq(0, stretch.size() - 1, step))};
  for_each_array(stretch, [&](const SampleArray& array, const Eigen::ArrayXXd& numbers) {
    few.*array.member = thinned(numbers, step);
  });
  return few;
}

}  // namespace heft
