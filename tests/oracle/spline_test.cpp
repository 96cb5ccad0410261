// De Boor's splines: polynomials that they must reproduce, by hand and by Marsden's identity;
// derivatives compared with central differences.
#include "tests/oracle/spline.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/oracle/random.hpp"

namespace heft::oracle {
namespace {

TEST(Spline, OfDegreeOneJoinsItsControlPoints) {
  const Spline spline = uniform_spline(1, 2, {3, 5, -1});
  EXPECT_EQ(spline.value(0), 3);
  EXPECT_EQ(spline.value(1), 4);
  EXPECT_EQ(spline.value(2), 5);
  EXPECT_EQ(spline.value(4), -1);
  EXPECT_EQ(spline.derivative().value(1), 1);
  EXPECT_EQ(spline.derivative().value(3), -3);
}

TEST(Spline, OfUnevenKnotsReproducesPolynomials) {
  // (t - a)^p has the control points (t_{i+1} - a) .. (t_{i+p} - a) [Marsden 1970]
  Spline spline{4, {0, 1, 1.5, 3, 4, 4.25, 6, 7, 9, 11, 12}, {}};
  const long double a = 2;
  for (int i = 0; i < 6; ++i) {
    long double product = 1;
    for (int j = 1; j <= 4; ++j) product *= spline.knots[i + j] - a;
    spline.control.push_back(product);
  }
  for (const long double t : {4.0L, 4.1L, 4.25L, 5.0L, 6.5L, 7.0L}) {
    EXPECT_NEAR(static_cast<double>(spline.value(t) - std::pow(t - a, 4)), 0, 1e-15);
    EXPECT_NEAR(static_cast<double>(spline.derivative().value(t) - 4 * std::pow(t - a, 3)), 0,
                1e-15);
  }
}

TEST(Spline, DerivativesAreThoseOfTheValues) {
  Random random(3);
  std::vector<long double> control;
  for (int i = 0; i < 12; ++i) control.push_back(random.normal());
  const Spline spline = uniform_spline(5, 0.5L, control);
  const Spline first = spline.derivative(), second = first.derivative();
  const long double step = 1e-5L;
  for (const long double t : {0.1L, 0.5L, 1.7L, 3.4L}) {
    const auto slope = [&](const Spline& of) {
      return (of.value(t + step) - of.value(t - step)) / (2 * step);
    };
    // step^2 / 6 times a third derivative of at most some 1e3, and 1e-19 / step
    EXPECT_NEAR(static_cast<double>(slope(spline) - first.value(t)), 0, 1e-7);
    EXPECT_NEAR(static_cast<double>(slope(first) - second.value(t)), 0, 1e-6);
    EXPECT_GT(std::abs(static_cast<double>(second.value(t))), 0.01);
  }
}

}  // namespace
}  // namespace heft::oracle
