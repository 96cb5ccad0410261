#include "chi_squared.hpp"

#include <algorithm>
#include <cmath>

namespace heft::population {

namespace {

constexpr double kMaxDigits = 300;  // beyond it doubles underflow
constexpr int kTerms = 200;         ///< of series and fraction: more than any of them needs up to a
                                    ///< hundred degrees

/// log Q(a, y) of the incomplete gamma function: by the series of P up to a + 1, by Legendre's
/// continued fraction beyond [Abramowitz, Stegun 1964, 6.5.29 and 6.5.31].
double log_upper_gamma(double a, double y) {
  const double log_front = a * std::log(y) - y - std::lgamma(a);
  if (y < a + 1) {
    double term = 1 / a, sum = term;
    for (int k = 1; k <= kTerms; ++k) term *= y / (a + k), sum += term;
    return std::log1p(-std::exp(log_front) * sum);
  }
  double rest = 0;
  for (int k = kTerms; k > 0; --k) rest = k * (a - k) / (y + 2 * k + 1 - a + rest);
  return log_front - std::log(y + 1 - a + rest);
}

}  // namespace

double chi_squared_improbability(double x, double degrees) {
  if (!(x > 0)) return 0;
  return std::clamp(-log_upper_gamma(0.5 * degrees, 0.5 * x) / std::log(10.0), 0.0, kMaxDigits);
}

double chi_squared_median(double degrees) {
  return degrees * std::pow(1 - 2 / (9 * degrees), 3);
}

double chi_squared_deviate(double x, double degrees) {
  const double variance = 2 / (9 * degrees);
  return (std::cbrt(x / degrees) - (1 - variance)) / std::sqrt(variance);
}

}  // namespace heft::population
