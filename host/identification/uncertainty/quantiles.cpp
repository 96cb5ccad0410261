#include "uncertainty/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace heft {

namespace {

constexpr double kManyDegrees = 100;  ///< from which on the expansion is right to eight digits

constexpr double kFarthestNormal = 40;  ///< beyond which the density is zero
constexpr int kMaxSteps = 1000;

/// B(a, b) for a + b < 170.
double beta(double a, double b) {
  return std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b);
}

/// I_x(a, b), the regularized incomplete beta function, for x < (a + 1) / (a + b + 2): its
/// continued fraction [Abramowitz, Stegun 1964, 26.5.8] by Lentz's way. `beta`: B(a, b).
double incomplete_beta(double x, double a, double b, double beta) {
  constexpr int kMaxTerms = 500;
  constexpr double kTiny = 1e-300, kEpsilon = std::numeric_limits<double>::epsilon();
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

/// Student's t with fewer than kManyDegrees degrees of freedom, for t >= 0.
class Student {
 public:
  explicit Student(double degrees) : degrees_(degrees), beta_(beta(0.5 * degrees, 0.5)) {}

  /// P(T > t) [26.7.1].
  double tail(double t) const {
    const double a = 0.5 * degrees_, b = 0.5, x = degrees_ / (degrees_ + t * t);
    if (x < (a + 1) / (a + b + 2)) return 0.5 * incomplete_beta(x, a, b, beta_);
    return 0.5 * (1 - incomplete_beta(t * t / (degrees_ + t * t), b, a, beta_));
  }
  double density(double t) const {
    return std::exp(-0.5 * (degrees_ + 1) * std::log1p(t * t / degrees_)) /
           (std::sqrt(degrees_) * beta_);
  }

 private:
  double degrees_, beta_;
};

struct Normal {
  double tail(double z) const { return 0.5 * std::erfc(z / std::sqrt(2.0)); }
  double density(double z) const {
    return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  }
};

/// Returns where the tail is `target`, between 0 and 1/2. Newton's steps from below stay below,
/// because a tail is convex: the first step that does not increase is one of rounding.
template <class Distribution>
double quantile_of_tail(const Distribution& distribution, double target) {
  double at = 0;
  for (int k = 0; k < kMaxSteps; ++k) {
    const double next = at + (distribution.tail(at) - target) / distribution.density(at);
    if (!(next > at)) break;
    at = next;
  }
  return at;
}

}  // namespace

double normal_quantile(double probability) {
  const bool is_below = probability < 0.5;
  const double tail = is_below ? probability : 1 - probability;
  const double z =
      tail > Normal().tail(kFarthestNormal) ? quantile_of_tail(Normal(), tail) : kFarthestNormal;
  return is_below ? -z : z;
}

double student_quantile(double probability, double degrees) {
  if (!(degrees > 0)) return std::numeric_limits<double>::infinity();
  if (degrees >= kManyDegrees) {
    const double z = normal_quantile(probability), z2 = z * z;
    const double g1 = z * (z2 + 1) / 4;
    const double g2 = z * ((5 * z2 + 16) * z2 + 3) / 96;
    const double g3 = z * (((3 * z2 + 19) * z2 + 17) * z2 - 15) / 384;
    return z + (g1 + (g2 + g3 / degrees) / degrees) / degrees;
  }
  if (probability < 0.5) return -student_quantile(1 - probability, degrees);
  return quantile_of_tail(Student(degrees), 1 - probability);
}

}  // namespace heft
