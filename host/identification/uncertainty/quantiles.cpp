#include "uncertainty/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace heft {

namespace {

constexpr double kManyDegrees = 100;  ///< from which on the expansion is right to eight digits

/// I_x(a, b), the regularized incomplete beta function, for x < (a + 1) / (a + b + 2) and a + b <
/// 170: its continued fraction [Abramowitz, Stegun 1964, 26.5.8] by Lentz's way.
double incomplete_beta(double x, double a, double b) {
  constexpr int kMaxTerms = 500;
  constexpr double kTiny = 1e-300, kEpsilon = std::numeric_limits<double>::epsilon();
  const double beta = std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b);
  const double before = std::exp(a * std::log(x) + b * std::log1p(-x)) / (a * beta);
  double fraction = 1, above = 1, below = 0;
  for (int k = 0; k < kMaxTerms; ++k) {
    const double m = k / 2;
    double term = 1;
    if (k > 0)
      term = k % 2 == 0 ? m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
                        : -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    below = 1 / std::max(1 + term * below, kTiny);
    above = std::max(1 + term / above, kTiny);
    fraction *= above * below;
    if (std::abs(above * below - 1) < 4 * kEpsilon) break;
  }
  return before * (fraction - 1);
}

/// P(T > t) of Student's t, t >= 0 [26.7.1].
double student_tail(double t, double degrees) {
  const double a = 0.5 * degrees, b = 0.5, x = degrees / (degrees + t * t);
  if (x < (a + 1) / (a + b + 2)) return 0.5 * incomplete_beta(x, a, b);
  return 0.5 * (1 - incomplete_beta(t * t / (degrees + t * t), b, a));
}

}  // namespace

double normal_quantile(double probability) {
  double lower = -40, upper = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (lower + upper);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? lower : upper) = middle;
  }
  return 0.5 * (lower + upper);
}

double student_quantile(double probability, double degrees) {
  if (!(degrees > 0)) return std::numeric_limits<double>::infinity();
  const double z = normal_quantile(probability), z2 = z * z;
  if (degrees >= kManyDegrees) {
    const double g1 = z * (z2 + 1) / 4;
    const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
    const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + (g1 + (g2 + g3 / degrees) / degrees) / degrees;
  }
  if (probability < 0.5) return -student_quantile(1 - probability, degrees);
  double lower = 0, upper = 1;
  while (std::isfinite(upper) && student_tail(upper, degrees) > 1 - probability)
    lower = upper, upper *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (lower + upper);
    (student_tail(middle, degrees) > 1 - probability ? lower : upper) = middle;
  }
  return 0.5 * (lower + upper);
}

}  // namespace heft
