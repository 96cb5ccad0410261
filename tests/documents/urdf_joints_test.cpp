// Joints that the golden robots lack: mimic, planar and floating; limits; and details that must not
// matter.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <limits>

#include "heft/robot/robot_document.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

constexpr double kPoseRounding = 1e-14;  // poses of order one, a dozen rotations

Robot read_or_fail(const std::string& urdf, const RobotOptions& options = {}) {
  const test::ScratchFolder folder;
  auto robot = read_robot(folder.write("robot.urdf", urdf), options);
  EXPECT_TRUE(robot.ok()) << (robot.ok() ? "" : robot.error().message());
  return robot.ok() ? *robot : Robot{};
}

// pose of a body in the base by the definition in robot.hpp
Eigen::Isometry3d pose(const Robot& robot, int index, const Eigen::VectorXd& q) {
  if (index < 0) return Eigen::Isometry3d::Identity();
  const Body& body = robot.bodies[index];
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  if (body.coordinate >= 0) {
    const double s = body.ratio * q[body.coordinate] + body.offset;
    if (body.type == JointType::revolute) {
      motion = Eigen::AngleAxisd(s, body.axis);
    } else {
      motion.translation() = s * body.axis;
    }
  }
  return pose(robot, body.parent, q) * body.X_parent_body * motion;
}

TEST(UrdfJoints, PlanarIsTwoSlidesAndATurn) {
  const Robot robot = read_or_fail(R"(<robot name="r"><link name="a"/>
    <link name="b"><inertial><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="p" type="planar"><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/>
      <parent link="a"/><child link="b"/><axis xyz="0 0 5"/></joint></robot>)");
  ASSERT_EQ(robot.num_bodies(), 3);
  ASSERT_EQ(robot.num_coordinates(), 3);
  EXPECT_EQ(robot.coordinates[0].name, "p.x");
  EXPECT_EQ(robot.coordinates[1].name, "p.y");
  EXPECT_EQ(robot.coordinates[2].name, "p.angle");
  EXPECT_FALSE(robot.coordinates[0].is_angle || robot.coordinates[1].is_angle);
  EXPECT_TRUE(robot.coordinates[2].is_angle);
  EXPECT_FALSE(robot.bodies[0].has_parameters || robot.bodies[1].has_parameters);
  EXPECT_TRUE(robot.bodies[2].has_parameters);
  EXPECT_EQ(robot.bodies[2].name, "b");
  EXPECT_EQ(robot.bodies[2].prior[core::kMass], 2);
  EXPECT_TRUE(robot.bodies[0].prior.isZero(0));

  // the joint frame is turned by 90 degrees about z, so its x is the base's y
  const Eigen::Isometry3d moved = pose(robot, 2, Eigen::Vector3d(0.5, 0.25, 0.1));
  EXPECT_TRUE(moved.translation().isApprox(Eigen::Vector3d(1 - 0.25, 2 + 0.5, 3), kPoseRounding));
  const double yaw = 0.5 * EIGEN_PI + 0.1;
  EXPECT_TRUE(moved.linear().col(0).isApprox(Eigen::Vector3d(std::cos(yaw), std::sin(yaw), 0),
                                             kPoseRounding));
}

TEST(UrdfJoints, PlanarSlidesStayInThePlaneOfASkewNormal) {
  const Robot robot = read_or_fail(R"(<robot name="r"><link name="a"/><link name="b"/>
    <joint name="p" type="planar"><parent link="a"/><child link="b"/><axis xyz="-3 1 2"/></joint></robot>)");
  ASSERT_EQ(robot.num_bodies(), 3);
  Eigen::Matrix3d axes;
  for (int i = 0; i < 3; ++i) axes.col(i) = robot.bodies[i].axis;
  EXPECT_TRUE(axes.col(2).isApprox(Eigen::Vector3d(-3, 1, 2).normalized(), kPoseRounding));
  EXPECT_TRUE((axes.transpose() * axes).isIdentity(kPoseRounding));
  EXPECT_NEAR(axes.determinant(), 1, kPoseRounding);
}

TEST(UrdfJoints, FloatingIsThreeSlidesAndYawPitchRoll) {
  const Robot robot =
      read_or_fail(R"(<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
    <joint name="f" type="floating"><parent link="a"/><child link="b"/></joint>
    <joint name="j" type="continuous"><parent link="b"/><child link="c"/></joint></robot>)");
  ASSERT_EQ(robot.num_bodies(), 7);
  const std::vector<std::string> names = {"f.x", "f.y", "f.z", "f.yaw", "f.pitch", "f.roll", "j"};
  for (int i = 0; i < 7; ++i) {
    EXPECT_EQ(robot.coordinates[i].name, names[i]);
    EXPECT_EQ(robot.bodies[i].has_parameters, i >= 5);
  }
  EXPECT_EQ(robot.bodies[5].name, "b");
  EXPECT_EQ(robot.bodies[6].parent, 5);

  const Eigen::Vector3d p(0.1, -0.2, 0.3);
  const double yaw = 0.4, pitch = -0.5, roll = 0.6;
  Eigen::VectorXd q(7);
  q << p, yaw, pitch, roll, 0;
  Eigen::Matrix3d Rz, Ry, Rx;
  Rz << std::cos(yaw), -std::sin(yaw), 0, std::sin(yaw), std::cos(yaw), 0, 0, 0, 1;
  Ry << std::cos(pitch), 0, std::sin(pitch), 0, 1, 0, -std::sin(pitch), 0, std::cos(pitch);
  Rx << 1, 0, 0, 0, std::cos(roll), -std::sin(roll), 0, std::sin(roll), std::cos(roll);
  const Eigen::Isometry3d moved = pose(robot, 5, q);
  EXPECT_TRUE(moved.translation().isApprox(p, kPoseRounding));
  EXPECT_TRUE(moved.linear().isApprox(Rz * Ry * Rx, kPoseRounding));
}

TEST(UrdfJoints, MimicsShareACoordinateAndCompose) {
  // b follows a, c follows b: q_c = -3 (2 q_a + 0.5) + 0.25; the leader comes last in joint order
  const Robot robot =
      read_or_fail(R"(<robot name="r"><link name="l0"/><link name="l1"/><link name="l2"/>
    <link name="l3"/>
    <joint name="z" type="revolute"><parent link="l2"/><child link="l3"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="2" effort="3" velocity="4"/><dynamics damping="1" friction="10"/></joint>
    <joint name="c" type="prismatic"><parent link="l0"/><child link="l1"/><axis xyz="0 0 1"/>
      <limit lower="-9" upper="9" effort="9" velocity="9"/><mimic joint="b" multiplier="-3" offset="0.25"/>
      <dynamics damping="0.5" friction="0.125"/></joint>
    <joint name="b" type="continuous"><parent link="l1"/><child link="l2"/><axis xyz="0 0 1"/>
      <mimic joint="z" multiplier="2" offset="0.5"/></joint></robot>)");
  ASSERT_EQ(robot.num_bodies(), 3);
  ASSERT_EQ(robot.num_coordinates(), 1);
  EXPECT_EQ(robot.bodies[0].joint, "c");
  EXPECT_EQ(robot.bodies[0].ratio, -6);
  EXPECT_EQ(robot.bodies[0].offset, -1.25);
  EXPECT_EQ(robot.bodies[1].joint, "b");
  EXPECT_EQ(robot.bodies[1].ratio, 2);
  EXPECT_EQ(robot.bodies[1].offset, 0.5);
  EXPECT_EQ(robot.bodies[2].ratio, 1);
  for (const Body& body : robot.bodies) EXPECT_EQ(body.coordinate, 0);

  const Coordinate& leader = robot.coordinates[0];
  EXPECT_EQ(leader.name, "z");
  EXPECT_EQ(leader.lower, -1);
  EXPECT_EQ(leader.upper, 2);
  EXPECT_EQ(leader.max_effort, 3);
  EXPECT_EQ(leader.max_velocity, 4);
  EXPECT_EQ(leader.damping, 1 + 36 * 0.5);
  EXPECT_EQ(leader.friction, 10 + 6 * 0.125);
}

TEST(UrdfJoints, AChainOfMimicsIsFollowedOnce) {
  // every joint follows the one before, q_k = 1 - q_(k-1): the ends are q_0 and 1 - q_0 in turn
  constexpr int kLength = 20001;
  std::string urdf = "<robot name=\"r\"><link name=\"l0\"/>";
  for (int k = 0; k < kLength; ++k) {
    const std::string n = std::to_string(k), next = std::to_string(k + 1);
    urdf += "<link name=\"l" + next + "\"/><joint name=\"j" + n +
            "\" type=\"continuous\"><parent link=\"l" + n + "\"/><child link=\"l" + next + "\"/>";
    if (k > 0)
      urdf += "<mimic joint=\"j" + std::to_string(k - 1) + "\" multiplier=\"-1\" offset=\"1\"/>";
    urdf += "</joint>\n";
  }
  const Robot robot = read_or_fail(urdf + "</robot>");
  ASSERT_EQ(robot.num_bodies(), kLength);
  ASSERT_EQ(robot.num_coordinates(), 1);
  for (const int k : {0, 1, 2, kLength - 2, kLength - 1}) {
    EXPECT_EQ(robot.bodies[k].coordinate, 0);
    EXPECT_EQ(robot.bodies[k].ratio, k % 2 == 0 ? 1 : -1);
    EXPECT_EQ(robot.bodies[k].offset, k % 2 == 0 ? 0 : 1);
  }
}

TEST(UrdfJoints, AContinuousJointHasNoEnds) {
  const Robot robot = read_or_fail(R"(<robot name="r"><link name="a"/><link name="b"/>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/>
      <limit lower="-1" upper="1" effort="3" velocity="4"/></joint></robot>)");
  ASSERT_EQ(robot.num_coordinates(), 1);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(robot.coordinates[0].lower, -infinity);
  EXPECT_EQ(robot.coordinates[0].upper, infinity);
  EXPECT_EQ(robot.coordinates[0].max_effort, 3);
  EXPECT_EQ(robot.coordinates[0].max_velocity, 4);
}

TEST(UrdfJoints, TheTensorIsTurnedByTheInertialOrigin) {
  // a quarter turn about z swaps the x and y moments; the link's CoM lifts Ixx and Iyy by m z^2 = 2
  // * 0.25
  const Robot robot = read_or_fail(R"(<robot name="r"><link name="a"/><link name="b"><inertial>
      <origin xyz="0 0 0.5" rpy="0 0 1.5707963267948966"/><mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="3" iyz="0" izz="3.5"/></inertial></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>)");
  ASSERT_EQ(robot.num_bodies(), 1);
  const Eigen::VectorXd expected{{2, 0, 0, 1, 3.5, 0, 1.5, 0, 0, 3.5}};
  EXPECT_TRUE(test::close(robot.bodies[0].prior, expected, kPoseRounding))
      << robot.bodies[0].prior.transpose();
  EXPECT_EQ(robot.bodies[0].axis, Eigen::Vector3d::UnitX());
}

TEST(UrdfJoints, AFloatingBaseNeedsNoJoint) {
  RobotOptions options;
  options.floating_base = true;
  const Robot robot = read_or_fail(R"(<robot name="r"><link name="a"/><link name="tool"><inertial>
      <mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="j" type="fixed"><origin xyz="1 0 0"/><parent link="a"/><child link="tool"/></joint></robot>)",
                                   options);
  ASSERT_EQ(robot.num_bodies(), 1);
  EXPECT_EQ(robot.bodies[0].type, JointType::rigid);
  EXPECT_EQ(robot.bodies[0].coordinate, -1);
  EXPECT_EQ(robot.bodies[0].parent, -1);
  EXPECT_EQ(robot.bodies[0].joint, "");
  EXPECT_EQ(robot.bodies[0].merged_links, std::vector<std::string>{"tool"});
  const Eigen::VectorXd expected{{2, 2, 0, 0, 1, 0, 3, 0, 0, 3}};
  EXPECT_TRUE(test::close(robot.bodies[0].prior, expected, kPoseRounding));
}

TEST(UrdfJoints, IgnoresFixedAndMasslessParts) {
  const Robot robot = read_or_fail(R"(<robot name="r"><gazebo><plugin name="x"/></gazebo>
    <link name="a"><visual><material name="not defined anywhere"/></visual></link>
    <link name="b"><collision><geometry><mesh/></geometry></collision></link>
    <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
      <safety_controller/><calibration rising="x"/></joint>
    <transmission name="t"><joint name="j"/></transmission></robot>)");
  EXPECT_EQ(robot.num_bodies(), 1);
}

TEST(UrdfJoints, ReadingPrintsNothing) {
  const test::ScratchFolder folder;
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  // no <limit>
  const auto robot =
      read_robot(folder.write("r.urdf", R"(<robot name="r"><link name="a"/><link name="b"/>
    <joint name="j" type="revolute"><parent link="a"/><child link="b"/></joint></robot>)"));
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  test::expect_error(robot, {"r.urdf", "j", "limit"});
}

}  // namespace
}  // namespace heft
