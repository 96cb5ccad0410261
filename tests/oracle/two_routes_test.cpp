// The two oracles compared with each other on random robots. Both compute in long double and round
// once, so they may differ by roundings of a double, measured by (|Y| |x|)_c: the size of the terms
// that a channel adds.
#include <gtest/gtest.h>

#include <limits>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/point_mass_lagrangian.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft::oracle {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();
constexpr int kNumRobots = 40;

void expect_agreement(const RandomRobotOptions& options) {
  for (int seed = 0; seed < kNumRobots; ++seed) {
    const Robot robot = random_robot(options, seed);
    Random random(1000 + seed);
    const Motion motion = random_motion(robot, random);

    const Eigen::VectorXd by_points = point_mass_torques(robot, motion);
    const Eigen::VectorXd by_bodies = newton_euler_torques(robot, motion);
    const Eigen::MatrixXd Y = newton_euler_regressor(robot, motion);
    const Eigen::VectorXd x = stacked_parameters(robot);
    ASSERT_EQ(by_points.size(), num_channels(robot));
    ASSERT_GT(largest_entry(by_points), 0) << "seed " << seed;

    const double scale = term_size(Y, x);
    const double num_terms = static_cast<double>(x.size());
    EXPECT_LE(largest_difference(by_points, by_bodies), 2 * kEps * scale) << "seed " << seed;
    EXPECT_LE(largest_difference(Y * x, by_bodies), num_terms * kEps * scale) << "seed " << seed;
  }
}

RandomRobotOptions only(JointType type) {
  RandomRobotOptions options;
  options.joint_types = {type};
  return options;
}

TEST(TwoRoutes, AgreeOnRevoluteTrees) {
  expect_agreement(only(JointType::revolute));
}
TEST(TwoRoutes, AgreeOnPrismaticTrees) {
  expect_agreement(only(JointType::prismatic));
}
TEST(TwoRoutes, AgreeOnHelicalTrees) {
  expect_agreement(only(JointType::helical));
}
TEST(TwoRoutes, AgreeOnEverythingOnAFixedBase) {
  expect_agreement(RandomRobotOptions::everything(false));
}
TEST(TwoRoutes, AgreeOnEverythingOnAFloatingBase) {
  expect_agreement(RandomRobotOptions::everything(true));
}

TEST(TwoRoutes, AgreeColumnByColumn) {
  // unit parameters in the point-mass route are the regressor's columns
  const Robot robot = random_robot(RandomRobotOptions::everything(true), 7);
  Random random(7);
  const Motion motion = random_motion(robot, random);
  const Eigen::MatrixXd Y = newton_euler_regressor(robot, motion);
  Robot bare = robot;
  for (Body& body : bare.bodies) body.prior.setZero();
  int column = 0;
  for (int j = 0; j < robot.num_bodies(); ++j) {
    if (!robot.bodies[j].has_parameters) continue;
    for (int parameter = 0; parameter < 10; ++parameter, ++column) {
      Robot unit = bare;
      unit.bodies[j].prior = BodyParameters::Unit(parameter);
      const Eigen::VectorXd tau = point_mass_torques(unit, motion);
      EXPECT_LE(largest_difference(tau, Y.col(column)), 2 * kEps * largest_entry(Y.col(column)))
          << "column " << column;
    }
  }
  EXPECT_EQ(column, Y.cols());
}

TEST(TwoRoutes, AgreeWhenAFixedRobotRidesOnAMovingBase) {
  // no base channels, but the base's motion is felt in the joints
  const Robot robot = random_robot(RandomRobotOptions::everything(false), 3);
  Random random(3);
  Motion motion = random_motion(robot, random);
  motion.base_angular_velocity = random.normal3();
  motion.base_angular_acceleration = 5 * random.normal3();
  motion.base_specific_force = 10 * random.normal3();
  const Eigen::VectorXd by_points = point_mass_torques(robot, motion);
  const Eigen::VectorXd by_bodies = newton_euler_torques(robot, motion);
  const double scale = term_size(newton_euler_regressor(robot, motion), stacked_parameters(robot));
  EXPECT_LE(largest_difference(by_points, by_bodies), 2 * kEps * scale);
}

TEST(TwoRoutes, AgreeOnTheWrenchAtEveryBody) {
  for (int seed = 0; seed < kNumRobots; ++seed) {
    const Robot robot = random_robot(RandomRobotOptions::everything(false), seed);
    Random random(seed);
    const Motion motion = random_motion(robot, random);
    const Eigen::VectorXd x = stacked_parameters(robot);
    for (int body = 0; body < robot.num_bodies(); ++body) {
      const Eigen::MatrixXd Y = newton_euler_wrench_regressor(robot, motion, body);
      const double num_terms = static_cast<double>(x.size());
      EXPECT_LE(largest_difference(point_mass_wrench(robot, motion, body), Y * x),
                num_terms * kEps * term_size(Y, x))
          << "seed " << seed << ", body " << body;
    }
  }
}

}  // namespace
}  // namespace heft::oracle
