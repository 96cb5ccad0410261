// Poses at rest: the choice of the next ones, and those of unknown orientation.
#include <gtest/gtest.h>

#include "heft/robot/robot_document.hpp"
#include "host/applications/payload/plan/sphere.hpp"
#include "payload/plan.hpp"
#include "tests/payload/tool.hpp"

namespace heft {
namespace {

using namespace payload_test;

const Vector6d kPoseBias = (Vector6d() << 4, -2, 7, 0.2, -0.1, 0.3).finished();

/// Gravity in directions by chance, and the wrench of the tool there.
std::pair<Eigen::ArrayXXd, Eigen::ArrayXXd> poses(int count, std::uint64_t seed, double force_noise,
                                                  double torque_noise) {
  RandomStream random(seed);
  const BodyParameters x = truth_of();
  Eigen::ArrayXXd gravity(count, 3), wrench(count, 6);
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3d g =
        9.81 * Eigen::Vector3d{random.normal(), random.normal(), random.normal()}.normalized();
    gravity.row(i) = g.transpose();
    wrench.row(i) << (-x[0] * g).transpose().array(),
        (-x.segment<3>(1).cross(g)).transpose().array();
    for (int c = 0; c < 6; ++c)
      wrench(i, c) += kPoseBias[c] + (c < 3 ? force_noise : torque_noise) * random.normal();
  }
  return {gravity, wrench};
}

TEST(Sphere, DeterminesWeightCenterAndOffsetWithoutOrientation) {
  const auto [gravity, wrench] = poses(12, 1, 0, 0);
  const auto samples = payload::poses_by_force(wrench, 9.81);
  ASSERT_TRUE(samples.ok()) << samples.error().message();
  EXPECT_LE((samples->gravity - gravity).abs().maxCoeff(), 1e-9);
  const auto result = weigh_payload(*samples, {}, *read_payload_shape({}));
  ASSERT_TRUE(result.ok()) << result.error().message();
  const BodyParameters truth = truth_of();
  EXPECT_NEAR(result->answer().parameters[0], truth[0], 1e-5);
  EXPECT_LE((result->biases.row(0).transpose().matrix() - kPoseBias).cwiseAbs().maxCoeff(), 1e-4);
}

TEST(Sphere, IntervalsHoldTheTruth) {
  const BodyParameters truth = truth_of();
  int held = 0;
  double widest = 0;
  constexpr int kRuns = 100;
  for (std::uint64_t seed = 0; seed < kRuns; ++seed) {
    const auto samples = payload::poses_by_force(poses(20, seed, 0.1, 0.005).second, 9.81);
    ASSERT_TRUE(samples.ok()) << samples.error().message();
    const auto result = weigh_payload(*samples, {}, *read_payload_shape({}));
    ASSERT_TRUE(result.ok()) << result.error().message();
    held += result->mass.low <= truth[0] && truth[0] <= result->mass.high;
    widest = std::max(widest, result->mass.high - result->mass.low);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double c = truth[1 + static_cast<int>(axis)] / truth[0];
      held += result->com[axis].low <= c && c <= result->com[axis].high;
    }
  }
  EXPECT_GE(held, 4 * kRuns * 92 / 100);
  EXPECT_LT(widest, 0.05);
}

TEST(Sphere, IsRefusedWhereForcesDoNotGoAround) {
  EXPECT_FALSE(payload::poses_by_force(poses(4, 1, 0, 0).second, 9.81).ok());
  Eigen::ArrayXXd flat = poses(12, 1, 0.1, 0.005).second;
  flat.col(2) = kPoseBias[2];
  EXPECT_FALSE(payload::poses_by_force(flat, 9.81).ok());
}

TEST(Plan, ReportsWhatPosesDetermine) {
  const auto plan = plan_poses({.moves = false}, {});
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  ASSERT_EQ(plan->poses.size(), 6u);
  EXPECT_FALSE(std::isfinite(plan->now.mass_sd));
  EXPECT_FALSE(std::isfinite(plan->poses[0].after.mass_sd));
  // two opposite directions tell the mass best: f1 - f2 = -2 m g
  EXPECT_NEAR(plan->poses[0].gravity.dot(plan->poses[1].gravity), -9.81 * 9.81, 1e-9);
  EXPECT_NEAR(plan->poses[1].after.mass_sd, 0.1 / (std::sqrt(2.0) * 9.81), 1e-5);
  EXPECT_FALSE(plan->poses[1].after.com_sd.allFinite());
  EXPECT_TRUE(plan->poses[2].after.com_sd.allFinite());
  for (std::size_t k = 0; k < 6; ++k) {
    const PlannedPose& pose = plan->poses[k];
    EXPECT_LE(
        (pose.R_world_sensor.transpose() * Eigen::Vector3d(0, 0, -9.81) - pose.gravity).norm(),
        1e-9);
    if (k > 1) {
      EXPECT_LE(pose.after.mass_sd, plan->poses[k - 1].after.mass_sd);
    }
  }
}

TEST(Plan, PredictsTheErrorsOfLeastSquares) {
  // standard deviations of the plan against those of weighing, over noise
  const auto plan = plan_poses({.moves = false}, {.mass = truth_of()[0]});
  ASSERT_TRUE(plan.ok());
  const BodyParameters x = truth_of();
  Eigen::ArrayXd masses(400), places(400);
  RandomStream random(1);
  for (Eigen::Index run = 0; run < masses.size(); ++run) {
    Eigen::ArrayXXd gravity(6, 3), wrench(6, 6);
    for (int i = 0; i < 6; ++i) {
      const Eigen::Vector3d g = plan->poses[static_cast<std::size_t>(i)].gravity;
      gravity.row(i) = g.transpose();
      wrench.row(i) << (-x[0] * g).transpose().array(),
          (-x.segment<3>(1).cross(g)).transpose().array();
      for (int c = 0; c < 6; ++c)
        wrench(i, c) += kPoseBias[c] + (c < 3 ? 0.1 : 0.005) * random.normal();
    }
    const auto fit = fit_payload(*make_pose_samples(gravity, wrench), {}, *read_payload_shape({}),
                                 PayloadMethod::wls);
    ASSERT_TRUE(fit.ok()) << fit.error().message();
    masses[run] = fit->parameters[0], places[run] = fit->parameters[1] / x[0];
  }
  const auto sd = [](const Eigen::ArrayXd& values) {
    return std::sqrt((values - values.mean()).square().mean());
  };
  const PoseKnowledge& promised = plan->poses.back().after;
  EXPECT_NEAR(sd(masses) / promised.mass_sd, 1, 0.15);
  EXPECT_NEAR(sd(places) / promised.com_sd[0], 1, 0.15);
}

TEST(Plan, GoesOnFromPosesThatWereTaken) {
  Eigen::ArrayXXd gravity(2, 3);
  gravity << 0, 0, -9.81, 0, 0, 9.81;
  const auto plan =
      plan_poses(*make_pose_samples(gravity, Eigen::ArrayXXd::Zero(2, 6)), {.num_poses = 1});
  ASSERT_TRUE(plan.ok());
  EXPECT_EQ(plan->now.num_directions, 2);
  EXPECT_TRUE(std::isfinite(plan->now.mass_sd));
  EXPECT_NEAR(plan->poses[0].gravity.z(), 0, 1.0);  // across the two
  EXPECT_TRUE(plan->poses[0].after.com_sd.allFinite());
  EXPECT_FALSE(plan_poses(samples_of(shaken(1)), {}).ok());
}

TEST(Plan, KeepsToTheLimitsOfJointsWhoseRangeHasNoZero) {
  SensorOnLink on_link{
      .robot = *read_robot_text("arm.urdf", R"(<robot name="arm"><link name="base"/>
      <link name="upper"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
      <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
        <limit lower="0.5" upper="2" effort="1" velocity="1"/></joint>
      <joint name="elbow" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="1 0 0"/>
        <limit lower="-3" upper="-0.07" effort="1" velocity="1"/></joint></robot>)",
                                ""),
      .link = "lower"};
  const auto plan = plan_poses({.moves = false}, {}, on_link);
  ASSERT_TRUE(plan.ok()) << plan.error().message();
  ASSERT_EQ(plan->poses.size(), 6u);
  for (const PlannedPose& pose : plan->poses) {
    EXPECT_GE(pose.position[0], 0.5);
    EXPECT_LE(pose.position[0], 2);
    EXPECT_GE(pose.position[1], -3);
    EXPECT_LE(pose.position[1], -0.07);
  }
  // by the gravity that is given, not the robot's
  const auto elsewhere = plan_poses({.moves = false}, {}, on_link, {.gravity = 3.72});
  ASSERT_TRUE(elsewhere.ok()) << elsewhere.error().message();
  for (const PlannedPose& pose : elsewhere->poses) EXPECT_NEAR(pose.gravity.norm(), 3.72, 1e-12);
}

}  // namespace
}  // namespace heft
