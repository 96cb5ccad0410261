// The rotors file: its meaning on robots that can be checked by hand, and the errors for its
// mistakes.

#include <gtest/gtest.h>

#include "heft/robot/robot_document.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

using test::expect_error;

// base -shoulder- upper -(fixed)- bracket, upper -elbow- lower; 'finger' follows the elbow: 2 q +
// 0.5
constexpr const char* kArmWithRotors = R"(<robot name="arm">
  <link name="base"/> <link name="upper"/> <link name="bracket"/> <link name="lower"/> <link name="tip"/>
  <joint name="shoulder" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/></joint>
  <joint name="mount" type="fixed"><origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <parent link="upper"/><child link="bracket"/></joint>
  <joint name="elbow" type="continuous"><parent link="bracket"/><child link="lower"/><axis xyz="0 1 0"/></joint>
  <joint name="finger" type="continuous"><parent link="lower"/><child link="tip"/><axis xyz="0 1 0"/>
    <mimic joint="elbow" multiplier="2" offset="0.5"/></joint>
</robot>)";

class Rotors : public testing::Test {
 protected:
  Result<Robot> read(const std::string& yaml, bool floating_base = false) {
    RobotOptions options;
    options.floating_base = floating_base;
    options.rotors_path = folder_.write("rotors.yaml", yaml);
    return read_robot(folder_.write("arm.urdf", kArmWithRotors), options);
  }

  test::ScratchFolder folder_;
};

TEST_F(Rotors, RideOnTheLinkThatCarriesThem) {
  const auto robot = read(R"(rotors:
  - joint: elbow
    gear_ratio: -50
    origin: {xyz: [1, 0, 0]}
    axis: [0, 3, 4]
    symmetric: false
    mass: 2
    com: [0, 0, 0.5]
    inertia: {ixx: 1, iyy: 1.5, izz: 2, ixy: 0.1, ixz: 0.2, iyz: 0.3}
  - joint: finger
    name: finger motor
    link: upper
    gear_ratio: 10
  - {joint: shoulder, gear_ratio: 100}
)");
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  ASSERT_EQ(robot->num_bodies(), 3 + 3);
  EXPECT_EQ(robot->num_coordinates(), 2);

  // default link is the elbow's parent, the bracket: 1 m above the upper link's frame and turned by
  // 90 degrees
  const Body& elbow = robot->bodies[3];
  EXPECT_EQ(elbow.name, "elbow.rotor");
  EXPECT_EQ(elbow.joint, "elbow");
  EXPECT_EQ(elbow.parent, 0);
  EXPECT_TRUE(elbow.is_rotor);
  EXPECT_FALSE(elbow.symmetric);
  EXPECT_EQ(elbow.coordinate, 1);
  EXPECT_EQ(elbow.ratio, -50);
  EXPECT_TRUE(elbow.X_parent_body.translation().isApprox(Eigen::Vector3d(0, 1, 1), 1e-15));
  EXPECT_TRUE(elbow.X_parent_body.linear().col(0).isApprox(Eigen::Vector3d::UnitY(), 1e-15));
  EXPECT_TRUE(elbow.axis.isApprox(Eigen::Vector3d(0, 0.6, 0.8), 1e-15));
  const Eigen::VectorXd prior{{2, 0, 0, 1, 1.5, 0.1, 2, 0.2, 0.3, 2}};  // m c^2 = 0.5 on x and y
  EXPECT_TRUE(test::close(elbow.prior, prior, 1e-15));

  // rotor angle = 10 (2 q + 0.5)
  const Body& finger = robot->bodies[4];
  EXPECT_EQ(finger.name, "finger motor");
  EXPECT_EQ(finger.parent, 0);
  EXPECT_TRUE(finger.X_parent_body.isApprox(Eigen::Isometry3d::Identity(), 0));
  EXPECT_EQ(finger.coordinate, 1);
  EXPECT_EQ(finger.ratio, 20);
  EXPECT_EQ(finger.offset, 5);
  EXPECT_TRUE(finger.prior.isZero(0));

  const Body& shoulder = robot->bodies[5];
  EXPECT_EQ(shoulder.parent, -1);
  EXPECT_EQ(shoulder.coordinate, 0);
  EXPECT_TRUE(shoulder.symmetric);
  EXPECT_EQ(shoulder.axis, Eigen::Vector3d::UnitZ());
}

TEST_F(Rotors, OnAFloatingBaseRideOnItsBody) {
  const auto robot = read("rotors:\n  - {joint: shoulder, gear_ratio: 100}\n", true);
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  EXPECT_EQ(robot->bodies.back().parent, 0);
  EXPECT_EQ(robot->bodies[0].name, "base");
}

TEST_F(Rotors, UnknownNames) {
  expect_error(read("rotors:\n  - joint: elbow\n    link: nowhere\n    gear_ratio: 3\n"),
               {"rotors.yaml:3", "no link 'nowhere'", "URDF"});
  expect_error(read("rotors:\n  - joint: knee\n    gear_ratio: 3\n"),
               {"rotors.yaml:2", "'knee'", "not fixed"});
  expect_error(read("rotors:\n  - joint: mount\n    gear_ratio: 3\n"),
               {"rotors.yaml:2", "'mount'"});
  expect_error(read("rotors:\n  - joint: elbow\n    gear_ratio: 3\n    gearratio: 3\n"),
               {"rotors.yaml:4", "unknown key 'gearratio'", "gear_ratio"});
  expect_error(read("motors: []\n"), {"rotors.yaml:1", "unknown key 'motors'", "rotors"});
}

TEST_F(Rotors, MissingOrRepeated) {
  expect_error(read("rotors:\n  - joint: elbow\n"),
               {"rotors.yaml:2", "has no 'gear_ratio'", "add"});
  expect_error(read("rotors:\n  - gear_ratio: 3\n"), {"rotors.yaml:2", "has no 'joint'"});
  expect_error(read("rotors:\n  - joint: elbow\n    gear_ratio: 3\n    gear_ratio: 4\n"),
               {"rotors.yaml:4", "'gear_ratio'", "twice"});
  expect_error(
      read("rotors:\n  - {joint: elbow, gear_ratio: 3}\n  - {joint: elbow, gear_ratio: 3}\n"),
      {"rotors.yaml:3", "elbow.rotor", "name"});
  expect_error(read("rotors:\n  - {joint: elbow, gear_ratio: 3, com: [0, 0, 0]}\n"),
               {"rotors.yaml:2", "'mass'"});
}

TEST_F(Rotors, BadValues) {
  const std::string start = "rotors:\n  - joint: elbow\n    gear_ratio: ";
  for (const std::string value : {"fast", ".nan", ".inf", "1e999", "[3]", "~", "0"}) {
    expect_error(read(start + value + "\n"), {"rotors.yaml:3", "gear_ratio"});
  }
  expect_error(read(start + "3\n    axis: [0, 0, 0]\n"), {"rotors.yaml:4", "axis is zero"});
  expect_error(read(start + "3\n    axis: [0, 1]\n"), {"rotors.yaml:4", "'axis'", "three numbers"});
  expect_error(read(start + "3\n    symmetric: perhaps\n"),
               {"rotors.yaml:4", "'symmetric'", "true or false"});
  expect_error(read(start + "3\n    origin: [0, 0, 1]\n"), {"rotors.yaml:4", "'origin'", "xyz"});
  expect_error(read(start + "3\n    mass: -1\n"), {"rotors.yaml:4", "mass is negative"});
  expect_error(read(start + "3\n    mass: 1\n    inertia: {ixx: 1, iyy: 1}\n"),
               {"rotors.yaml:5", "'izz'"});
}

TEST_F(Rotors, APriorMustAgreeWithSymmetric) {
  const std::string start = "rotors:\n  - joint: elbow\n    gear_ratio: 3\n    mass: 1\n    ";
  expect_error(read(start + "com: [0.1, 0, 0.1]\n"),
               {"rotors.yaml:2", "elbow.rotor", "symmetric: false"});
  expect_error(read(start + "inertia: {ixx: 1, iyy: 2, izz: 2}\n"),
               {"rotors.yaml:2", "not symmetric"});
  EXPECT_TRUE(read(start + "inertia: {ixx: 1, iyy: 2, izz: 2}\n    axis: [-2, 0, 0]\n").ok());
}

TEST_F(Rotors, UnreadableFile) {
  RobotOptions options;
  options.rotors_path = folder_.path("absent.yaml");
  expect_error(read_robot(folder_.write("arm.urdf", kArmWithRotors), options),
               {"absent.yaml", "cannot be opened", "path"});
  options.rotors_path = folder_.path("");
  expect_error(read_robot(folder_.path("arm.urdf"), options), {folder_.path("")});
  expect_error(read(""), {"rotors.yaml", "empty"});
  expect_error(read("rotors: {}\n"), {"rotors.yaml:1", "no list 'rotors'"});
  expect_error(read("rotors:\n  - joint: [elbow\n"), {"rotors.yaml:", "malformed YAML"});
}

}  // namespace
}  // namespace heft
