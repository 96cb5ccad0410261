// A known wrench on a link by three independent routes: its power from finite differences of poses,
// Newton and Euler in long double, and the columns of Pinocchio.
#include "model/wrench_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "heft/setup/setup.hpp"
#include "model/poses.hpp"
#include "tests/oracle/compare.hpp"
#include "tests/oracle/golden.hpp"
#include "tests/oracle/newton_euler.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

constexpr double kEps = std::numeric_limits<double>::epsilon();

PlanPtr plan_of(const Robot& robot, const std::vector<Channel>& channels) {
  const auto plan = make_regressor_plan(robot, channels, {});
  EXPECT_TRUE(plan.ok());
  return *plan;
}
PlanPtr plan_of(const Robot& robot) {
  return plan_of(robot, default_channels(robot));
}

/// By how much the joints of a coordinate turn or slide more than it: gear ratios and screw
/// pitches, of mimicking joints together.
double largest_gain(const Robot& robot) {
  Eigen::VectorXd gain = Eigen::VectorXd::Zero(robot.num_coordinates());
  for (const Body& body : robot.bodies)
    if (body.coordinate >= 0)
      gain[body.coordinate] += std::abs(body.ratio) * std::max(1.0, std::abs(body.pitch));
  return std::max(1.0, oracle::largest_entry(gain));
}

/// A length that no arm of the robot exceeds [m].
double reach(const Robot& robot, const Eigen::VectorXd& q) {
  double length = 1;
  for (const Eigen::Isometry3d& pose : body_poses(robot, q))
    length = std::max(length, pose.translation().norm());
  return 2 * length;
}

Eigen::Isometry3d random_pose(oracle::Random& random) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  const Eigen::Vector3d axis = random.normal3().normalized();
  X.linear() = Eigen::AngleAxisd(random.normal3().x(), axis).toRotationMatrix();
  X.translation() = 0.2 * random.normal3();
  return X;
}

LinkWrench random_wrench(int body, oracle::Random& random) {
  return {body, random_pose(random), 20 * random.normal3(), 5 * random.normal3()};
}

/// A bound on the torque that it makes at a unit screw so far away [N m].
double size_of(const LinkWrench& wrench, double length) {
  return length * wrench.force.norm() + wrench.torque.norm();
}

/// Power of the wrench at unit rate of coordinate k, by a central difference of the frame's pose.
double power(const Robot& robot, const LinkWrench& wrench, const Eigen::VectorXd& q, int k,
             double h) {
  const auto pose_at = [&](double step) {
    Eigen::VectorXd moved = q;
    moved[k] += step;
    return body_poses(robot, moved)[static_cast<std::size_t>(wrench.body)] * wrench.X_body_frame;
  };
  const Eigen::Isometry3d ahead = pose_at(h), behind = pose_at(-h), here = pose_at(0);
  const Eigen::Matrix3d R = here.linear();
  const Eigen::Vector3d v = (ahead.translation() - behind.translation()) / (2 * h);
  const Eigen::Matrix3d W = (ahead.linear() - behind.linear()) / (2 * h) * R.transpose();
  const Eigen::Vector3d w(W(2, 1) - W(1, 2), W(0, 2) - W(2, 0), W(1, 0) - W(0, 1));
  return (R * wrench.force).dot(v) + (R * wrench.torque).dot(w) / 2;
}

TEST(WrenchRow, IsThePowerOfVirtualMotions) {
  int num_compared = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2 == 1), seed);
    const PlanPtr plan = plan_of(robot);
    oracle::Random random(seed);
    const Eigen::VectorXd q = oracle::random_motion(robot, random).q;
    const double gain = largest_gain(robot), length = reach(robot, q);
    const double h = 1e-5 / gain;
    for (int b = 0; b < robot.num_bodies(); ++b) {
      const LinkWrench wrench = random_wrench(b, random);
      const Eigen::VectorXd row = wrench_row(*plan, wrench, q);
      // the difference leaves (gain h)^2 / 6 of the rate, rounding eps of the joint's angle over h
      const double angle = 1 + gain * oracle::largest_entry(q);
      const double size = gain * size_of(wrench, length);
      const double tolerance = size * (std::pow(gain * h, 2) + 20 * kEps * angle / (gain * h));
      for (int k = 0; k < robot.num_coordinates(); ++k, ++num_compared)
        EXPECT_NEAR(row[oracle::num_base_channels(robot) + k], -power(robot, wrench, q, k, h),
                    tolerance)
            << "seed " << seed << ", " << robot.bodies[b].name << ", coordinate " << k;
    }
  }
  EXPECT_GT(num_compared, 1000);
}

/// The wrench that moves body b, in the body's axes.
LinkWrench inertia_wrench(const Robot& robot, const oracle::Motion& motion, int b) {
  const oracle::BodyMotion body = oracle::body_motions(robot, motion)[static_cast<std::size_t>(b)];
  const oracle::Wrench wrench = oracle::body_wrench(body, robot.bodies[b].prior);
  LinkWrench in_body{.body = b};
  in_body.force = (body.R.transpose() * wrench.force).cast<double>();
  in_body.torque = (body.R.transpose() * wrench.torque).cast<double>();
  return in_body;
}

TEST(WrenchRow, OfTheWrenchThatMovesABodyIsTheBodysShareOfTheTorques) {
  for (std::uint64_t seed = 100; seed < 160; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2 == 1), seed);
    const PlanPtr plan = plan_of(robot);
    oracle::Random random(seed);
    const oracle::Motion motion = oracle::random_motion(robot, random);
    const Eigen::MatrixXd Y = oracle::newton_euler_regressor(robot, motion);
    for (int i = 0; i < plan->layout.num_bodies(); ++i) {
      const int b = plan->layout.body_index[i];
      const Eigen::VectorXd share = Y.middleCols<10>(10 * i) * robot.bodies[b].prior;
      const LinkWrench wrench = inertia_wrench(robot, motion, b);
      const double angle = 1 + largest_gain(robot) * oracle::largest_entry(motion.q);
      const double size = largest_gain(robot) * size_of(wrench, reach(robot, motion.q));
      const Eigen::VectorXd row = wrench_row(*plan, wrench, motion.q);
      EXPECT_LE(oracle::largest_difference(row, Eigen::VectorXd(-share)),
                50 * kEps * angle * robot.num_bodies() * size)
          << "seed " << seed << ", " << robot.bodies[b].name;
    }
  }
}

TEST(WrenchRow, OfTheSameWrenchIsPinocchiosShareOfTheTorques) {
  const auto golden = oracle::golden_directory();
  if (!golden) GTEST_SKIP() << oracle::kNoGolden;
  int num_states = 0;
  for (const std::string& name : oracle::golden_dynamics_names(*golden)) {
    const oracle::GoldenRobot loaded = oracle::load_golden_dynamics(*golden, name);
    const PlanPtr plan = plan_of(loaded.robot);
    for (const oracle::GoldenState& state : loaded.states) {
      if (!state.Y) continue;
      ++num_states;
      for (int i = 0; i < plan->layout.num_bodies(); ++i) {
        const int b = plan->layout.body_index[i];
        const Eigen::VectorXd share =
            state.Y->middleCols<10>(10 * i) * loaded.robot.bodies[b].prior;
        const Eigen::VectorXd row =
            wrench_row(*plan, inertia_wrench(loaded.robot, state.motion, b), state.motion.q);
        EXPECT_LE(oracle::largest_difference(row, Eigen::VectorXd(-share)),
                  1e-12 * std::max(1.0, oracle::term_size(
                                            *state.Y, oracle::stacked_parameters(loaded.robot))))
            << name << " " << state.kind << ", " << loaded.robot.bodies[b].name;
      }
    }
  }
  EXPECT_GT(num_states, 0);
}

TEST(WrenchRow, OfASensorIsTheWrenchItself) {
  oracle::RandomRobotOptions options;
  options.min_bodies = options.max_bodies = 4;
  options.branching = 0;
  const Robot robot = oracle::random_robot(options, 5);
  SensorSpec sensor{.name = "wrist", .link = robot.bodies[2].name};
  sensor.pose.head<3>() << 0.1, -0.2, 0.05;
  const auto channels = sensor_channels(robot, {sensor});
  ASSERT_TRUE(channels.ok()) << channels.error().message();
  const PlanPtr plan = plan_of(robot, *channels);
  oracle::Random random(1);
  const Eigen::VectorXd q = oracle::random_motion(robot, random).q;
  LinkWrench at_sensor = random_wrench(2, random);
  at_sensor.X_body_frame.setIdentity();
  at_sensor.X_body_frame.translation() = sensor.pose.head<3>();
  Eigen::VectorXd both(6);
  both << at_sensor.force, at_sensor.torque;
  EXPECT_LE((wrench_row(*plan, at_sensor, q) + both).norm(), 1e-13 * both.norm());
  EXPECT_EQ(wrench_row(*plan, random_wrench(1, random), q).norm(), 0);
}

}  // namespace
}  // namespace heft
