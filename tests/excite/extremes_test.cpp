// Bounds between samples compared with many samples, and splines with closed forms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "base/random_stream.hpp"
#include "host/applications/excite/extremes.hpp"

namespace heft::excite {
namespace {

CoefficientMotion random_motion(const MotionShape& shape, std::uint64_t seed) {
  RandomStream random(seed);
  return {shape, Eigen::MatrixXd::NullaryExpr(shape.num_coefficients(), 2,
                                              [&] { return random.normal(); })};
}

class Shapes : public testing::TestWithParam<ExcitationMotion> {};

TEST_P(Shapes, BoundsHoldAndAreMet) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const MotionShape shape{.kind = GetParam(), .duration = 7.3, .intervals = 18, .harmonics = 4};
    const CoefficientMotion motion = random_motion(shape, seed);
    for (int order = 0; order < 4; ++order)
      for (const int sign : {1, -1}) {
        const Extreme bound = upper_bound(motion, 1, order, sign);
        double largest = -HUGE_VAL, size = 0;
        constexpr int kSamples = 5000;
        for (int i = 0; i <= kSamples; ++i) {
          const double value = sign * motion.at(shape.duration * i / kSamples, order)[1];
          largest = std::max(largest, value);
          size = std::max(size, std::abs(value));
        }
        EXPECT_GE(bound.value, largest - 1e-13 * size) << order;
        // between samples the largest exceeds them by less than step^2 / 8 of a second derivative,
        // which 270 samples an interval bound
        EXPECT_LE(bound.value, largest + 2e-4 * size) << order;
        EXPECT_NEAR(sign * motion.at(bound.time, order)[1], bound.value, 5e-6 * size);
      }
  }
}

TEST_P(Shapes, DerivativesAreThoseOfThePositions) {
  const MotionShape shape{.kind = GetParam(), .duration = 5, .intervals = 12, .harmonics = 4};
  const CoefficientMotion motion = random_motion(shape, 3);
  const double h = 1e-4;
  for (int order = 0; order < 4; ++order)
    for (double time = 0.0371; time < shape.duration; time += 0.0973) {
      const Eigen::VectorXd difference =
          (motion.at(time + h, order) - motion.at(time - h, order)) / (2 * h);
      // h^2 / 6 of a derivative two orders up, and rounding
      const double scale = 1 + motion.at(time, order + 1).norm();
      EXPECT_LT((difference - motion.at(time, order + 1)).norm(),
                1e-4 * std::pow(10, order) * scale)
          << order;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Shapes,
                         testing::Values(ExcitationMotion::spline, ExcitationMotion::fourier,
                                         ExcitationMotion::fourier_rest, ExcitationMotion::poses),
                         [](const auto& each) { return std::string(enum_name(each.param)); });

TEST(Motion, BeginsAndEndsAtRest) {
  for (const auto kind :
       {ExcitationMotion::spline, ExcitationMotion::fourier_rest, ExcitationMotion::poses}) {
    const MotionShape shape{.kind = kind, .duration = 4, .intervals = 12, .harmonics = 5};
    const CoefficientMotion motion = random_motion(shape, 1);
    for (const double time : {0.0, shape.duration})
      for (int order = 1; order <= 3; ++order)
        EXPECT_LT(motion.at(time, order).norm(), 1e-9) << enum_name(kind) << " " << order;
  }
}

TEST(Motion, PosesAreHeld) {
  const MotionShape shape{.kind = ExcitationMotion::poses, .duration = 6, .intervals = 12};
  const CoefficientMotion motion = random_motion(shape, 2);
  ASSERT_EQ(shape.num_coefficients(), 3);
  // the second posture from knot 5 to knot 6, the last from knot 11 to 12
  for (const auto& [time, pose] : {std::pair{2.6, 1}, {2.9, 1}, {5.6, 2}, {5.9, 2}}) {
    EXPECT_TRUE(shape.is_at_rest(time));
    EXPECT_LT((motion.at(time, 0).transpose() - motion.coefficients.row(pose)).norm(), 1e-12);
    EXPECT_LT(motion.at(time, 1).norm(), 1e-12);
  }
  EXPECT_FALSE(shape.is_at_rest(1.0));
}

TEST(Motion, ASplineOfEqualPointsStandsStill) {
  const MotionShape shape{.duration = 3, .intervals = 9};
  const CoefficientMotion motion{shape,
                                 Eigen::MatrixXd::Constant(shape.num_coefficients(), 1, 0.7)};
  for (double time = 0; time <= 3; time += 0.1) {
    EXPECT_NEAR(motion.at(time, 0)[0], 0.7, 1e-14);
    EXPECT_NEAR(motion.at(time, 1)[0], 0, 1e-13);
  }
}

}  // namespace
}  // namespace heft::excite
