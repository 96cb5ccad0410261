// The adjoint sweep against differences of the value, on robots with every kind of joint.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random_stream.hpp"
#include "heft/robot/robot_document.hpp"
#include "host/excite/beliefs.hpp"
#include "host/excite/information.hpp"
#include "host/excite/objective.hpp"
#include "host/excite/scorer.hpp"

namespace heft::excite {
namespace {

constexpr const char* kInertial =
    R"(<inertial><origin xyz="0.02 -0.03 0.1" rpy="0.1 0.2 0.3"/><mass value="2"/>
       <inertia ixx="0.03" ixy="0.001" ixz="-0.002" iyy="0.025" iyz="0.003" izz="0.01"/></inertial>)";

std::string link(const std::string& name) {
  return "<link name='" + name + "'>" + kInertial + "</link>";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& origin, const std::string& axis,
                  const std::string& more = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent link='" + parent + "'/><child link='" +
         child + "'/>" + "<origin " + origin + "/><axis xyz='" + axis +
         "'/><limit lower='-2' upper='2' effort='50' velocity='2'/>" + more + "</joint>";
}

/// A branched robot: revolute joints at every angle to each other, one that slides, one that follows another.
Robot branched() {
  const std::string text =
      "<robot name='branched'><link name='base'/>" + link("a") + link("b") + link("c") + link("d") +
      link("e") + joint("ja", "revolute", "base", "a", "xyz='0 0 0.3' rpy='0.2 0 0'", "0 0 1") +
      joint("jb", "revolute", "a", "b", "xyz='0.1 0 0.2' rpy='1.5707963267948966 0 0'", "0 0 1") +
      joint("jc", "prismatic", "b", "c", "xyz='0 0.3 0' rpy='0 0.7 0.4'", "0.6 0 0.8") +
      joint("jd", "revolute", "c", "d", "xyz='0.2 0.1 0' rpy='0.3 -0.4 0.5'", "0 1 0") +
      joint("je", "revolute", "b", "e", "xyz='0 -0.2 0.1' rpy='0 0 0'", "0.36 0.48 0.8",
            "<mimic joint='jd' multiplier='-0.5' offset='0.1'/>") +
      "</robot>";
  auto robot = read_robot_text("branched.urdf", text, "");
  EXPECT_TRUE(robot) << (robot ? "" : robot.error().message());
  return *robot;
}

struct Case {
  ExcitationObjective objective;
  ExcitationMotion motion;
  double deviations;
  const char* name;
};

class GradientTest : public testing::TestWithParam<Case> {};

TEST_P(GradientTest, AgreesWithDifferences) {
  const Robot robot = branched();
  const auto plan = make_excitation_plan(robot, {});
  ASSERT_TRUE(plan);
  LimitOptions options;
  options.torque_deviations = GetParam().deviations;
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
  const MotionShape shape{.kind = GetParam().motion, .duration = 5, .intervals = 12, .harmonics = 4};
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
    const auto at = [&](double s) { return scorer.value(C + s * direction, &multipliers, nullptr); };
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
    testing::Values(Case{ExcitationObjective::d, ExcitationMotion::spline, 0, "d"},
                    Case{ExcitationObjective::d, ExcitationMotion::spline, 2, "d_robust"},
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
