// Quantiles compared with closed forms of one, two and four degrees of freedom, and with Simpson's
// rule for any number.
#include "uncertainty/quantiles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace heft {
namespace {

constexpr double kProbabilities[] = {0.5001, 0.6, 0.9, 0.975, 0.995, 0.9999};
constexpr double kTolerance = 1e-12;  // relative: of rounding in a tail of 1e-4

TEST(StudentQuantile, OfOneTwoAndFourDegrees) {
  for (const double p : kProbabilities) {
    const double one = std::tan(std::numbers::pi * (p - 0.5));
    EXPECT_NEAR(student_quantile(p, 1), one, kTolerance * one);
    const double two = (2 * p - 1) / std::sqrt(2 * p * (1 - p));
    EXPECT_NEAR(student_quantile(p, 2), two, kTolerance * two);
    const double a = 4 * p * (1 - p), c = std::cos(std::acos(std::sqrt(a)) / 3) / std::sqrt(a);
    const double four = 2 * std::sqrt(c - 1);
    const double cancelled = 8 * std::numeric_limits<double>::epsilon() / four;  // by c - 1
    EXPECT_NEAR(student_quantile(p, 4), four, kTolerance * four + cancelled);
  }
}

/// P(T <= t) - 1/2: with t = sqrt(n) tan(angle) the density is a power of the cosine.
double beyond_half(double t, double degrees) {
  const auto integral = [&](double end) {
    constexpr int kSteps = 20000;
    const double h = end / kSteps;
    double sum = 0;
    for (int k = 0; k <= kSteps; ++k)
      sum += (k == 0 || k == kSteps ? 1
              : k % 2 == 1          ? 4
                                    : 2) *
             std::pow(std::cos(k * h), degrees - 1);
    return sum * h / 3;
  };
  return 0.5 * integral(std::atan(t / std::sqrt(degrees))) / integral(std::numbers::pi / 2);
}

TEST(StudentQuantile, HasItsProbabilityForAnyDegrees) {
  for (const double degrees : {3.0, 4.25, 7.5, 23.0, 60.0, 99.9})
    for (const double p : kProbabilities)
      EXPECT_NEAR(beyond_half(student_quantile(p, degrees), degrees), p - 0.5, 1e-11) << degrees;
  for (const double degrees : {100.0, 250.0, 1e4})
    for (const double p : {0.6, 0.9, 0.975, 0.995})
      EXPECT_NEAR(beyond_half(student_quantile(p, degrees), degrees), p - 0.5, 1e-8) << degrees;
}

TEST(StudentQuantile, IsOddAndGrowsWithTheTail) {
  for (const double degrees : {0.5, 1.0, 3.0, 30.0, 300.0}) {
    EXPECT_NEAR(student_quantile(0.025, degrees), -student_quantile(0.975, degrees),
                1e-9 * student_quantile(0.975, degrees));
    EXPECT_GT(student_quantile(0.975, 0.9 * degrees), student_quantile(0.975, degrees));
  }
  EXPECT_EQ(student_quantile(0.975, 0), std::numeric_limits<double>::infinity());
  EXPECT_NEAR(student_quantile(0.975, 1e12), normal_quantile(0.975), 1e-11);
}

TEST(NormalQuantile, HasItsProbability) {
  for (const double p : {1e-6, 0.025, 0.5, 0.975, 0.999}) {
    const double tail = 0.5 * std::erfc(-normal_quantile(p) / std::numbers::sqrt2);
    EXPECT_NEAR(tail, p, 4 * std::numeric_limits<double>::epsilon());
  }
}

}  // namespace
}  // namespace heft
