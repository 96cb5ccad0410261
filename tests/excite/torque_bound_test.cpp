// Enclosures compared with values and differences at many times, bounds of torques with dense
// samples.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random_stream.hpp"
#include "branched.hpp"
#include "host/applications/excite/assess.hpp"
#include "host/applications/excite/ball_jet.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/torque_bound.hpp"

namespace heft::excite {
namespace {

/// sin, tanh and products of t^2 / 2 + t / 3 over [0.4, 0.6], and the second derivative in closed
/// form.
TEST(BallJet, HoldsAFunctionAndItsDerivatives) {
  const double middle = 0.5, half = 0.1;
  const auto angle = [](double t) { return t * t / 2 + t / 3; };
  const double lowest = angle(middle - half), highest = angle(middle + half);
  const BallJet x({(lowest + highest) / 2, (highest - lowest) / 2}, {middle + 1.0 / 3, half},
                  {1, 0});
  BallJet sine, cosine;
  sin_cos(x, sine, cosine);
  const BallJet product = sine * hyperbolic_tangent(x) - cosine;
  const auto f = [&](double t) {
    return std::sin(angle(t)) * std::tanh(angle(t)) - std::cos(angle(t));
  };
  const auto holds = [](const Ball& ball, double value) {
    return std::abs(value - ball.m) <= ball.r + 1e-6;
  };
  for (double t = middle - half; t <= middle + half; t += 0.01) {
    const double h = 1e-4;
    EXPECT_TRUE(holds(product.value, f(t))) << t;
    EXPECT_TRUE(holds(product.first, (f(t + h) - f(t - h)) / (2 * h))) << t;
    EXPECT_TRUE(holds(product.second, (f(t + h) - 2 * f(t) + f(t - h)) / (h * h))) << t;
  }
  EXPECT_LT(product.second.r, 15 * half);  // and tells something
  EXPECT_TRUE(std::isinf(sign(BallJet({0.1, 0.2}, {1, 0}, {0, 0})).second.r));
}

class TorqueBounds : public testing::TestWithParam<ExcitationMotion> {};

TEST_P(TorqueBounds, HoldAtDenseSamplesAndAreMet) {
  const Robot robot = branched();
  const auto plan = make_excitation_plan(robot, {});
  ASSERT_TRUE(plan);
  for (const double deviations : {0.0, 2.0}) {
    LimitOptions options;
    options.torque_deviations = deviations;
    const auto limits = make_limits(robot, options);
    ASSERT_TRUE(limits);
    std::vector<std::string> notes;
    const auto beliefs = make_beliefs(**plan, *limits, {}, nullptr, notes);
    ASSERT_TRUE(beliefs);
    const auto information = make_information(*plan, *beliefs);
    ASSERT_TRUE(information);
    const MotionShape shape{.kind = GetParam(), .duration = 3, .intervals = 12, .harmonics = 4};
    RandomStream random(8);
    const CoefficientMotion motion{
        shape, Eigen::MatrixXd::NullaryExpr(shape.num_coefficients(), robot.num_coordinates(),
                                            [&] { return 0.4 * random.normal(); })};
    constexpr double kTolerance = 1e-3;
    const auto bounds = bound_torques(*information, *limits, motion, kTolerance);
    ASSERT_EQ(bounds.size(), static_cast<std::size_t>(robot.num_coordinates()));
    const Assessment dense =
        assess(*information, *limits, sampled(motion, 30000, true), shape.duration, {});
    for (int k = 0; k < robot.num_coordinates(); ++k) {
      Eigen::ArrayXd sizes = dense.torque.col(k).abs();
      if (deviations > 0) sizes += deviations * dense.deviation.col(k);
      EXPECT_TRUE(bounds[k].proved);
      EXPECT_GE(bounds[k].largest.value, sizes.maxCoeff());
      EXPECT_LE(bounds[k].largest.value,
                sizes.maxCoeff() + 1.1 * kTolerance * limits->size[kTorque][k]);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Motions, TorqueBounds,
                         testing::Values(ExcitationMotion::spline, ExcitationMotion::fourier,
                                         ExcitationMotion::fourier_rest));

TEST(TorqueBound, OfAJumpIsNotCalledProved) {
  const Robot robot = branched();
  const auto plan = make_excitation_plan(robot, {});
  ASSERT_TRUE(plan);
  std::vector<Column> columns = (*plan)->layout.columns;
  for (Column& column : columns)
    for (auto& term : column.terms)
      if (term.feature == core::Feature::tanh_velocity) term.feature = core::Feature::sign_velocity;
  const auto jumps = make_regressor_plan(robot, (*plan)->channels, columns);
  ASSERT_TRUE(jumps);
  const auto limits = make_limits(robot, {});
  std::vector<std::string> notes;
  const auto beliefs = make_beliefs(**jumps, *limits, {}, nullptr, notes);
  ASSERT_TRUE(beliefs);
  const auto information = make_information(*jumps, *beliefs);
  ASSERT_TRUE(information);
  const MotionShape shape{.duration = 1, .intervals = 6};
  RandomStream random(8);
  const CoefficientMotion motion{
      shape, Eigen::MatrixXd::NullaryExpr(shape.num_coefficients(), robot.num_coordinates(),
                                          [&] { return random.normal(); })};
  const auto bounds = bound_torques(*information, *limits, motion);
  int jumping = 0;
  for (std::size_t c = 0; c < bounds.size(); ++c) {
    bool jumps_here = false;
    for (const Column& column : columns)
      for (const ColumnTerm& term : column.terms)
        jumps_here |=
            term.channel == static_cast<int>(c) && term.feature == core::Feature::sign_velocity;
    jumping += jumps_here ? 1 : 0;
    EXPECT_EQ(bounds[c].proved, !jumps_here) << c;
  }
  EXPECT_GE(jumping, 3);
}

}  // namespace
}  // namespace heft::excite
