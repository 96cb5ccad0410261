// Rows of core/ compared with golden results and with the oracles, which share no code with core/.
#include <gtest/gtest.h>

#include <algorithm>

#include "heft/model/robot.hpp"
#include "tests/core/plan_rows.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/golden.hpp"
#include "tests/oracle/golden_rpna.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/point_mass_lagrangian.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using oracle::largest_difference;
using oracle::largest_entry;
using oracle::Motion;
using oracle::RandomRobotOptions;
using testing::plan_rows;

PlanPtr plan_of(const Robot& robot) {
  Result<PlanPtr> plan = make_regressor_plan(robot, default_channels(robot), {});
  EXPECT_TRUE(plan.ok());
  return *plan;
}

TEST(Regressor, EqualsGoldenTorquesAndRows) {
  const auto golden = oracle::golden_directory();
  if (!golden) GTEST_SKIP() << oracle::kNoGolden;
  int num_regressors = 0;
  for (const std::string& name : oracle::golden_dynamics_names(*golden)) {
    const oracle::GoldenRobot loaded = oracle::load_golden_dynamics(*golden, name);
    const PlanPtr plan = plan_of(loaded.robot);
    const Eigen::VectorXd x = oracle::stacked_parameters(loaded.robot);
    for (const oracle::GoldenState& state : loaded.states) {
      const Eigen::MatrixXd Y = plan_rows(*plan, state.motion);
      EXPECT_LE(largest_difference(Y * x, state.tau), 1e-12 * largest_entry(state.tau))
          << name << ' ' << state.kind;
      if (!state.Y) continue;
      ++num_regressors;
      EXPECT_LE(largest_difference(Y * x, *state.Y * x), 1e-12 * largest_entry(state.tau)) << name;
    }
  }
  EXPECT_GE(num_regressors, 52);
}

TEST(Regressor, EqualsGoldenTorquesOfRobotsWithRotors) {
  const auto golden = oracle::golden_directory();
  if (!golden) GTEST_SKIP() << oracle::kNoGolden;
  for (const char* name : {"puma560", "scara", "cheetah3_leg", "tx40", "test2perp"}) {
    const oracle::RpnaGolden loaded =
        oracle::load_golden_rpna(*golden, std::string("rpna_") + name);
    ASSERT_FALSE(loaded.samples.empty());
    for (const oracle::RpnaSample& sample : loaded.samples) {
      const auto torques = [&](const Robot& robot) -> Eigen::VectorXd {
        return plan_rows(*plan_of(robot), sample.motion) * oracle::stacked_parameters(robot);
      };
      const double tolerance = 1e-12 * largest_entry(sample.tau_links_and_rotors);
      EXPECT_LE(largest_difference(torques(loaded.links), sample.tau_links), tolerance) << name;
      EXPECT_LE(largest_difference(torques(loaded.links_and_rotors), sample.tau_links_and_rotors),
                tolerance)
          << name;
    }
  }
}

/// Structural regrouping moves columns between bodies but must not change a single torque, so rows
/// are compared through what they say of random parameters, one body at a time.
void expect_rows_of_oracle(const RandomRobotOptions& options, int num_robots,
                           std::uint64_t first_seed) {
  for (int i = 0; i < num_robots; ++i) {
    const Robot robot = oracle::random_robot(options, first_seed + i);
    oracle::Random random(first_seed + 7000 + i);
    const Motion motion = oracle::random_motion(robot, random);
    const PlanPtr plan = plan_of(robot);
    const Eigen::MatrixXd Y = plan_rows(*plan, motion);
    const Eigen::MatrixXd expected = oracle::newton_euler_regressor(robot, motion);
    ASSERT_EQ(Y.cols(), expected.cols());
    // a column sums products over the depth of the tree; the regrouped part also sums over the
    // ancestors
    const double tolerance =
        200 * robot.num_bodies() * 2.2e-16 * std::max(1.0, largest_entry(expected));
    EXPECT_LE(largest_difference(Y, expected), tolerance) << "seed " << first_seed + i;
  }
}

TEST(Regressor, EqualsNewtonEulerOnThousandRandomRobots) {
  for (const JointType type : {JointType::revolute, JointType::prismatic, JointType::helical}) {
    RandomRobotOptions options;
    options.joint_types = {type};
    expect_rows_of_oracle(options, 150, 10000 * static_cast<int>(type));
  }
  expect_rows_of_oracle(RandomRobotOptions::everything(false), 275, 50000);
  expect_rows_of_oracle(RandomRobotOptions::everything(true), 275, 60000);
}

TEST(Regressor, EqualsNewtonEulerWhereAxesPointAlmostDown) {
  for (double slant = 1; slant > 1e-9; slant *= 0.1) {
    oracle::Random random(8);
    Robot robot = oracle::random_robot(RandomRobotOptions::everything(true), 8);
    for (Body& body : robot.bodies)
      body.axis = (slant * random.direction() - Eigen::Vector3d::UnitZ()).normalized();
    const Motion motion = oracle::random_motion(robot, random);
    const Eigen::MatrixXd expected = oracle::newton_euler_regressor(robot, motion);
    EXPECT_LE(largest_difference(plan_rows(*plan_of(robot), motion), expected),
              1e-13 * largest_entry(expected))
        << "slant " << slant;
  }
}

TEST(Regressor, TimesParametersEqualsTorqueOfPointMasses) {
  for (int seed = 0; seed < 100; ++seed) {
    const Robot robot = oracle::random_robot(RandomRobotOptions::everything(seed % 2), 900 + seed);
    oracle::Random random(seed);
    const Motion motion = oracle::random_motion(robot, random);
    const Eigen::VectorXd x = oracle::stacked_parameters(robot);
    const Eigen::MatrixXd Y = plan_rows(*plan_of(robot), motion);
    const Eigen::VectorXd tau = oracle::point_mass_torques(robot, motion);
    EXPECT_LE(largest_difference(Y * x, tau),
              1e-12 * oracle::term_size(oracle::newton_euler_regressor(robot, motion), x))
        << "seed " << seed;
  }
}

TEST(Regressor, WeightScalesRows) {
  const Robot robot = oracle::random_robot(RandomRobotOptions::everything(true), 3);
  oracle::Random random(3);
  const Motion motion = oracle::random_motion(robot, random);
  const PlanPtr plan = plan_of(robot);
  const Eigen::MatrixXd Y = plan_rows(*plan, motion);
  EXPECT_LE(largest_difference(plan_rows(*plan, motion, 0.25), 0.25 * Y), 1e-15 * largest_entry(Y));
  EXPECT_EQ(largest_entry(plan_rows(*plan, motion, 0)), 0);
}

TEST(Regressor, SensorOnALinkFeelsEverythingOutward) {
  for (int seed = 0; seed < 50; ++seed) {
    const Robot robot = oracle::random_robot({}, 400 + seed);
    oracle::Random random(seed);
    const Motion motion = oracle::random_motion(robot, random);
    const int body = robot.num_bodies() / 2;
    std::vector<Channel> sensor;
    for (int i = 0; i < 6; ++i) {
      Channel channel{.name = "sensor_" + std::to_string(i), .body = body};
      (i < 3 ? channel.linear : channel.angular)[i % 3] = 1;
      sensor.push_back(channel);
    }
    const auto plan = make_regressor_plan(robot, sensor, {});
    ASSERT_TRUE(plan.ok());
    const Eigen::MatrixXd expected = oracle::newton_euler_wrench_regressor(robot, motion, body);
    EXPECT_LE(largest_difference(plan_rows(**plan, motion), expected),
              1e-12 * largest_entry(expected));
  }
}

TEST(RegressorPlan, KeepsSevenColumnsOfARevoluteBodyThreeOfTheFirstAndFourOfAPrismaticOne) {
  RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 7;
  options.joint_types = {JointType::revolute};
  const Robot robot = oracle::random_robot(options, 1);
  const auto num_first = std::count_if(robot.bodies.begin(), robot.bodies.end(),
                                       [](const Body& body) { return body.parent < 0; });
  EXPECT_EQ(plan_of(robot)->num_structural_columns(), 49 - 4 * num_first);
  options.floating_base = true;
  EXPECT_EQ(plan_of(oracle::random_robot(options, 1))->num_structural_columns(), 10 + 49);
  options.floating_base = false;
  options.joint_types = {JointType::prismatic};
  EXPECT_EQ(plan_of(oracle::random_robot(options, 1))->num_structural_columns(), 28);
  options.joint_types = {JointType::helical};
  EXPECT_EQ(plan_of(oracle::random_robot(options, 1))->num_structural_columns(), 63);
}

TEST(RegressorPlan, RefusesBodiesThatNeverMove) {
  Robot robot = oracle::random_robot({}, 3);
  ASSERT_TRUE(make_regressor_plan(robot, default_channels(robot), {}).ok());
  robot.bodies.back().ratio = 0;
  const auto plan = make_regressor_plan(robot, default_channels(robot), {});
  ASSERT_FALSE(plan.ok());
  EXPECT_EQ(plan.error().where, "body '" + robot.bodies.back().name + "'");
  EXPECT_NE(plan.error().remedy.find("fixed"), std::string::npos);
}

TEST(RegressorPlan, RefusesColumnsThatMakeNoSense) {
  const Robot robot = oracle::random_robot({}, 1);
  const auto expect_refused = [&robot](const std::vector<ColumnTerm>& terms, const char* why) {
    Column column{.name = "friction"};
    column.terms = terms;
    const auto plan = make_regressor_plan(robot, default_channels(robot), {column});
    ASSERT_FALSE(plan.ok()) << why;
    EXPECT_NE(plan.error().what.find(why), std::string::npos) << plan.error().what;
  };
  using core::Feature;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  expect_refused({{99, Feature::velocity, 0, 1}}, "channel that does not exist");
  expect_refused({{-1, Feature::velocity, 0, 1}}, "channel that does not exist");
  expect_refused({{0, Feature::velocity, 99, 1}}, "joint that does not exist");
  expect_refused({{0, Feature::velocity, -1, 1}}, "joint that does not exist");
  expect_refused({{0, Feature::one, 0, 1}, {0, Feature::one, 0, 1}}, "twice");
  for (const double width : {0.0, -1.0, nan})
    expect_refused({{0, Feature::tanh_velocity, 0, width}}, "width that is not positive");
}

}  // namespace
}  // namespace heft
