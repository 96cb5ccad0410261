// Intervals of estimates with two sources of error: noise, and the error of the prior.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <optional>

#include "block_noise.hpp"
#include "heft/uncertainty/uncertainty.hpp"

namespace heft {

/// Sets the standard errors of noise and prior together, with the degrees of freedom of a sum of
/// two estimated variances [Satterthwaite 1946].
inline void put_sum(const Spread& noise, const Eigen::VectorXd& prior_deviation,
                    double prior_degrees, Eigen::VectorXd& standard_error,
                    Eigen::VectorXd& degrees) {
  const Eigen::ArrayXd by_noise = noise.variance.array(),
                       by_prior = prior_deviation.array().square(), sum = by_noise + by_prior;
  standard_error = sum.sqrt();
  degrees = (sum > 0 && sum.isFinite())
                .select(sum.square() / (by_noise.square() / noise.degrees.array() +
                                        by_prior.square() / prior_degrees),
                        noise.degrees.array());
}

/// Returns biases, zero if they are unknown.
inline Eigen::VectorXd or_zero(const Eigen::VectorXd& systematic, Eigen::Index size) {
  return systematic.size() > 0 ? systematic : Eigen::VectorXd::Zero(size);
}

/// Returns the interval about the estimate, extended to contain the bootstrap's; empty if the
/// half-width is not finite.
inline std::optional<Interval> joined(double estimate, double half_width,
                                      const std::optional<Interval>& resampled) {
  if (!std::isfinite(half_width)) return std::nullopt;
  const Interval own{estimate - half_width, estimate + half_width};
  if (!resampled) return own;
  return Interval{std::min(resampled->lower, own.lower), std::max(resampled->upper, own.upper)};
}

}  // namespace heft
