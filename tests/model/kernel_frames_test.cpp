// Kernel frames: that they are frames of the robot at all, and that of every body one child is reached by a twist.
#include "host/model/kernel_frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using core::PoseKind;

constexpr double kTolerance = 1e-14;

Eigen::Isometry3d turn(const Eigen::Vector3d& axis, double angle) {
  return Eigen::Isometry3d(Eigen::AngleAxisd(angle, axis));
}

/// Seen from the parent's frame, turning the body by q is: in_parent, then q + angle about z.
void expect_same_motion(const Robot& robot, const std::vector<KernelFrame>& frames, int b, double q) {
  const Body& body = robot.bodies[b];
  const Eigen::Isometry3d moved = body.X_parent_body * turn(body.axis, q) * frames[b].in_body;
  Eigen::Isometry3d expected = frames[b].in_parent * turn(Eigen::Vector3d::UnitZ(), q + frames[b].angle);
  if (body.parent >= 0) expected = frames[body.parent].in_body * expected;
  EXPECT_LE((moved.matrix() - expected.matrix()).cwiseAbs().maxCoeff(), kTolerance) << "body " << b;
}

TEST(KernelFrames, AreWhereTheBodiesAreAndTurnAboutTheirAxes) {
  for (int seed = 0; seed < 50; ++seed) {
    const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2), seed);
    const std::vector<KernelFrame> frames = kernel_frames(robot);
    ASSERT_EQ(frames.size(), robot.bodies.size());
    for (int b = 0; b < robot.num_bodies(); ++b) {
      const Body& body = robot.bodies[b];
      const Eigen::Matrix3d R = frames[b].in_body.linear();
      EXPECT_LE((R.transpose() * R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), kTolerance);
      if (body.type != JointType::rigid) {
        EXPECT_LE((R.col(2) - body.axis).cwiseAbs().maxCoeff(), kTolerance) << "body " << b;
      }
      if (body.type == JointType::revolute)
        for (const double q : {0.0, 0.7, -2.0}) expect_same_motion(robot, frames, b, q);
    }
  }
}

TEST(KernelFrames, ReachOneChildOfEveryMovingBodyByATwist) {
  for (int seed = 0; seed < 50; ++seed) {
    const Robot robot = oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2), seed);
    const std::vector<KernelFrame> frames = kernel_frames(robot);
    for (int b = 0; b < robot.num_bodies(); ++b) {
      const Body& body = robot.bodies[b];
      if (body.parent < 0 || robot.bodies[body.parent].type == JointType::rigid) continue;
      const bool is_only_child =
          std::count_if(robot.bodies.begin(), robot.bodies.end(),
                        [&](const Body& other) { return other.parent == body.parent; }) == 1;
      if (is_only_child && body.type == JointType::revolute) {
        EXPECT_NE(frames[b].pose, PoseKind::general) << b;
      }
    }
  }
}

TEST(KernelFrames, KnowRightAnglesAndParallelAxes) {
  Robot robot;
  const Eigen::Vector3d axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {0, 1, 0}, {0, -1, 0}};
  for (int b = 0; b < 7; ++b) {
    Body body;
    body.parent = b - 1, body.coordinate = b, body.axis = axes[b];
    body.X_parent_body.translation() << 0.1, -0.2, 0.3;
    robot.bodies.push_back(body);
  }
  std::vector<PoseKind> kinds;
  for (const KernelFrame& frame : kernel_frames(robot)) kinds.push_back(frame.pose);
  EXPECT_EQ(kinds, (std::vector<PoseKind>{PoseKind::parallel, PoseKind::perpendicular, PoseKind::parallel,
                                          PoseKind::parallel, PoseKind::perpendicular,
                                          PoseKind::perpendicular, PoseKind::twist}));
}

}  // namespace
}  // namespace heft
