// Random robots of every kind: the structural result equals the SVD of an independent regressor.
#include <gtest/gtest.h>

#include "tests/observe/sampled.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using oracle::RandomRobotOptions;
using sampled::Experiment;

/// Same rank, and the structural null space in the regressor's: then the row spaces are equal.
void expect_agreement(const Robot& robot, const Experiment& experiment, std::uint64_t seed) {
  ObserveOptions options = experiment.options();
  options.channels = false;
  const Result<Observability> observed = observe(robot, options);
  ASSERT_TRUE(observed.ok()) << robot.name << ": " << observed.error().message();

  const int num_parameters = observed->num_parameters();
  const int channels = oracle::num_channels(robot);
  const int num_samples = std::max(12, 3 * num_parameters / channels + 4);
  const Eigen::MatrixXd Y = sampled::regressor(robot, experiment, num_samples, seed);
  ASSERT_EQ(Y.cols(), num_parameters);
  const sampled::Rank rank = sampled::numerical_rank(Y);
  EXPECT_EQ(observed->num_base, rank.rank) << robot.name << ", gap " << rank.gap;
  EXPECT_EQ(observed->identifiable.size() + observed->null_basis.size(),
            observed->parameters.size());
  EXPECT_LE(sampled::leak(Y, observed->null_matrix()), 1e-8) << robot.name;
}

void expect_agreement_on(const RandomRobotOptions& robots, const Experiment& experiment,
                         int first_seed, int count) {
  for (int seed = first_seed; seed < first_seed + count; ++seed) {
    expect_agreement(oracle::random_robot(robots, seed), experiment, seed);
    if (testing::Test::HasFatalFailure()) return;
  }
}

RandomRobotOptions small_trees() {
  RandomRobotOptions options;
  options.max_bodies = 6;
  options.random_gravity = true;
  return options;
}

TEST(RandomTrees, WithGravity) {
  expect_agreement_on(small_trees(), {}, 0, 120);
}

TEST(RandomTrees, WithoutGravity) {
  expect_agreement_on(small_trees(), {.gravity = false}, 200, 80);
}

TEST(RandomTrees, FloatingBase) {
  RandomRobotOptions robots = small_trees();
  robots.floating_base = true;
  expect_agreement_on(robots, {}, 400, 40);
}

TEST(RandomTrees, MovingBaseNotCounted) {
  expect_agreement_on(small_trees(), {.uncounted_base = true}, 600, 40);
}

TEST(RandomTrees, AtRest) {
  expect_agreement_on(small_trees(), {.at_rest = true}, 800, 40);
  RandomRobotOptions robots = small_trees();
  robots.floating_base = true;
  expect_agreement_on(robots, {.at_rest = true}, 850, 20);
}

// Gravity about a vertical first axis is rounding, and no information.
TEST(RandomTrees, AtRestOnAVerticalFirstAxis) {
  int num_vertical = 0;
  for (int seed = 4000; seed < 4500; ++seed) {
    Robot robot = oracle::random_robot(small_trees(), seed);
    const bool is_vertical = seed % 2 == 0 && robot.bodies[0].type == JointType::revolute;
    if (is_vertical)
      robot.gravity =
          robot.gravity.norm() * (robot.bodies[0].X_parent_body.linear() * robot.bodies[0].axis);
    num_vertical += is_vertical;
    expect_agreement(robot, {.at_rest = true}, seed);
    if (!is_vertical) continue;
    const auto observed = observe(robot, {.static_only = true});
    ASSERT_TRUE(observed.ok());
    // others may turn with the first
    const ChannelObservability& first =
        observed->channels[static_cast<std::size_t>(robot.bodies[0].coordinate)];
    if (std::count_if(robot.bodies.begin(), robot.bodies.end(), [&](const Body& body) {
          return body.coordinate == robot.bodies[0].coordinate;
        }) > 1)
      continue;
    EXPECT_TRUE(first.identifiable.empty())
        << robot.name << ": " << observed->text(first.identifiable.front());
  }
  EXPECT_GT(num_vertical, 100);
}

TEST(RandomTrees, Rotors) {
  RandomRobotOptions robots = small_trees();
  robots.rotors = 0.7;
  expect_agreement_on(robots, {}, 1000, 80);
  expect_agreement_on(robots, {.gravity = false}, 1100, 40);
  robots.floating_base = true;
  expect_agreement_on(robots, {}, 1200, 20);
}

// Motors nearer to the base than the joints that they drive: belts, and the wrists of large arms.
TEST(RandomTrees, RotorsCarriedByInnerLinks) {
  RandomRobotOptions robots = small_trees();
  robots.rotors = 0.7;
  robots.branching = 0.15;
  int num_moved = 0;
  for (int seed = 2000; seed < 2060; ++seed) {
    Robot robot = oracle::random_robot(robots, seed);
    oracle::Random random(seed);
    for (Body& body : robot.bodies) {
      if (!body.is_rotor) continue;
      while (body.parent >= 0 && random.chance(0.6)) {
        body.parent = robot.bodies[body.parent].parent;
        ++num_moved;
      }
    }
    expect_agreement(robot, {.gravity = seed % 2 == 0}, seed);
    EXPECT_FALSE(observe(robot, {.dimensions_only = true})->joints.empty());
  }
  EXPECT_GT(num_moved, 60);
}

// Two fingers on one palm, and what they carry.
TEST(RandomTrees, MimicJointsOnOneLink) {
  for (int seed = 2100; seed < 2140; ++seed) {
    RandomRobotOptions robots = small_trees();
    robots.max_bodies = 3;
    Robot robot = oracle::random_robot(robots, seed);
    const int palm = robot.num_bodies() - 1;
    robots.min_bodies = robots.max_bodies = 2;
    robots.branching = 0;
    for (int finger = 0; finger < 2; ++finger) {
      const int first = robot.num_bodies();
      const int coordinate = robot.num_coordinates();
      for (Body body : oracle::random_robot(robots, 3000 + 2 * seed + finger).bodies) {
        const bool is_root = body.parent < 0;
        body.name += finger == 0 ? "_left" : "_right";
        body.parent = is_root ? palm : body.parent + first;
        body.ratio = is_root && finger == 1 ? -0.8 : 1;
        body.coordinate = is_root && finger == 1 ? coordinate - 2 : robot.num_coordinates();
        if (body.coordinate == robot.num_coordinates())
          robot.coordinates.push_back(
              {.name = body.name, .is_angle = body.type != JointType::prismatic});
        robot.bodies.push_back(body);
      }
    }
    expect_agreement(robot, {}, seed);
    EXPECT_FALSE(observe(robot, {.dimensions_only = true})->joints.empty());
  }
}

TEST(RandomTrees, JointChainsThroughMasslessBodies) {
  RandomRobotOptions robots = small_trees();
  robots.massless = 0.5;
  expect_agreement_on(robots, {}, 1300, 60);
  expect_agreement_on(robots, {.gravity = false}, 1400, 20);
}

TEST(RandomTrees, MimicJoints) {
  RandomRobotOptions robots = small_trees();
  robots.mimics = 0.3;
  expect_agreement_on(robots, {}, 1500, 60);
}

// One coordinate turns up to seven bodies that carry one another: small angles hardly tell their
// spans apart.
TEST(RandomTrees, LongChainsOfMimicJoints) {
  RandomRobotOptions robots = small_trees();
  robots.max_bodies = 9;
  robots.mimics = 0.4;
  robots.branching = 0.5;
  robots.joint_types = {JointType::revolute};
  for (const int seed : {10121, 10170, 10280})
    expect_agreement(oracle::random_robot(robots, seed), {}, 0);
  robots = small_trees();  // a turn, a slide and a screw of one coordinate
  robots.mimics = 0.3;
  expect_agreement(oracle::random_robot(robots, 10203), {}, 0);
}

TEST(RandomTrees, EverythingAtOnce) {
  for (bool floating : {false, true}) {
    RandomRobotOptions robots = RandomRobotOptions::everything(floating);
    robots.max_bodies = 5;
    expect_agreement_on(robots, {}, 1700 + 100 * floating, 50);
    expect_agreement_on(robots, {.gravity = false}, 1760 + 100 * floating, 20);
  }
}

}  // namespace
}  // namespace heft
