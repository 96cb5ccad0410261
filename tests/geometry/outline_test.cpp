// Outlines for drawing: shapes compared with their closed forms, decimated surfaces with the
// originals.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "geometry/outline.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {
namespace {

Mesh mesh_of_outline(const Outline& outline) {
  Mesh mesh;
  mesh.corners.resize(3, outline.faces.size());
  for (Eigen::Index k = 0; k < outline.faces.size(); ++k)
    mesh.corners.col(k) = outline.vertices.col(outline.faces.data()[k]).cast<double>();
  return mesh;
}

/// A sphere of so many triangles, about a center.
Mesh sphere(double radius, const Eigen::Vector3d& center, int rings) {
  std::vector<Eigen::Vector3d> corners;
  const auto point = [&](int ring, int k) -> Eigen::Vector3d {
    const double polar = std::numbers::pi * ring / rings, angle = std::numbers::pi * k / rings;
    return center + radius * Eigen::Vector3d(std::sin(polar) * std::cos(angle),
                                             std::sin(polar) * std::sin(angle), std::cos(polar));
  };
  for (int ring = 0; ring < rings; ++ring)
    for (int k = 0; k < 2 * rings; ++k) {
      corners.insert(corners.end(), {point(ring, k), point(ring + 1, k), point(ring + 1, k + 1)});
      corners.insert(corners.end(), {point(ring, k), point(ring + 1, k + 1), point(ring, k + 1)});
    }
  Mesh mesh;
  mesh.corners = Eigen::Map<const Eigen::Matrix3Xd>(corners.data()->data(), 3,
                                                    static_cast<Eigen::Index>(corners.size()));
  return mesh;
}

TEST(Outline, DecimatedSphereIsSmallAndStillThatSphere) {
  const Eigen::Vector3d center(0.4, -0.2, 7);
  const Mesh mesh = sphere(0.3, center, 120);
  ASSERT_EQ(mesh.num_triangles(), 4 * 120 * 120);
  for (const int most : {16, 400, 3000, 20000}) {
    const Outline outline = decimated(mesh, most);
    ASSERT_LE(outline.faces.cols(), most);
    EXPECT_GE(outline.faces.cols(), most / 4) << "as fine as may be";
    EXPECT_EQ(outline.faces.minCoeff(), 0);
    EXPECT_LT(outline.faces.maxCoeff(), outline.vertices.cols());
    const Mesh coarse = mesh_of_outline(outline);
    if (most < 400) continue;
    EXPECT_TRUE(is_closed(coarse, 0.01)) << most;
    const Solid solid = enclosed_solid(coarse);
    const double whole = 4.0 / 3 * std::numbers::pi * std::pow(0.3, 3);
    // it shrinks by the flatness of its triangles, and as means of corners lie within
    EXPECT_NEAR(solid.volume, whole, whole * (30.0 / most + 0.03));
    EXPECT_LE((solid.center() - center).norm(), 0.01);
  }
}

TEST(Outline, FewTrianglesStayAsTheyAre) {
  const Mesh mesh = sphere(1, Eigen::Vector3d::Zero(), 10);
  const Mesh same = mesh_of_outline(decimated(mesh, 400));
  EXPECT_LE((same.corners - mesh.corners).norm(), 1e-5);
  EXPECT_EQ(decimated(Mesh{}, 100).faces.cols(), 0);
}

const char* const kRobot = R"(<robot name="r">
  <link name="base"/>
  <link name="arm">
    <inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><origin xyz="0 0 1" rpy="0 1.5707963267948966 0"/><geometry><cylinder radius="0.1" length="0.6"/></geometry></visual>
    <collision><geometry><sphere radius="5"/></geometry></collision>
  </link>
  <link name="tool">
    <visual><geometry><mesh filename="not/there.stl"/></geometry></visual>
    <collision><origin xyz="0.5 0 0"/><geometry><box size="0.2 0.3 0.4"/></geometry></collision>
  </link>
  <link name="cable"><visual><geometry><mesh filename="not/there.stl"/></geometry></visual></link>
  <link name="hose"><collision><geometry><mesh filename="not/there.stl"/></geometry></collision></link>
  <link name="frame"/>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
  <joint name="f" type="fixed"><origin xyz="2 0 0"/><parent link="arm"/><child link="tool"/></joint>
  <joint name="g" type="fixed"><parent link="arm"/><child link="cable"/></joint>
  <joint name="h" type="fixed"><parent link="arm"/><child link="hose"/></joint>
  <joint name="i" type="fixed"><parent link="arm"/><child link="frame"/></joint>
</robot>)";

TEST(Outline, PlacesShapesAsInTheRobotFile) {
  const auto robot = read_robot_text("r.urdf", kRobot, "");
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  const Outlines outlines = outlines_of(*robot);
  ASSERT_EQ(outlines.bodies.size(), 1u);
  // the tool's collision shape stands in for its visual one; of cable and hose there is nothing,
  // nor of a link without shapes
  EXPECT_EQ(outlines.missing, (std::vector<std::string>{"cable", "hose"}));
  const Mesh mesh = mesh_of_outline(outlines.bodies[0]);
  // first the cylinder along x about (0, 0, 1), a prism of 24 sides, then the box about (2.5, 0,
  // 0), the last 12 triangles
  const Mesh box{mesh.corners.rightCols(36)},
      cylinder{mesh.corners.leftCols(mesh.corners.cols() - 36)};
  const Eigen::AlignedBox3d around_box = bounding_box(box), around = bounding_box(cylinder);
  EXPECT_LE((around_box.min() - Eigen::Vector3d(2.4, -0.15, -0.2)).norm(), 1e-6);
  EXPECT_LE((around_box.max() - Eigen::Vector3d(2.6, 0.15, 0.2)).norm(), 1e-6);
  EXPECT_LE((around.min() - Eigen::Vector3d(-0.3, -0.1, 0.9)).norm(), 1e-6);
  EXPECT_LE((around.max() - Eigen::Vector3d(0.3, 0.1, 1.1)).norm(), 1e-6);
  for (const auto& [part, volume] :
       {std::pair{&box, 0.2 * 0.3 * 0.4},
        {&cylinder, 12 * std::sin(std::numbers::pi / 12) * 0.01 * 0.6}}) {
    EXPECT_TRUE(is_closed(*part, 1e-6));
    double signed_volume = 0;  // above zero: triangles face outwards
    for (Eigen::Index k = 0; k < part->corners.cols(); k += 3)
      signed_volume += part->corners.middleCols<3>(k).determinant() / 6;
    EXPECT_NEAR(signed_volume, volume, 1e-6);
  }
}

TEST(Outline, NamesMeshesThatAreTooLarge) {
  const auto robot = read_robot_text(
      "r.urdf",
      "<robot name=\"r\"><link name=\"b\"/><link name=\"l\"><inertial><mass value=\"1\"/>"
      "<inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" "
      "iyz=\"0\"/></inertial><visual><geometry><mesh filename=\"file:///proc/self/exe\"/>"
      "</geometry></visual></link><joint name=\"j\" type=\"continuous\"><parent "
      "link=\"b\"/><child link=\"l\"/><axis xyz=\"0 0 1\"/></joint></robot>",
      "");
  ASSERT_TRUE(robot.ok()) << robot.error().message();
  EXPECT_EQ(outlines_of(*robot, {.max_bytes = 100}).missing, std::vector<std::string>{"l"});
}

}  // namespace
}  // namespace heft
