#include "chi_squared.hpp"

#include <algorithm>
#include <cmath>

namespace heft::sisters {

namespace {

constexpr double kMaxDigits = 300;  // beyond it doubles underflow

}  // namespace

double chi_squared_improbability(double x, int degrees) {
  if (!(x > 0)) return 0;
  // Q(a + 1, y) = Q(a, y) + y^a e^-y / Gamma(a + 1), from Q(1/2, y) = erfc(sqrt y) or Q(1, y) = e^-y
  const double y = 0.5 * x;
  double a = degrees % 2 == 1 ? 0.5 : 1.0;
  double tail = degrees % 2 == 1 ? std::erfc(std::sqrt(y)) : std::exp(-y);
  for (; a < 0.5 * degrees - 0.25; a += 1) tail += std::exp(a * std::log(y) - y - std::lgamma(a + 1));
  return tail > 0 ? std::clamp(-std::log10(tail), 0.0, kMaxDigits) : kMaxDigits;
}

double chi_squared_median(int degrees) {
  const double k = degrees;
  return k * std::pow(1 - 2 / (9 * k), 3);
}

}  // namespace heft::sisters
