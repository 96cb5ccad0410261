#include "half_widths.hpp"

#include <cmath>

#include "uncertainty/quantiles.hpp"

namespace heft {

namespace {

/// P(|z + shift| <= width) of a standard normal z.
double held_within(double width, double shift) {
  const double root = std::sqrt(0.5);
  return 0.5 * (std::erfc(root * (shift - width)) - std::erfc(root * (shift + width)));
}

/// Returns the half-width, in standard deviations, that contains a normal variable with mean
/// `shift` with probability `confidence`; between `quantile`, that without a shift, and quantile +
/// shift.
double width_with(double shift, double confidence, double quantile) {
  double lower = quantile, upper = quantile + shift;
  for (int i = 0; i < 50; ++i) {
    const double middle = 0.5 * (lower + upper);
    (held_within(middle, shift) < confidence ? lower : upper) = middle;
  }
  return upper;
}

}  // namespace

Eigen::VectorXd half_widths(const Eigen::VectorXd& systematic,
                            const Eigen::VectorXd& standard_error, const Eigen::VectorXd& degrees,
                            double confidence) {
  const double normal = normal_quantile(0.5 * (1 + confidence));
  Eigen::VectorXd widths = standard_error;
  for (Eigen::Index k = 0; k < widths.size(); ++k) {
    const double bias = std::abs(systematic[k]);
    const double alone = standard_error[k] * student_quantile(0.5 * (1 + confidence), degrees[k]);
    const double deviation = alone / normal;
    // without noise the bias itself
    if (deviation <= 1e-9 * bias) {
      widths[k] = bias;
      continue;
    }
    widths[k] = bias > 0 && std::isfinite(deviation)
                    ? deviation * width_with(bias / deviation, confidence, normal)
                    : alone;
  }
  return widths;
}

}  // namespace heft
