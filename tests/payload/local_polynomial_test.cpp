// A polynomial through the newest samples: exact on polynomials for any stamps, and as wide as its
// cutoff requires.
#include "host/applications/payload/samples/local_polynomial.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace heft {
namespace {

using payload::LocalPolynomial;

TEST(LocalPolynomial, IsExactOnPolynomialsOfItsDegree) {
  constexpr int kHalf = 6;
  LocalPolynomial local(2, kHalf, 4);
  const auto value = [](double t) { return 1 + t * (-2 + t * (0.5 + t * (0.3 - 0.1 * t))); };
  const auto slope = [](double t) { return -2 + t * (1 + t * (0.9 - 0.4 * t)); };
  const auto bend = [](double t) { return 1 + t * (1.8 - 1.2 * t); };
  std::vector<double> times;
  int filled = 0;
  for (int k = 0; k < 60; ++k) {
    const double t = 0.01 * k + 0.003 * std::sin(7.0 * k);  // stamps jitter
    times.push_back(t);
    Eigen::RowVectorXd values(2);
    values << value(t), 5 - 3 * t;
    if (!local.add(t, values)) continue;
    ++filled;
    const double at = times[static_cast<std::size_t>(k - kHalf)];
    ASSERT_EQ(local.time(), at);
    // rounding of values, over the window's half width to the power of the derivative
    EXPECT_NEAR(local.fit()(0, 0), value(at), 1e-13);
    EXPECT_NEAR(local.fit()(1, 0), slope(at), 1e-13 / 0.06 * 10);
    EXPECT_NEAR(local.fit()(2, 0), bend(at), 1e-13 / (0.06 * 0.06) * 30);
    EXPECT_NEAR(local.fit()(1, 1), -3, 1e-13 / 0.06 * 10);
  }
  EXPECT_EQ(filled, 60 - 2 * kHalf);
  local.restart();
  for (int k = 0; k < 2 * kHalf; ++k) EXPECT_FALSE(local.add(k, Eigen::RowVectorXd::Ones(2)));
  EXPECT_TRUE(local.add(2 * kHalf, Eigen::RowVectorXd::Ones(2)));
}

// what a sine of the cutoff loses, seen from outside: about half its power
TEST(LocalPolynomial, IsAsWideAsItsCutOff) {
  constexpr double kRate = 500;
  for (const double cutoff : {5.0, 10.0, 20.0}) {
    const int half = LocalPolynomial::half_width_of(cutoff, kRate, 4);
    LocalPolynomial local(2, half, 4);
    double power = 0;
    for (int k = 0; k <= 2 * half; ++k) {
      Eigen::RowVectorXd values(2);
      const double phase = 2 * M_PI * cutoff * (k - half) / kRate;
      values << std::cos(phase), std::sin(phase);
      if (local.add(k / kRate, values)) power = local.fit().row(0).squaredNorm();
    }
    EXPECT_GT(power, 0.4) << cutoff;
    EXPECT_LT(power, 0.6) << cutoff;
  }
}

}  // namespace
}  // namespace heft
