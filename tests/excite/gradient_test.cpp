// The adjoint sweep compared with differences of the value, on robots with every kind of joint.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random_stream.hpp"
#include "branched.hpp"
#include "host/applications/excite/beliefs.hpp"
#include "host/applications/excite/information.hpp"
#include "host/applications/excite/objective.hpp"
#include "host/applications/excite/scorer.hpp"

namespace heft::excite {
namespace {

struct Case {
  ExcitationObjective objective;
  ExcitationMotion motion;
  double deviations;
  const char* name;
  bool coupled = false;
};

/// Couplings of two joints, and friction of every one as Heft has no column for.
const std::vector<ColumnSpec> kCoupled = {
    {.kind = "viscous"},
    {.kind = "expression",
     .name = "rotor",
     .unit = "kg m^2",
     .rows = {{"jb", "qdd_jd"}, {"jd", "qdd_jb + 0.3*qd1*qd2"}}},
    {.kind = "expression",
     .name = "drag",
     .unit = "N m s^2/rad^2",
     .each_joint = "qd*abs(qd) + 0.2*sin(3*q)"}};

class GradientTest : public testing::TestWithParam<Case> {};

TEST_P(GradientTest, AgreesWithDifferences) {
  const Robot robot = branched();
  BeliefOptions beliefs_of;
  if (GetParam().coupled) beliefs_of.columns = kCoupled;
  const auto plan = make_excitation_plan(robot, beliefs_of);
  ASSERT_TRUE(plan) << plan.error().message();
  LimitOptions options;
  options.torque_deviations = GetParam().deviations;
  if (GetParam().coupled)
    options.couplings = {
        {.name = "motor", .of = {{"jb", 1}, {"jd", -0.6}}, .position = {{-1, 1.5}}, .velocity = 2},
        {.name = "rod", .of = {{"ja", 0.5}, {"jc", 2}}, .acceleration = 5, .jerk = 60}};
  const auto limits = make_limits(robot, options);
  ASSERT_TRUE(limits) << limits.error().message();
  std::vector<std::string> notes;
  const auto beliefs = make_beliefs(**plan, *limits, {}, nullptr, notes);
  ASSERT_TRUE(beliefs) << beliefs.error().message();
  const auto information = make_information(*plan, *beliefs);
  ASSERT_TRUE(information) << information.error().message();
  const Eigen::Index size = information->precision.rows();
  const Eigen::MatrixXd task = information->precision + 3 * Eigen::MatrixXd::Identity(size, size);
  // three directions suffice for a test of slopes
  const Eigen::MatrixXd directions = Eigen::MatrixXd::Identity(size, size).leftCols(3);
  const auto objective = make_objective(GetParam().objective, *information, task, directions);
  const MotionShape shape{
      .kind = GetParam().motion, .duration = 5, .intervals = 12, .harmonics = 4};
  Scorer scorer({.information = &*information,
                 .limits = &*limits,
                 .objective = objective.get(),
                 .shape = shape,
                 .num_samples = 53});
  RandomStream random(3);
  const auto noise = [&](Eigen::Index rows, Eigen::Index columns) {
    return Eigen::MatrixXd::NullaryExpr(rows, columns, [&] { return random.normal(); }).eval();
  };
  const Eigen::MatrixXd C = noise(shape.num_coefficients(), plan.value()->num_channels());
  Multipliers multipliers = scorer.no_multipliers();
  multipliers.upper = noise(multipliers.upper.rows(), multipliers.upper.cols()).array().abs();
  multipliers.lower = noise(multipliers.upper.rows(), multipliers.upper.cols()).array().abs();
  Eigen::MatrixXd gradient = Eigen::MatrixXd::Constant(1, 1, NAN);
  ASSERT_TRUE(std::isfinite(scorer.value(C, &multipliers, &gradient)));
  ASSERT_TRUE(gradient.allFinite());
  for (int i = 0; i < 4; ++i) {
    const Eigen::MatrixXd direction = noise(C.rows(), C.cols()).normalized();
    const auto at = [&](double s) {
      return scorer.value(C + s * direction, &multipliers, nullptr);
    };
    // Richardson, and steps so short that few sides of limits change within them
    const double h = 3e-4;
    const double d1 = (at(h) - at(-h)) / (2 * h), d2 = (at(h / 2) - at(-h / 2)) / h,
                 d4 = (at(h / 4) - at(-h / 4)) / (h / 2);
    const double r1 = (4 * d2 - d1) / 3, r2 = (4 * d4 - d2) / 3, difference = (16 * r2 - r1) / 15;
    const double slope = (gradient.array() * direction.array()).sum();
    EXPECT_NEAR(slope, difference, 1e-8 * gradient.norm()) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GradientTest,
    testing::Values(
        Case{ExcitationObjective::d, ExcitationMotion::spline, 0, "d"},
        Case{ExcitationObjective::d, ExcitationMotion::spline, 2, "d_robust"},
        Case{ExcitationObjective::d, ExcitationMotion::spline, 0, "d_coupled", true},
        Case{ExcitationObjective::d, ExcitationMotion::spline, 2, "d_coupled_robust", true},
        Case{ExcitationObjective::i, ExcitationMotion::poses, 0, "i_coupled_poses", true},
        Case{ExcitationObjective::d, ExcitationMotion::fourier, 2, "d_fourier"},
        Case{ExcitationObjective::d, ExcitationMotion::fourier_rest, 0, "d_fourier_rest"},
        Case{ExcitationObjective::d, ExcitationMotion::poses, 0, "d_poses"},
        Case{ExcitationObjective::i, ExcitationMotion::spline, 0, "i"},
        Case{ExcitationObjective::a, ExcitationMotion::spline, 0, "a"},
        Case{ExcitationObjective::e, ExcitationMotion::spline, 0, "e"},
        Case{ExcitationObjective::condition, ExcitationMotion::spline, 0, "condition"}),
    [](const auto& each) { return each.param.name; });

}  // namespace
}  // namespace heft::excite
