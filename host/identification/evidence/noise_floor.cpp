#include "evidence/noise_floor.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/median.hpp"

namespace heft {

namespace {

constexpr double kUpperOfFloor = 1.4, kLowerOfFloor = 0.5;  ///< times the estimate

}  // namespace

NoiseFloor noise_floor(const std::vector<Eigen::ArrayXXd>& residuals, double sample_period_s,
                       double bandwidth_hz) {
  NoiseFloor floor;
  if (residuals.empty() || !(sample_period_s > 0) || !(bandwidth_hz > 0)) return floor;
  const auto lag =
      static_cast<Eigen::Index>(std::max(1.0, std::round(0.5 / (bandwidth_hz * sample_period_s))));
  const Eigen::Index num_channels = residuals[0].cols();
  std::vector<std::vector<double>> sizes(static_cast<std::size_t>(num_channels));
  for (const Eigen::ArrayXXd& e : residuals)
    for (Eigen::Index k = lag; k + lag < e.rows(); ++k)
      for (Eigen::Index c = 0; c < num_channels; ++c) {
        const double difference = e(k - lag, c) - 2 * e(k, c) + e(k + lag, c);
        if (!std::isfinite(difference)) continue;
        sizes[static_cast<std::size_t>(c)].push_back(std::abs(difference));
      }
  // white noise of variance s^2 has second differences of variance (1 + 4 + 1) s^2; friction at
  // turning points, where a model of it errs, makes few but large ones
  Eigen::VectorXd estimate(num_channels);
  for (Eigen::Index c = 0; c < num_channels; ++c) {
    std::vector<double>& all = sizes[static_cast<std::size_t>(c)];
    estimate[c] = all.empty() ? std::numeric_limits<double>::quiet_NaN()
                              : kDeviationOverMad * median(std::move(all)) / std::sqrt(6.0);
  }
  floor.upper = kUpperOfFloor * estimate;
  floor.lower = kLowerOfFloor * estimate;
  return floor;
}

}  // namespace heft
