// Mass and center of mass of a whole robot against the bodies' poses by another route; what the
// prior does to functions of the parameters against what it does to single ones.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "heft/uncertainty/uncertainty.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"
#include "tests/uncertainty/noise_data.hpp"
#include "uncertainty/motion_noise.hpp"

namespace heft {
namespace {

TEST(WholeRobot, IsTheSumOfItsBodiesWithJointsAtZero) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(true), seed);
    const ParameterLayout layout = make_parameter_layout(robot, {});
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(robot.num_coordinates());
    const auto bodies =
        oracle::body_motions(robot, oracle::motion_on_standing_base(robot, zero, zero, zero));
    oracle::Real mass = 0;
    oracle::Vector3r moment = oracle::Vector3r::Zero();
    for (std::size_t b = 0; b < robot.bodies.size(); ++b) {
      if (!robot.bodies[b].has_parameters) continue;
      const BodyParameters& pi = robot.bodies[b].prior;
      mass += pi[core::kMass];
      moment += pi[core::kMass] * bodies[b].p +
                bodies[b].R * pi.segment<3>(core::kMcx).cast<oracle::Real>();
    }
    const WholeRobot whole = whole_robot(robot, layout, oracle::stacked_parameters(robot));
    EXPECT_NEAR(whole.mass, static_cast<double>(mass), 1e-13 * static_cast<double>(mass));
    EXPECT_LE((whole.com - (moment / mass).cast<double>()).norm(), 1e-12 * (1 + whole.com.norm()))
        << seed;
    EXPECT_FALSE(whole.mass_interval || whole.com_interval[0]);
  }
}

TEST(PriorOfFunctions, OfSingleParametersIsThatOfTheParameters) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 3;
  const Robot robot = oracle::random_robot(options, 8);
  const ParameterLayout layout = make_parameter_layout(robot, {});
  const int P = layout.num_parameters();
  const auto prior = make_prior(layout, robot, {.weight = 0.05});
  ASSERT_TRUE(prior.ok()) << prior.error().message();
  oracle::Random random(4);
  Eigen::MatrixXd Y(P / 2, P);
  for (Eigen::Index i = 0; i < Y.rows(); ++i) Y.row(i) = random.normal_vector(P).transpose();
  const NormalEquations equations{Y.transpose() * Y, Eigen::VectorXd::Zero(P), 1, 1};
  const Eigen::VectorXd x = oracle::stacked_parameters(robot) + 0.1 * random.normal_vector(P);
  // twice a parameter has twice the deviation
  const auto of_functions =
      prior_of_functions(layout, equations, *prior, x, 1, 2 * Eigen::MatrixXd::Identity(P, P));
  const auto shares = prior_shares(layout, equations, *prior);
  const auto error = prior_error(layout, equations, *prior, x, 1);
  ASSERT_TRUE(of_functions.ok() && shares.ok() && error.ok());
  EXPECT_LE((of_functions->shares - *shares).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_LE((of_functions->deviations - 2 * error->deviation).cwiseAbs().maxCoeff(),
            1e-9 * error->deviation.maxCoeff());
  EXPECT_GT(of_functions->shares.minCoeff(), 0);
}

/// A robot of one body, whose mass is the whole robot's, with its uncertainty.
Result<Uncertainty> of_one_body(
    const std::function<void(Samples&)>& change = [](Samples&) {},
    PriorKind prior_kind = PriorKind::metric, double torque_scale_sd = 0) {
  Robot robot;
  robot.floating_base = true;
  Body trunk{.name = "trunk", .type = JointType::rigid};
  trunk.prior = parameters_about_origin(3, {0.1, -0.2, 0.3}, 0.05 * Eigen::Matrix3d::Identity());
  robot.bodies.push_back(trunk);
  const TrainingData data = noise_of(robot, change);
  HEFT_TRY(prior, make_prior(data.plan->layout, robot, {.kind = prior_kind, .weight = 0.01}));
  HEFT_TRY(executor, make_executor({.kind = BackendKind::cpu, .threads = 1}));
  return quantify_uncertainty(data, Eigen::VectorXd::Ones(data.plan->num_channels()), prior, {},
                              {*executor, {}, {}}, 1e-7, oracle::stacked_parameters(robot),
                              {.bootstrap = 0, .torque_scale_sd = torque_scale_sd});
}

ParameterLayout layout_of_one_body() {
  return make_parameter_layout(Robot{.bodies = {Body{}}}, {});
}

/// Scores that change the mass by one kilogram.
Eigen::VectorXd one_kilogram(const Uncertainty& uncertainty) {
  Eigen::VectorXd score_change = Eigen::VectorXd::Zero(core::kNumParameters);
  score_change[core::kMass] = 1 / uncertainty.per_score(core::kMass, core::kMass);
  return score_change;
}

// Noise and prior reach the whole robot as they reach its only body; a bias moves both alike.
TEST(WholeRobot, OfOneBodyHasTheErrorsOfThatBody) {
  auto found = of_one_body();
  ASSERT_TRUE(found.ok()) << found.error().message();
  ASSERT_TRUE(found->no_intervals.empty()) << found->no_intervals;
  const double ratio = found->whole->standard_error[0] / found->standard_error[core::kMass];
  EXPECT_GE(ratio, 1 - 1e-9);
  EXPECT_LE(ratio, 1.4);
  ASSERT_TRUE(found->whole->mass_interval);
  for (const auto& com : found->whole->com_interval) EXPECT_TRUE(com);
  const Interval before = *found->whole->mass_interval;
  EXPECT_LT(before.lower, found->whole->mass);
  put_systematic(layout_of_one_body(), one_kilogram(*found), *found);
  EXPECT_NEAR(found->systematic[core::kMass], 1, 1e-9);
  EXPECT_GT(found->whole->mass_interval->upper, before.upper + 0.3);
}

TEST(WholeRobot, OfOneBodyHasTheErrorOfTheTimeOffsetOfThatBody) {
  auto found = of_one_body();
  ASSERT_TRUE(found.ok() && found->whole->mass_interval);
  const double before = found->whole->standard_error[0], end = found->whole->mass_interval->upper;
  put_time_offset(layout_of_one_body(), one_kilogram(*found), *found);
  EXPECT_NEAR(found->time_offset[core::kMass], 1, 1e-9);
  EXPECT_NEAR(found->whole->standard_error[0], std::hypot(before, 1), 1e-9);
  EXPECT_GT(found->whole->mass_interval->upper, end);
}

// The motion's noise is part of the information: without it the same scores move the estimate by
// (A - N)^-1.
TEST(WholeRobot, OfOneBodyIsBiasedByNoiseOfTheMotion) {
  auto found = of_one_body();
  ASSERT_TRUE(found.ok() && found->whole->mass_interval);
  const double end = found->whole->mass_interval->upper;
  const Eigen::MatrixXd A = found->per_score.inverse(), N = 0.5 * A;
  Eigen::VectorXd change = Eigen::VectorXd::Zero(A.rows());
  change[core::kMass] = 0.3;
  put_motion_noise((A - N) * change, N, *found);
  EXPECT_NEAR(found->whole->systematic[0], -0.3, 1e-6);
  EXPECT_GT(found->whole->mass_interval->upper, end + 0.1);
  // never more than nine tenths of the information
  put_motion_noise(0.1 * A * change, 3 * A, *found);
  EXPECT_NEAR(found->whole->systematic[0], -0.6, 1e-6);
}

TEST(WholeRobot, WithoutAPriorHasNoErrorsOfTorqueScales) {
  const auto found = of_one_body([](Samples&) {}, PriorKind::none, 0.03);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found->whole->standard_error.size(), 0);
  EXPECT_FALSE(found->whole->mass_interval);
  EXPECT_GT(found->base.torque_scale.size(), 0) << "else the option was not in use";
}

// A mass that only one of the six equations shows is an error of the model, which noise does not
// explain: the estimates of the equations differ.
TEST(WholeRobot, EquationsThatDisagreeWidenItsIntervals) {
  const auto sound = of_one_body();
  const auto wrong = of_one_body([](Samples& samples) {
    samples.torque.col(2) += 3 * samples.base_motion.col(8);  // base_fz
  });
  ASSERT_TRUE(sound.ok() && wrong.ok());
  const auto ratio = [](const Uncertainty& found) {
    return found.whole->standard_error[0] / found.standard_error[core::kMass];
  };
  EXPECT_GT(ratio(*wrong), 1.5 * ratio(*sound));
}

}  // namespace
}  // namespace heft
