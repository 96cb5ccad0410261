// RobotDocument: shapes, poses and meshes of links, and rejected ones with their line.
#include "heft/robot/robot_document.hpp"

#include <gtest/gtest.h>

#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

using test::expect_error;

constexpr double kRounding = 1e-15;

constexpr const char* kArm = R"(<robot name="r"><link name="base"/>
<link name="arm">
  <visual><geometry><mesh filename="parts/arm.stl" scale="0.001 0.002 -0.001"/></geometry></visual>
  <collision><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
  <collision><geometry> <!-- round --> <cylinder radius="0.5" length="2"/></geometry></collision>
  <collision><geometry><sphere radius="0.25"/></geometry></collision>
</link>
<link name="wrist"/><link name="tool"/>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/></joint>
<joint name="fix" type="fixed"><parent link="arm"/><child link="wrist"/><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/></joint>
<joint name="weld" type="fixed"><parent link="wrist"/><child link="tool"/><origin xyz="0 0 0.5"/></joint>
</robot>)";

TEST(RobotDocument, ShapesOfALink) {
  const auto document = parse_robot_document("arm.urdf", kArm);
  ASSERT_TRUE(document) << document.error().message();
  const auto shapes = (*document)->shapes("arm", ShapeUse::collision);
  ASSERT_TRUE(shapes) << shapes.error().message();
  ASSERT_EQ(shapes->size(), 3u);
  EXPECT_EQ((*shapes)[0].kind, Shape::Kind::box);
  EXPECT_EQ((*shapes)[0].size, Eigen::Vector3d(0.1, 0.2, 0.3));
  // x of the box is y of the link
  const Eigen::Vector3d corner = (*shapes)[0].X_link_shape * Eigen::Vector3d(0.05, 0.1, 0.15);
  EXPECT_LE((corner - Eigen::Vector3d(1 - 0.1, 2 + 0.05, 3.15)).norm(), 8 * kRounding);
  EXPECT_EQ((*shapes)[1].kind, Shape::Kind::cylinder);
  EXPECT_EQ((*shapes)[1].radius, 0.5);
  EXPECT_EQ((*shapes)[1].length, 2);
  EXPECT_EQ((*shapes)[2].kind, Shape::Kind::sphere);
  EXPECT_EQ((*shapes)[2].radius, 0.25);
  const auto visuals = (*document)->shapes("arm", ShapeUse::visual);
  ASSERT_TRUE(visuals) << visuals.error().message();
  ASSERT_EQ(visuals->size(), 1u);
  EXPECT_EQ((*visuals)[0].kind, Shape::Kind::mesh);
  EXPECT_EQ((*visuals)[0].mesh, "parts/arm.stl");
  EXPECT_EQ((*visuals)[0].scale, Eigen::Vector3d(0.001, 0.002, -0.001));
  EXPECT_TRUE((*document)->shapes("base", ShapeUse::visual)->empty());
  expect_error((*document)->shapes("leg", ShapeUse::visual), {"arm.urdf", "'leg'"});
}

TEST(RobotDocument, NamesItsOutput) {
  const auto document = parse_robot_document("arm.urdf", kArm);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)->identified_name(), "identified.urdf");
  EXPECT_EQ(identified_names(), std::vector<std::string>{"identified.urdf"});
  EXPECT_EQ(identified_file_in("/no/such/folder"), "/no/such/folder/identified.urdf");
}

TEST(RobotDocument, WhereALinkRides) {
  const auto document = parse_robot_document("arm.urdf", kArm);
  ASSERT_TRUE(document);
  const auto pose = (*document)->pose("tool", "arm");
  ASSERT_TRUE(pose) << pose.error().message();
  // z of the wrist is x of the arm
  EXPECT_LE((pose->translation() - Eigen::Vector3d(0.7, 0, 0)).norm(), 8 * kRounding);
  EXPECT_TRUE((*document)->pose("arm", "arm")->isApprox(Eigen::Isometry3d::Identity(), 0));
  expect_error((*document)->pose("tool", "base"), {"arm.urdf", "'tool'", "'base'"});
  expect_error((*document)->pose("leg", "base"), {"arm.urdf", "'leg'"});
}

TEST(RobotDocument, FixedLinksInACircleRideNowhere) {
  const auto document = parse_robot_document(
      "loop.urdf", R"(<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
<joint name="i" type="fixed"><parent link="a"/><child link="b"/></joint>
<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint></robot>)");
  ASSERT_TRUE(document);
  expect_error((*document)->pose("a", "c"), {"loop.urdf", "'a'", "'c'"});
}

TEST(RobotDocument, MeshesNearTheFile) {
  const test::ScratchFolder folder;
  const auto document = parse_robot_document(folder.path("arm.urdf"), kArm);
  ASSERT_TRUE(document);
  EXPECT_EQ((*document)->find_mesh("part.stl", {}), "");
  const std::string mesh = folder.write("part.stl", "x");
  EXPECT_EQ((*document)->find_mesh("part.stl", {}), mesh);
}

TEST(RobotDocument, RefusesInvalidShapes) {
  const auto shapes = [](const std::string& shape) {
    const auto document =
        parse_robot_document("r.urdf", "<robot name='r'>\n<link name='a'>\n<visual>\n" + shape +
                                           "</visual></link></robot>");
    EXPECT_TRUE(document);
    return (*document)->shapes("a", ShapeUse::visual);
  };
  expect_error(shapes(""), {"r.urdf:3", "<visual> has no geometry"});
  expect_error(shapes("<geometry/>"), {"r.urdf:3", "<visual> has no geometry"});
  expect_error(shapes("<geometry><torus radius='1'/></geometry>"), {"r.urdf:4", "<torus>", "box"});
  expect_error(shapes("<geometry><mesh/></geometry>"),
               {"r.urdf:4", "<mesh> has no file", "filename"});
  for (const std::string size : {"", "1 2", "1 2 x", "1 nan 2", "1 2 3 4", "1 2 1e60"})
    expect_error(shapes("<geometry><box size='" + size + "'/></geometry>"),
                 {"r.urdf:4", "size of <box>", "three finite numbers: '" + size + "'"});
  for (const std::string element : {"sphere", "cylinder length='1'", "sphere radius='inf'"})
    expect_error(shapes("<geometry><" + element + "/></geometry>"),
                 {"r.urdf:4", "radius", "a finite number"});
  expect_error(shapes("<geometry><cylinder radius='1'/></geometry>"),
               {"r.urdf:4", "length of <cylinder>"});
  expect_error(shapes("<geometry><mesh filename='a' scale='1'/></geometry>"),
               {"r.urdf:4", "scale of <mesh>"});
  expect_error(shapes("<origin rpy='0 0'/><geometry><sphere radius='1'/></geometry>"),
               {"r.urdf:4", "rpy of <origin>"});
}

}  // namespace
}  // namespace heft
