// Broken URDFs: each is rejected with the place, the name and a remedy.

#include <gtest/gtest.h>

#include <limits>

#include "heft/robot/robot_document.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

using test::expect_error;

class UrdfErrors : public testing::Test {
 protected:
  Result<Robot> read(const std::string& urdf) {
    return read_robot(folder_.write("robot.urdf", urdf));
  }

  // a robot of links a and b, with `body` on line 3
  Result<Robot> read_with(const std::string& body) {
    return read("<robot name=\"r\">\n<link name=\"a\"/><link name=\"b\"/>\n" + body +
                "\n</robot>\n");
  }

  test::ScratchFolder folder_;
};

TEST_F(UrdfErrors, MissingFile) {
  expect_error(read_robot(folder_.path("absent.urdf")),
               {"absent.urdf", "No such file", "check the path"});
}

TEST_F(UrdfErrors, FolderInsteadOfFile) {
  expect_error(read_robot(folder_.path("")), {folder_.path(""), "directory", "a file in it"});
}

TEST_F(UrdfErrors, EmptyFile) {
  expect_error(read(""), {"robot.urdf", "empty", "<robot>"});
  expect_error(read(" \r\n\t\n"), {"robot.urdf", "empty"});
}

TEST_F(UrdfErrors, MalformedXmlNamesLineAndColumn) {
  expect_error(read("<robot name=\"r\">\n  <link name=\"a\"></lnk>\n</robot>\n"),
               {"robot.urdf:2:20:", "malformed XML", "mismatch", "fix"});
  // the quote that is never closed
  expect_error(read("<robot name=\"r\">\n<link name=\"a/>\n</robot>\n"),
               {"robot.urdf:", "malformed XML"});
}

TEST_F(UrdfErrors, NotARobot) {
  expect_error(read("<sdf version=\"1.6\"/>"), {"robot.urdf", "SDF", "export"});
  expect_error(read("<mujoco model=\"m\"/>"), {"robot.urdf", "MJCF", "heft_robot"});
  expect_error(read("<model/>"), {"robot.urdf", "<robot>", "xacro"});
  expect_error(read("only text"), {"robot.urdf", "<robot>"});
  expect_error(read("<robot name=\"r\"/>"), {"robot.urdf", "no links"});
}

TEST_F(UrdfErrors, XacroThatIsLeft) {
  for (const std::string element :
       {"<xacro:include filename='leg.xacro'/>", "<link name='a'>\n<xacro:box/></link>"})
    expect_error(
        read("<robot name=\"r\" xmlns:xacro=\"http://ros.org/wiki/xacro\">\n<link name='b'/>\n" +
             element + "</robot>"),
        {element[1] == 'x' ? "robot.urdf:3" : "robot.urdf:4", "<xacro:", "expand"});
  expect_error(
      read_with("<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n"
                "<origin xyz=\"0 0 ${height}\"/></joint>"),
      {"robot.urdf:4", "joint 'j'", "xyz=\"0 0 ${height}\"", "expand"});
}

// a text that grows tenfold with every line, and would be read as it stands
TEST_F(UrdfErrors, EntitiesOfItsOwn) {
  std::string bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE robot [\n<!ENTITY a0 \"1\">\n";
  for (int k = 1; k < 10; ++k) {
    bomb += "<!ENTITY a" + std::to_string(k) + " \"";
    for (int i = 0; i < 10; ++i) bomb += "&a" + std::to_string(k - 1) + ";";
    bomb += "\">\n";
  }
  expect_error(read(bomb + "]>\n<robot name=\"&a9;\"><link name=\"a\"/></robot>"),
               {"robot.urdf:2", "entities", "remove"});
}

TEST_F(UrdfErrors, NoName) {
  expect_error(read("<robot name=\"r\">\n<link/>\n</robot>"),
               {"robot.urdf:2", "<link> has no name", "name="});
  expect_error(read_with("<joint type=\"fixed\"/>"), {"robot.urdf:3", "<joint> has no name"});
}

TEST_F(UrdfErrors, DuplicateNames) {
  expect_error(read_with("<link name=\"b\"/>"),
               {"robot.urdf:3", "link 'b'", "twice", "robot.urdf:2", "rename"});
  expect_error(
      read_with("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
                "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
      {"robot.urdf:4", "joint 'j'", "twice"});
}

TEST_F(UrdfErrors, TwoRoots) {
  expect_error(read_with(""), {"robot.urdf:2", "two root links", "'a'", "'b'", "connect"});
}

TEST_F(UrdfErrors, TwoParents) {
  expect_error(
      read_with("<joint name=\"i\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
                "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
      {"robot.urdf:4", "link 'b'", "'i'", "'j'", "tree"});
}

TEST_F(UrdfErrors, Cycle) {
  const std::string loop =
      "<joint name=\"i\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/></joint>\n"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"b\"/><child link=\"a\"/></joint>";
  expect_error(read_with(loop), {"robot.urdf", "cycle", "remove the joint"});
  // the same beside a proper root
  expect_error(read_with(loop + "<link name=\"root\"/>"), {"robot.urdf:2", "cycle", "'a'"});
  expect_error(
      read_with(
          "<joint name=\"i\" type=\"continuous\"><parent link=\"b\"/><child link=\"b\"/></joint>"),
      {"robot.urdf:2", "cycle", "'b'"});
}

TEST_F(UrdfErrors, UnknownLinkOrType) {
  expect_error(
      read_with("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint>"),
      {"robot.urdf:3", "joint 'j'", "child", "'c'", "does not exist", "add the link"});
  expect_error(read_with("<joint name=\"j\" type=\"fixed\"><child link=\"b\"/></joint>"),
               {"robot.urdf:3", "joint 'j'", "parent"});
  expect_error(
      read_with("<joint name=\"j\" type=\"hinge\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
      {"robot.urdf:3", "joint 'j'", "'hinge'", "revolute"});
}

TEST_F(UrdfErrors, ZeroAxis) {
  for (const std::string type : {"revolute", "continuous", "prismatic", "planar"}) {
    for (const std::string axis : {"<axis xyz=\"0 0 0\"/>", "<axis xyz=\"0 -0 0.0\"/>"}) {
      expect_error(read_with("<joint name=\"j\" type=\"" + type +
                             "\"><parent link=\"a\"/><child link=\"b\"/>"
                             "<limit effort=\"1\" velocity=\"1\"/>" +
                             axis + "</joint>"),
                   {"robot.urdf:3", "axis of joint 'j' is zero", "direction"});
    }
  }
}

TEST_F(UrdfErrors, RefusesInvalidNumbers) {
  for (const std::string xyz :
       {"0 0", "0 0 x", "nan 0 0", "0 inf 0", "1e999 0 0", "0 0 0 0", "0,5 0 0", "", "%s %n 0"}) {
    for (const std::string element : {"origin", "axis"}) {
      expect_error(
          read_with(
              "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>\n<" +
              element + " xyz=\"" + xyz + "\"/></joint>"),
          {"robot.urdf:4", "xyz of <" + element + "> in joint 'j'",
           "three finite numbers: '" + xyz + "'", "spaces"});
    }
  }
  for (const std::string attribute :
       {"limit lower", "limit upper", "limit effort", "limit velocity", "dynamics damping",
        "dynamics friction", "mimic multiplier", "mimic offset"}) {
    for (const std::string value : {"1 2", "twice"})
      expect_error(
          read_with(
              "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n<" +
              attribute + "=\"" + value +
              "\" joint=\"i\"/></joint><link name=\"c\"/><joint name=\"i\" type=\"continuous\">"
              "<parent link=\"a\"/><child link=\"c\"/></joint>"),
          {"robot.urdf:4", attribute.substr(attribute.find(' ') + 1), "joint 'j'",
           "'" + value + "'"});
  }
  for (const std::string attribute : {"mass value", "inertia ixx", "inertia ixy", "inertia ixz",
                                      "inertia iyy", "inertia iyz", "inertia izz", "origin rpy"}) {
    expect_error(
        read_with(
            "<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"c\"/></joint><joint "
            "name=\"k\" "
            "type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<link name=\"c\"><inertial><" +
            attribute + "=\"nan\"/></inertial></link>"),
        {"robot.urdf:4", attribute.substr(attribute.find(' ') + 1), "link 'c'", "'nan'"});
  }
}

TEST_F(UrdfErrors, Overflow) {
  expect_error(
      read_with(
          "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"c\"/></joint><joint "
          "name=\"k\" "
          "type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<link name=\"c\"><inertial>"
          "<origin xyz=\"1e200 0 0\"/><mass value=\"1\"/>"
          "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/></inertial></link>"),
      {"robot.urdf", "'c'", "overflows", "SI units"});
}

TEST_F(UrdfErrors, QuantitiesBeyondAllBounds) {
  const std::string joint =
      "<joint name=\"j\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/>\n";
  const std::string limit =
      "<limit lower=\"-1.7e308\" upper=\"1.7e308\" effort=\"1.7e308\" velocity=\"1e300\"/>";
  EXPECT_TRUE(read_with(joint + limit + "</joint>").ok()) << "limits that are meant to be none";
  for (const std::string element : {"<origin xyz=\"0 1e51 0\"/>", "<axis xyz=\"0 0 -1e300\"/>",
                                    "<dynamics damping=\"1e308\"/>"}) {
    expect_error(read_with(joint + element + limit + "</joint>"),
                 {"robot.urdf:4", "joint 'j'", "overflows", "SI units"});
  }
}

TEST_F(UrdfErrors, RefusesInvalidGravity) {
  RobotOptions options;
  options.gravity.y() = std::numeric_limits<double>::quiet_NaN();
  expect_error(read_robot(folder_.write("robot.urdf", "<robot name=\"r\"/>"), options),
               {"gravity", "finite"});
}

TEST_F(UrdfErrors, PercentSignsAreOnlyText) {
  expect_error(
      read("<robot name=\"%n%s\"><link name=\"a%n%s\"/><link name=\"b%n%s\"/><joint name=\"j%n%s\" "
           "type=\"revolute\"><parent link=\"a%n%s\"/><child link=\"b%n%s\"/></joint></robot>"),
      {"robot.urdf", "j%n%s", "limit"});
}

TEST_F(UrdfErrors, Inertials) {
  const std::string joint =
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"c\"/></joint>"
      "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n";
  const std::string tensor =
      "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>";
  expect_error(read_with(joint + "<link name=\"c\">\n<inertial><mass value=\"-2\"/>" + tensor +
                         "</inertial></link>"),
               {"robot.urdf:5", "link 'c'", "negative mass", "-2"});
  expect_error(read_with(joint + "<link name=\"c\"><inertial><mass value=\"nan\"/>" + tensor +
                         "</inertial></link>"),
               {"robot.urdf", "mass"});
  expect_error(
      read_with(joint + "<link name=\"c\"><inertial><mass value=\"2\"/></inertial></link>"),
      {"robot.urdf", "inertia"});
  expect_error(read_with(joint + "<link name=\"c\"><inertial/>\n<inertial/></link>"),
               {"robot.urdf:5", "link 'c'", "two <inertial>"});
}

// what has no default must be said; every place is a line
TEST_F(UrdfErrors, NamesMissingElements) {
  expect_error(
      read("\n<robot><link name=\"a\"/><link name=\"b\"/><joint name=\"j\" type=\"continuous\">"
           "<parent link=\"a\"/><child link=\"b\"/></joint></robot>"),
      {"robot.urdf:2", "<robot>", "no name"});
  const auto joint_of = [&](const std::string& type, const std::string& body) {
    return read_with("<joint name=\"j\" type=\"" + type +
                     "\"><parent link=\"a\"/><child link=\"b\"/>\n" + body + "</joint>");
  };
  for (const std::string type : {"revolute", "prismatic"})
    expect_error(joint_of(type, ""), {"robot.urdf:3", type + " joint 'j'", "no <limit>", "add"});
  for (const std::string type : {"revolute", "prismatic", "continuous", "fixed", "planar"}) {
    expect_error(joint_of(type, "<limit velocity=\"1\"/>"),
                 {"robot.urdf:4", "<limit>", "'j'", "effort"});
    expect_error(joint_of(type, "<limit effort=\"1\"/>"),
                 {"robot.urdf:4", "<limit>", "'j'", "velocity"});
  }
  for (const std::string type : {"continuous", "fixed", "floating"}) {
    expect_error(joint_of(type, "<dynamics/>"),
                 {"robot.urdf:4", "<dynamics>", "'j'", "neither damping nor friction", "remove"});
  }
  for (const std::string one : {"<dynamics damping=\"0\"/>", "<dynamics friction=\"0.5\"/>"})
    EXPECT_TRUE(joint_of("continuous", one).ok()) << one;
  expect_error(joint_of("fixed", "<mimic multiplier=\"2\"/>"),
               {"robot.urdf:4", "<mimic>", "'j'", "no joint"});
  expect_error(joint_of("continuous", "<axis/>"),
               {"robot.urdf:4", "axis of joint 'j'", "direction"});
}

TEST_F(UrdfErrors, RefusesIncompleteInertials) {
  const std::string head =
      "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"c\"/></joint>"
      "<joint name=\"k\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>\n<link name=\"c\">\n";
  const std::string tensor =
      "<inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>";
  for (const std::string mass : {"", "<mass/>"}) {
    expect_error(read_with(head + "<inertial>" + mass + tensor + "</inertial></link>"),
                 {"robot.urdf:5", "link 'c'", "no mass", "kg"});
  }
  for (const std::string entry : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
    std::string less = tensor;
    less.replace(less.find(entry), 7, "");
    expect_error(read_with(head + "<inertial><mass value=\"1\"/>\n" + less + "</inertial></link>"),
                 {"robot.urdf:6", "link 'c'", "no " + entry, "kg m^2"});
  }
  expect_error(read_with(head + "<inertial><mass value=\"1\"/></inertial></link>"),
               {"robot.urdf:5", "link 'c'", "no ixx"});
}

std::string joint_with_mimic(const std::string& name, const std::string& child,
                             const std::string& mimic, const std::string& type = "continuous") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"a\"/><child link=\"" +
         child + "\"/><mimic joint=\"" + mimic + "\"/></joint>\n";
}

TEST_F(UrdfErrors, MimicOfNothing) {
  expect_error(read_with(joint_with_mimic("j", "b", "ghost")),
               {"robot.urdf:3", "'j'", "'ghost'", "does not exist", "<mimic>"});
}

TEST_F(UrdfErrors, MimicOfNoMotionAtAll) {
  expect_error(
      read_with("<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/>"
                "<mimic joint=\"k\" multiplier=\"0\" offset=\"0.5\"/></joint>\n"),
      {"robot.urdf:3", "'j'", "the multiplier 0", "fixed"});
}

TEST_F(UrdfErrors, MimicCycle) {
  expect_error(read_with(joint_with_mimic("j", "b", "j")),
               {"robot.urdf:3", "'j'", "cycle", "remove"});
  expect_error(read_with(joint_with_mimic("j", "b", "k") + "<link name=\"c\"/>" +
                         joint_with_mimic("k", "c", "j")),
               {"robot.urdf:3", "'j'", "cycle"});
}

TEST_F(UrdfErrors, MimicOfAJointWithoutASingleCoordinate) {
  for (const std::string type : {"fixed", "planar", "floating"}) {
    expect_error(
        read_with(joint_with_mimic("j", "b", "k") + "<link name=\"c\"/><joint name=\"k\" type=\"" +
                  type + "\"><parent link=\"a\"/><child link=\"c\"/></joint>"),
        {"robot.urdf:3", "'j'", type, "'k'"});
  }
  expect_error(read_with(joint_with_mimic("j", "b", "j", "planar")),
               {"robot.urdf:3", "'j'", "planar", "remove"});
}

TEST_F(UrdfErrors, ANameThatAJointChainTakes) {
  const std::string planar =
      "<joint name=\"p\" type=\"planar\"><parent link=\"a\"/><child link=\"b\"/></joint>\n";
  expect_error(read_with(planar + "<link name=\"c\"/><joint name=\"p.y\" type=\"continuous\">"
                                  "<parent link=\"b\"/><child link=\"c\"/></joint>"),
               {"robot.urdf", "'p.y'", "rename"});
  expect_error(read_with(planar + "<link name=\"p.x\"/><joint name=\"j\" type=\"continuous\">"
                                  "<parent link=\"b\"/><child link=\"p.x\"/></joint>"),
               {"robot.urdf", "rename"});
}

TEST_F(UrdfErrors, NestingWithoutEnd) {
  // a reader that descends would run out of stack
  constexpr int kDepth = 100000;
  std::string open, close;
  for (int k = 0; k < kDepth; ++k) open += "<x>", close += "</x>";
  const Result<Robot> robot = read_with(
      "<link name=\"c\"><inertial>" + open + close +
      "<mass value=\"2\"/><inertia ixx=\"1\" ixy=\"0\" ixz=\"0\" iyy=\"1\" iyz=\"0\" izz=\"1\"/>"
      "</inertial></link>\n"
      "<joint name=\"i\" type=\"continuous\"><parent link=\"a\"/><child link=\"b\"/><origin>" +
      open + close +
      "</origin></joint>\n"
      "<joint name=\"j\" type=\"continuous\"><parent link=\"b\"/><child link=\"c\"/></joint>");
  ASSERT_TRUE(robot) << robot.error().message();
  EXPECT_EQ(robot->bodies[1].prior[core::kMass], 2);
}

TEST_F(UrdfErrors, NoMovingJoint) {
  expect_error(
      read_with("<joint name=\"j\" type=\"fixed\"><parent link=\"a\"/><child link=\"b\"/></joint>"),
      {"robot.urdf", "'r'", "no moving joint", "floating base"});
}

}  // namespace
}  // namespace heft
