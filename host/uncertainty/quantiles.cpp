#include "uncertainty/quantiles.hpp"

#include <cmath>

namespace heft {

double normal_quantile(double probability) {
  double lower = -40, upper = 40;
  for (int i = 0; i < 100; ++i) {
    const double middle = 0.5 * (lower + upper);
    (0.5 * std::erfc(-middle / std::sqrt(2.0)) < probability ? lower : upper) = middle;
  }
  return 0.5 * (lower + upper);
}

double student_quantile(double probability, double degrees) {
  const double z = normal_quantile(probability), z2 = z * z;
  const double g1 = z * (z2 + 1) / 4;
  const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
  const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
  return z + (g1 + (g2 + g3 / degrees) / degrees) / degrees;
}

}  // namespace heft
