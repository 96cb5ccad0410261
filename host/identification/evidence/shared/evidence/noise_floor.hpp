// Bounds of the noise floor: the part of the torques that no model of the motion explains.
#pragma once

#include <Eigen/Core>

#include "evidence/excerpt.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A bracket of the noise per channel.
struct NoiseFloor {
  Eigen::VectorXd lower, upper;  ///< rms per channel; NaN: unknown
};

/// Estimates the noise floor. `residuals` of every stretch are num_samples x num_channels, NaN
/// where a row is not used. `bandwidth_hz` is that of the noise after filtering. `lower` and
/// `upper` bracket the rms of the noise by the median size of second differences over sqrt 6, at
/// the lag 1 / (2 bandwidth): at this lag white noise is uncorrelated, and errors of the model,
/// which vary as slowly as the motion, cancel. Colored noise has a longer correlation, so the
/// differences may show only 0.7 of it; errors of the model that do not cancel increase them by up
/// to a factor of 1.9 (logs of bench/real_logs).
NoiseFloor noise_floor(const std::vector<Eigen::ArrayXXd>& residuals, double sample_period_s,
                       double bandwidth_hz);

}  // namespace heft
#pragma GCC visibility pop
