// write_identified: round trips, preserved parts of the file, rejected input, and no incomplete
// files.

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <pugixml.hpp>
#include <string_view>

#include "heft/robot/robot_document.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

using test::expect_error;

constexpr double kWrittenTolerance = 1e-12;  // as for reading

std::vector<BodyParameters> priors(const Robot& robot) {
  std::vector<BodyParameters> parameters;
  for (const Body& body : robot.bodies) parameters.push_back(body.prior);
  return parameters;
}

std::vector<std::string> all_golden_urdfs() {
  std::vector<std::string> paths = test::golden_urdfs("dynamics");
  for (std::string& path : test::golden_urdfs("rpna")) paths.push_back(std::move(path));
  return paths;
}

class UrdfRoundTrip : public testing::TestWithParam<std::string> {
 protected:
  void expect_round_trip(const Robot& robot, const std::vector<BodyParameters>& parameters) {
    const std::string path = folder_.path("out.urdf");
    const auto written = write_identified(robot, parameters, path);
    ASSERT_TRUE(written.ok()) << written.error().message();
    RobotOptions options;
    options.floating_base = robot.floating_base;
    const auto again = read_robot(path, options);
    ASSERT_TRUE(again.ok()) << again.error().message();
    ASSERT_EQ(again->num_bodies(), robot.num_bodies());
    for (int i = 0; i < robot.num_bodies(); ++i) {
      EXPECT_EQ(again->bodies[i].name, robot.bodies[i].name);
      EXPECT_EQ(again->bodies[i].merged_links, robot.bodies[i].merged_links);
      EXPECT_TRUE(again->bodies[i].X_parent_body.isApprox(robot.bodies[i].X_parent_body, 0));
      EXPECT_TRUE(test::close(again->bodies[i].prior, parameters[i], kWrittenTolerance))
          << robot.bodies[i].name;
    }
  }

  test::ScratchFolder folder_;
};

TEST_P(UrdfRoundTrip, KeepsEveryBody) {
  RobotOptions options;
  options.floating_base = GetParam().find("floating") != std::string::npos;
  const auto robot = read_robot(GetParam(), options);
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  expect_round_trip(*robot, priors(*robot));

  std::mt19937 random(20260001);
  std::vector<BodyParameters> others;
  for (int i = 0; i < robot->num_bodies(); ++i) others.push_back(test::random_parameters(random));
  expect_round_trip(*robot, others);

  // merged links have lost their inertials, the base and what is fixed to it have not
  pugi::xml_document before, after;
  ASSERT_TRUE(before.load_file(GetParam().c_str()));
  ASSERT_TRUE(after.load_file(folder_.path("out.urdf").c_str()));
  std::map<std::string, bool> has_inertial;
  for (pugi::xml_node link : before.child("robot").children("link")) {
    has_inertial[link.attribute("name").value()] = bool(link.child("inertial"));
  }
  for (const Body& body : robot->bodies) {
    has_inertial[body.name] = true;
    for (const std::string& link : body.merged_links) has_inertial[link] = false;
  }
  for (pugi::xml_node link : after.child("robot").children("link")) {
    const std::string name = link.attribute("name").value();
    EXPECT_EQ(bool(link.child("inertial")), has_inertial.at(name)) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Urdf, UrdfRoundTrip, testing::ValuesIn(all_golden_urdfs()), test::stem);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(UrdfRoundTrip);

constexpr const char* kBefore = R"(<?xml version="1.0" encoding="utf-8"?>
<!-- kept -->
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">

  <link name="base"><inertial><mass value="7"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="arm">
    <!-- kept too: 3 &lt; 4 -->
    <inertial>
      <!-- from CAD -->
      <origin xyz="9 9 9" rpy="1 2 3"/>
      <mass value="1"/>
      <inertia ixx="1" ixy="0.5" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
    <visual><geometry><box size="1 2 3"/></geometry></visual>
  </link>
  <link name="tool">
    <inertial>
      <mass value="2"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <link name="bare"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <joint name="k" type="continuous"><parent link="arm"/><child link="bare"/></joint>
  <joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/></joint>
  <gazebo reference="arm"><x a="&quot;q&quot; &amp; r">text &amp; more</x></gazebo>
</robot>
)";

constexpr const char* kAfter = R"(<?xml version="1.0" encoding="utf-8"?>
<!-- kept -->
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">

  <link name="base"><inertial><mass value="7"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <link name="arm">
    <!-- kept too: 3 &lt; 4 -->
    <inertial>
      <!-- from CAD -->
      <origin xyz="0.5 0 0" rpy="0 0 0"/>
      <mass value="4"/>
      <inertia ixx="2" ixy="0" ixz="0" iyy="2" iyz="0" izz="2.125"/>
    </inertial>
    <visual><geometry><box size="1 2 3"/></geometry></visual>
  </link>
  <link name="tool">
  </link>
  <link name="bare">
    <inertial>
      <origin xyz="0 0 0" rpy="0 0 0"/>
      <mass value="0.10000000000000001"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/>
    </inertial>
  </link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/></joint>
  <joint name="k" type="continuous"><parent link="arm"/><child link="bare"/></joint>
  <joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/></joint>
  <gazebo reference="arm"><x a="&quot;q&quot; &amp; r">text &amp; more</x></gazebo>
</robot>
)";

class UrdfWrite : public testing::Test {
 protected:
  void SetUp() override {
    auto robot = read_robot(folder_.write("in.urdf", kBefore));
    ASSERT_TRUE(robot.ok()) << robot.error().message();
    robot_ = *robot;
    // m = 4, c = (0.5, 0, 0): the tensor about the origin exceeds that about the CoM by m c^2 = 1
    // on y and z
    arm_ << 4, 2, 0, 0, 2, 0, 3, 0, 0, 3.125;
    bare_ << 0.1, 0, 0, 0, 1, 0, 1, 0, 0, 1;
  }

  test::ScratchFolder folder_;
  Robot robot_;
  BodyParameters arm_, bare_;
};

TEST_F(UrdfWrite, TouchesInertialsOnly) {
  const auto written = write_identified(robot_, {arm_, bare_}, folder_.path("out.urdf"));
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(test::read_text(folder_.path("out.urdf")), kAfter);
}

TEST_F(UrdfWrite, KeepsWindowsLineEnds) {
  std::string text;
  for (const char c : std::string(kBefore))
    text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  robot_.source_text = text;
  ASSERT_TRUE(
      write_identified(robot_, {arm_, BodyParameters::Zero()}, folder_.path("out.urdf")).ok());
  const std::string out = test::read_text(folder_.path("out.urdf"));
  EXPECT_NE(out.find("<!-- kept -->\r\n<robot"), std::string::npos) << out;
  EXPECT_EQ(out.find("&#"), std::string::npos) << out;
}

// all that a writer of XML might put in its own way: quotes, blanks, entities, empty elements,
// CDATA, a '>' in quotes
TEST_F(UrdfWrite, EveryByteOutsideInertialsStays) {
  const std::string head =
      "\xEF\xBB\xBF<?xml version='1.0'?>\n<!DOCTYPE robot>\n<robot  name='r' >\r\n"
      "<link\n\tname = 'base' ></link><?keep this?>\n"
      "<material name='a &gt; b &#65;&apos;'  />\n<link name='arm' note='a>b/' >";
  const std::string arm =
      "<inertial note='</inertial>'><!-- </inertial> --><![CDATA[</inertial>]]><origin/>\n"
      "<mass value='1' /><inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial >";
  const std::string middle =
      "<!-- <inertial> --><visual ><geometry><box size='1 2 3'/></geometry></visual ></link>\n"
      "<link name='tool'  >text &amp; <a b='\"'></a>";
  const std::string tool =
      "\n   <inertial><mass value='2'/>"
      "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='1'/></inertial>";
  const std::string after_tool = "</link ><link name='bare'  ";
  const std::string tail =
      "\n<joint name='j' type='continuous'><parent link='base'/><child link='arm'/></joint >"
      "<joint name='k' type='continuous'><parent link='arm' /><child link='bare'/></joint>\n"
      "<joint name='weld' type='fixed'><parent link='arm'/><child link='tool'/></joint>"
      "<gazebo x='&quot;'><![CDATA[ <x> ]]></gazebo>\n</robot>\n<!-- end -->";
  const auto robot =
      read_robot_text("r.urdf", head + arm + middle + tool + after_tool + "/>" + tail, "");
  ASSERT_TRUE(robot) << robot.error().message();
  const auto text = with_identified(*robot, {arm_, bare_});
  ASSERT_TRUE(text) << text.error().message();
  auto take = [rest = std::string_view(*text)](const std::string& expected) mutable {
    const std::size_t at = rest.find(expected);
    if (at == std::string_view::npos) return std::string("is not there: " + expected);
    const std::string before(rest.substr(0, at));
    rest.remove_prefix(at + expected.size());
    return before;
  };
  EXPECT_EQ(take(head), "");
  const std::string new_arm = take(middle);
  EXPECT_TRUE(new_arm.starts_with("<inertial ") && new_arm.ends_with("</inertial>")) << new_arm;
  EXPECT_NE(new_arm.find("<mass value=\"4\""), std::string::npos) << new_arm;
  EXPECT_EQ(take("</link ><link name='bare'>"), "");  // the tool has lost its inertial
  const std::string new_bare = take("</link>" + tail);
  EXPECT_TRUE(new_bare.starts_with("<inertial>") && new_bare.ends_with("</inertial>")) << new_bare;
  EXPECT_EQ(*text,
            head + new_arm + middle + "</link ><link name='bare'>" + new_bare + "</link>" + tail);

  const auto again = read_robot_text("again.urdf", *text, "");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(test::close(again->bodies[0].prior, arm_, kWrittenTolerance));
  EXPECT_TRUE(test::close(again->bodies[1].prior, bare_, kWrittenTolerance));

  // what is identified with the priors that were read changes nothing but how numbers are written
  const auto same = with_identified(*again, priors(*again));
  ASSERT_TRUE(same);
  EXPECT_EQ(*same, *text);
}

TEST_F(UrdfWrite, OtherEncodingsKeepTheirText) {
  std::string utf16 = "\xFF\xFE";
  for (const char c : std::string(kBefore).substr(std::string(kBefore).find("<robot")))
    utf16 += {c, '\0'};
  const auto robot = read_robot_text("wide.urdf", utf16, "");
  ASSERT_TRUE(robot) << robot.error().message();
  const auto text = with_identified(*robot, {arm_, bare_});
  ASSERT_TRUE(text);
  const auto again = read_robot_text("again.urdf", *text, "");
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_TRUE(test::close(again->bodies[0].prior, arm_, kWrittenTolerance));
  EXPECT_EQ(text->size() % 2, 0u) << "UTF-16 again";
}

TEST_F(UrdfWrite, ReplacesItsOwnSource) {
  ASSERT_TRUE(write_identified(robot_, {arm_, bare_}, robot_.source).ok());
  EXPECT_EQ(test::read_text(robot_.source), kAfter);
  EXPECT_EQ(folder_.file_names(), std::vector<std::string>{"in.urdf"});
}

TEST_F(UrdfWrite, RotorsAndChainBodiesAreSkipped) {
  RobotOptions options;
  options.rotors_path =
      folder_.write("rotors.yaml", "rotors:\n  - {joint: p.x, link: a, gear_ratio: 5}\n");
  const auto robot =
      read_robot(folder_.write("planar.urdf", R"(<robot name="r"><link name="a"/><link name="b"/>
    <joint name="p" type="planar"><parent link="a"/><child link="b"/></joint></robot>)"),
                 options);
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  ASSERT_EQ(robot->num_bodies(), 4);
  const BodyParameters nothing = BodyParameters::Constant(std::numeric_limits<double>::quiet_NaN());
  const auto written =
      write_identified(*robot, {nothing, nothing, arm_, nothing}, folder_.path("out.urdf"));
  ASSERT_TRUE(written.ok()) << written.error().message();
  const auto again = read_robot(folder_.path("out.urdf"));
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_TRUE(test::close(again->bodies[2].prior, arm_, kWrittenTolerance));
}

TEST_F(UrdfWrite, RefusesImpossibleBodies) {
  // J = diag(Sigma, m) here: Sigma_zz = (Ixx + Iyy - Izz) / 2 = -0.5
  BodyParameters impossible;
  impossible << 1, 0, 0, 0, 1, 0, 1, 0, 0, 3;
  const std::string path = folder_.path("out.urdf");
  expect_error(write_identified(robot_, {impossible, bare_}, path),
               {"'arm'", "-0.5", "constraints"});
  // passes every triangle inequality, and yet lambda_min(J) = -0.49
  impossible << 1, 1, 0, 0, 0.2, 0, 0.3, 0, 0, 0.25;
  expect_error(write_identified(robot_, {arm_, impossible}, path), {"'bare'", "-0.49"});
  impossible << -1, 0, 0, 0, 1, 0, 1, 0, 0, 1;
  expect_error(write_identified(robot_, {arm_, impossible}, path), {"'bare'", "-1"});
  for (int i = 0; i < core::kNumParameters; ++i) {
    BodyParameters poisoned = arm_;
    poisoned[i] = std::numeric_limits<double>::quiet_NaN();
    expect_error(write_identified(robot_, {poisoned, bare_}, path), {"'arm'", "finite"});
  }
  expect_error(write_identified(robot_, {arm_}, path), {"2 bodies", "are given for 1"});
  EXPECT_EQ(folder_.file_names(), std::vector<std::string>{"in.urdf"});
}

TEST_F(UrdfWrite, TakesBodiesOnTheBoundary) {
  // a rod and a point, off the origin: J is singular, its smallest eigenvalue zero up to rounding
  std::mt19937 random(7);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int trial = 0; trial < 200; ++trial) {
    Eigen::Vector4d a, b;
    a << uniform(random), uniform(random), uniform(random), 1;
    b << uniform(random), uniform(random), uniform(random), 1;
    const BodyParameters point = body_parameters(a * a.transpose());
    const BodyParameters rod = body_parameters(a * a.transpose() + b * b.transpose());
    const auto written = write_identified(robot_, {point, rod}, folder_.path("out.urdf"));
    ASSERT_TRUE(written.ok()) << written.error().message();
  }
}

TEST_F(UrdfWrite, NamesAPathThatCannotBeWritten) {
  const std::vector<BodyParameters> parameters = {arm_, bare_};
  expect_error(write_identified(robot_, parameters, folder_.path("no/such/folder/out.urdf")),
               {"out.urdf", "No such file", "folder exists"});
  expect_error(write_identified(robot_, parameters, folder_.path("in.urdf/out.urdf")),
               {"out.urdf", "folder"});
  expect_error(write_identified(robot_, parameters, folder_.path("")), {"not a regular file"});
  EXPECT_EQ(folder_.file_names(), std::vector<std::string>{"in.urdf"});
}

TEST_F(UrdfWrite, AFullDiskLeavesTheOldFile) {
  folder_.write("out.urdf", "old");
  // the limit on file size stands in for a full disk
  rlimit unlimited{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &unlimited), 0);
  rlimit tight = unlimited;
  tight.rlim_cur = 64;
  auto* const previous = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto written = write_identified(robot_, {arm_, bare_}, folder_.path("out.urdf"));
  setrlimit(RLIMIT_FSIZE, &unlimited);
  std::signal(SIGXFSZ, previous);

  expect_error(written, {"out.urdf", "too large", "free disk space"});
  EXPECT_EQ(test::read_text(folder_.path("out.urdf")), "old");
  EXPECT_EQ(folder_.file_names(), (std::vector<std::string>{"in.urdf", "out.urdf"}));
}

TEST_F(UrdfWrite, KeepsToTheTextThatWasRead) {
  folder_.write("in.urdf", "<robot name=\"r\"><link name=\"base\"/></robot>");
  ASSERT_TRUE(write_identified(robot_, {arm_, bare_}, folder_.path("out.urdf")).ok());
  EXPECT_EQ(test::read_text(folder_.path("out.urdf")), kAfter);
}

}  // namespace
}  // namespace heft
