// Splines of motions compared with de Boor's algorithm in long double, polynomials and finite
// differences.
#include "heft/core/spline.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "heft/model/generated_motion.hpp"
#include "model/sample_view.hpp"
#include "tests/oracle/random.hpp"
#include "tests/oracle/spline.hpp"

namespace heft {
namespace {

constexpr double kEps = 2.3e-16;

SplineMotion random_spline(int num_points, std::uint64_t seed, double interval = 0.3) {
  oracle::Random random(seed);
  SplineMotion motion{.interval = interval};
  motion.control.resize(num_points, 1);
  for (double& x : motion.control.reshaped()) x = random.normal();
  return motion;
}

/// q, qd and qdd of the only coordinate.
Eigen::Vector3d at(const SplineMotion& motion, double time) {
  const GeneratedMotion generated = motion;
  const core::SplineView view = motion_view(generated).spline;
  const core::SplinePlace place = core::spline_place(view, time);
  const core::SplineBasis<double> basis(place.u);
  double control[6];
  for (int r = 0; r < 6; ++r) control[r] = view.control[place.interval + r];
  const core::SplinePoint<double> point = core::spline_point(basis, control);
  return {point.position, view.rate * point.velocity, view.rate * view.rate * point.acceleration};
}

oracle::Spline oracle_of(const SplineMotion& motion) {
  return oracle::uniform_spline(5, motion.interval,
                                {motion.control.col(0).begin(), motion.control.col(0).end()});
}

TEST(SplineMotion, EqualsDeBoor) {
  for (const int num_points : {6, 7, 30}) {
    const SplineMotion motion = random_spline(num_points, num_points);
    const oracle::Spline q = oracle_of(motion), qd = q.derivative(), qdd = qd.derivative();
    const double rate = 1 / motion.interval, end = motion.interval * (num_points - 5);
    // times are known to eps of themselves, and derivatives are at most 2^order rate^order of a
    // control point
    const double size = motion.control.cwiseAbs().maxCoeff(),
                 relative = kEps * (40 + 4 * num_points);
    for (int i = 0; i <= 200; ++i) {
      const double t = i == 200 ? end : end * i / 200;
      const Eigen::Vector3d actual = at(motion, t);
      EXPECT_NEAR(actual[0], static_cast<double>(q.value(t)), relative * size) << t;
      EXPECT_NEAR(actual[1], static_cast<double>(qd.value(t)), relative * 2 * rate * size) << t;
      EXPECT_NEAR(actual[2], static_cast<double>(qdd.value(t)), relative * 4 * rate * rate * size)
          << t;
    }
  }
}

TEST(SplineMotion, ReproducesAPolynomialOfItsDegree) {
  // (t - a)^5 has the control points (t_{i+1} - a) .. (t_{i+5} - a), with knots t_i = (i - 5)
  // interval [Marsden 1970]
  const double a = 1.1, h = 0.5;
  SplineMotion motion{.interval = h};
  motion.control.setOnes(12, 1);
  for (int i = 0; i < 12; ++i)
    for (int j = 1; j <= 5; ++j) motion.control(i, 0) *= (i + j - 5) * h - a;
  const double tolerance = 100 * kEps * motion.control.cwiseAbs().maxCoeff();
  for (const double t : {0.0, 0.2, 0.5, 1.3, 2.75, 3.5}) {
    const Eigen::Vector3d actual = at(motion, t);
    EXPECT_NEAR(actual[0], std::pow(t - a, 5), tolerance);
    EXPECT_NEAR(actual[1], 5 * std::pow(t - a, 4), tolerance / h);
    EXPECT_NEAR(actual[2], 20 * std::pow(t - a, 3), tolerance / (h * h));
  }
}

TEST(SplineMotion, DerivativesAreThoseOfTheValuesAlsoAcrossKnots) {
  const SplineMotion motion = random_spline(15, 2);
  const double step = 1e-5;
  for (const double t : {0.1, 0.3, 0.45, 0.6, 0.9, 2.2}) {
    const Eigen::Vector3d slope = (at(motion, t + step) - at(motion, t - step)) / (2 * step);
    // step^2 / 6 times derivatives of at most some 1e4, and eps / step times values of at most some
    // 1e2
    EXPECT_NEAR(slope[0], at(motion, t)[1], 1e-6);
    EXPECT_NEAR(slope[1], at(motion, t)[2], 1e-5);
    EXPECT_GT(std::abs(at(motion, t)[2]), 0.1);
  }
}

TEST(SplineMotion, AccelerationHasNoKinkAtAKnot) {
  const SplineMotion motion = random_spline(15, 8, 1);
  const double step = 1e-4;
  for (const double knot : {1.0, 4.0, 9.0}) {
    const double before = (at(motion, knot)[2] - at(motion, knot - step)[2]) / step,
                 after = (at(motion, knot + step)[2] - at(motion, knot)[2]) / step;
    EXPECT_GT(std::abs(before), 0.01);
    // step times the fourth derivative, which is at most sixteen control points; a jump of the jerk
    // would be about one
    EXPECT_NEAR(before, after, 16 * motion.control.cwiseAbs().maxCoeff() * step);
  }
}

TEST(SplineMotion, RestsWhereFiveControlPointsAreEqual) {
  SplineMotion motion = random_spline(16, 4);
  motion.control.middleRows(3, 5).setConstant(0.7);
  const Eigen::Vector3d rest = at(motion, 3 * motion.interval);
  EXPECT_NEAR(rest[0], 0.7, 4 * kEps);
  // the time of a knot is known to eps, and the fifth derivative is the first that is not zero
  // there
  EXPECT_NEAR(rest[1], 0, 1e-30);
  EXPECT_NEAR(rest[2], 0, 1e-25);
}

TEST(SplineMotion, TimesBeyondTheEndsCountToTheOutermostIntervals) {
  const double h = 0.3;
  const GeneratedMotion motion = random_spline(8, 5, h);
  const core::SplineView view = motion_view(motion).spline;
  EXPECT_EQ(core::spline_place(view, -1).interval, 0);
  EXPECT_EQ(core::spline_place(view, 3 * h).interval, 2);
  EXPECT_EQ(core::spline_place(view, 1e300).interval, 2);
  EXPECT_EQ(core::spline_place(view, 1.5 * h).interval, 1);
}

}  // namespace
}  // namespace heft
