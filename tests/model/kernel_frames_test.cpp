// Kernel frames: they are frames of the robot, and a twist reaches one child of every body.
#include "host/dynamics/model/kernel_frames.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "tests/oracle/compare.hpp"
#include "tests/oracle/random_robot.hpp"

namespace heft {
namespace {

using core::PoseKind;

constexpr double kTolerance = 1e-14;

Eigen::Isometry3d turn(const Eigen::Vector3d& axis, double angle) {
  return Eigen::Isometry3d(Eigen::AngleAxisd(angle, axis));
}

/// Seen from the parent's frame, turning the body by q is: in_parent, then q + angle about z.
void expect_same_motion(const Robot& robot, const std::vector<KernelFrame>& frames, int b,
                        double q) {
  const Body& body = robot.bodies[b];
  const Eigen::Isometry3d moved = body.X_parent_body * turn(body.axis, q) * frames[b].in_body;
  Eigen::Isometry3d expected =
      frames[b].in_parent * turn(Eigen::Vector3d::UnitZ(), q + frames[b].angle);
  if (body.parent >= 0) expected = frames[body.parent].in_body * expected;
  EXPECT_LE(oracle::largest_difference(moved.matrix(), expected.matrix()), kTolerance)
      << "body " << b;
}

TEST(KernelFrames, AreWhereTheBodiesAreAndTurnAboutTheirAxes) {
  for (int seed = 0; seed < 50; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2), seed);
    const std::vector<KernelFrame> frames = kernel_frames(robot);
    ASSERT_EQ(frames.size(), robot.bodies.size());
    for (int b = 0; b < robot.num_bodies(); ++b) {
      const Body& body = robot.bodies[b];
      const Eigen::Matrix3d R = frames[b].in_body.linear();
      EXPECT_LE(oracle::largest_difference(R.transpose() * R, Eigen::Matrix3d::Identity()),
                kTolerance);
      if (body.type != JointType::rigid) {
        EXPECT_LE(oracle::largest_difference(R.col(2), body.axis), kTolerance) << "body " << b;
      }
      if (body.type == JointType::revolute)
        for (const double q : {0.0, 0.7, -2.0}) expect_same_motion(robot, frames, b, q);
    }
  }
}

TEST(KernelFrames, ReachOneTurningChildOfEveryMovingBodyByATwist) {
  int num_parents = 0;
  for (int seed = 0; seed < 50; ++seed) {
    const Robot robot =
        oracle::random_robot(oracle::RandomRobotOptions::everything(seed % 2), seed);
    const std::vector<KernelFrame> frames = kernel_frames(robot);
    for (int parent = 0; parent < robot.num_bodies(); ++parent) {
      int num_turning = 0, num_twists = 0;
      for (int b = 0; b < robot.num_bodies(); ++b) {
        if (robot.bodies[b].parent != parent || robot.bodies[b].type != JointType::revolute)
          continue;
        ++num_turning;
        num_twists += frames[b].pose != PoseKind::general;
      }
      if (num_turning == 0 || robot.bodies[parent].type == JointType::rigid) continue;
      ++num_parents;
      EXPECT_GE(num_twists, 1) << "seed " << seed << ", body " << parent;
    }
  }
  EXPECT_GT(num_parents, 50);
}

Body body_on(int parent, int coordinate, const Eigen::Vector3d& axis) {
  Body body;
  body.parent = parent, body.coordinate = coordinate, body.axis = axis;
  return body;
}

TEST(KernelFrames, FollowTheLargestBranchOfTurningBodies) {
  const Eigen::Vector3d z(0, 0, 1), x(1, 0, 0), skew = Eigen::Vector3d(0.3, -0.5, 0.7).normalized();
  Robot robot;
  robot.bodies = {body_on(-1, 0, z), body_on(0, 1, x), body_on(0, 1, skew), body_on(2, 2, z)};
  std::vector<KernelFrame> frames = kernel_frames(robot);
  EXPECT_EQ(frames[1].pose, PoseKind::general);
  EXPECT_EQ(frames[2].pose, PoseKind::twist);
  robot.bodies[2].type = JointType::prismatic;
  EXPECT_EQ(kernel_frames(robot)[1].pose, PoseKind::perpendicular);
}

TEST(KernelFrames, KnowRightAnglesAndParallelAxes) {
  Robot robot;
  const Eigen::Vector3d axes[] = {{0, 0, 1}, {0, 1, 0}, {0, 1, 0}, {0, 1, 0},
                                  {0, 0, 1}, {0, 1, 0}, {0, -1, 0}};
  for (int b = 0; b < 7; ++b) {
    Body body = body_on(b - 1, b, axes[b]);
    body.X_parent_body.translation() << 0.1, -0.2, 0.3;
    robot.bodies.push_back(body);
  }
  std::vector<PoseKind> kinds;
  for (const KernelFrame& frame : kernel_frames(robot)) kinds.push_back(frame.pose);
  EXPECT_EQ(kinds,
            (std::vector<PoseKind>{PoseKind::parallel, PoseKind::perpendicular, PoseKind::parallel,
                                   PoseKind::parallel, PoseKind::perpendicular,
                                   PoseKind::perpendicular, PoseKind::twist}));
}

}  // namespace
}  // namespace heft
