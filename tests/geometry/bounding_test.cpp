// Bounding ellipsoids compared with those known by hand, with every corner of a mesh inside.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <random>

#include "heft/geometry/bounding.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {
namespace {

double distance(const Ellipsoid& ellipsoid, const Eigen::Vector3d& point) {
  return (ellipsoid.R.transpose() * (point - ellipsoid.center))
      .cwiseQuotient(ellipsoid.semi_axes)
      .norm();
}

Eigen::Matrix3d shape(const Ellipsoid& e) {
  return e.R * e.semi_axes.cwiseAbs2().asDiagonal() * e.R.transpose();
}

Eigen::Matrix3d random_rotation(std::mt19937& random) {
  std::normal_distribution<double> normal;
  return Eigen::Quaterniond{normal(random), normal(random), normal(random), normal(random)}
      .normalized()
      .toRotationMatrix();
}

// corners of a box of the given size
Eigen::Matrix3Xd box(const Eigen::Vector3d& size) {
  Eigen::Matrix3Xd points(3, 8);
  for (int k = 0; k < 8; ++k)
    points.col(k) << (k & 1 ? 0.5 : -0.5), (k & 2 ? 0.5 : -0.5), (k & 4 ? 0.5 : -0.5);
  return size.asDiagonal() * points;
}

// the least ellipsoid of a box and of a simplex is the affine image of a sphere
TEST(EnclosingEllipsoid, IsTheOneKnownByHand) {
  std::mt19937 random(61);
  for (int trial = 0; trial < 20; ++trial) {
    const Eigen::Matrix3d R = random_rotation(random);
    const Eigen::Vector3d center = Eigen::Vector3d::Random();
    const Eigen::Vector3d size =
        Eigen::Vector3d::Random().cwiseAbs() + Eigen::Vector3d::Constant(0.05);
    const auto of_box = enclosing_ellipsoid((R * box(size)).colwise() + center, 1e-6);
    ASSERT_TRUE(of_box) << of_box.error().message();
    const Eigen::Matrix3d expected = R * (0.75 * size.cwiseAbs2()).asDiagonal() * R.transpose();
    EXPECT_LE((shape(*of_box) - expected).norm(), 1e-5 * expected.norm());
    EXPECT_LE((of_box->center - center).norm(), 1e-5);
    EXPECT_NEAR(of_box->R.determinant(), 1, 1e-12);

    // alternating corners of a cube: the sphere through them
    Eigen::Matrix3Xd simplex(3, 4);
    simplex << 1, 1, -1, -1, 1, -1, 1, -1, 1, -1, -1, 1;
    const Eigen::Matrix3d A = R * size.asDiagonal();
    const auto of_simplex = enclosing_ellipsoid((A * simplex).colwise() + center, 1e-6);
    ASSERT_TRUE(of_simplex);
    EXPECT_LE((shape(*of_simplex) - 3 * A * A.transpose()).norm(), 1e-5 * 3 * A.squaredNorm());
  }
}

TEST(EnclosingEllipsoid, ContainsEveryPointAndIsMinimal) {
  std::mt19937 random(67);
  std::normal_distribution<double> normal;
  for (const int count : {5, 50, 3000}) {
    Eigen::Matrix3Xd points =
        Eigen::Matrix3Xd::NullaryExpr(3, count, [&] { return normal(random); });
    points.row(1) *= 0.02;
    points.row(2) *= 5;
    const double least = enclosing_ellipsoid(points, 1e-7)->semi_axes.prod();
    for (const double tolerance : {1e-1, 1e-3, 1e-5}) {
      const auto ellipsoid = enclosing_ellipsoid(points, tolerance);
      ASSERT_TRUE(ellipsoid);
      double farthest = 0;
      for (int k = 0; k < count; ++k)
        farthest = std::max(farthest, distance(*ellipsoid, points.col(k)));
      EXPECT_LE(farthest, 1 + 1e-9);
      EXPECT_GE(farthest, 1 - 1e-9);  // it touches
      const double volume = ellipsoid->semi_axes.prod();
      EXPECT_GE(volume, least * (1 - 1e-6));
      EXPECT_LE(volume, least * std::pow(1 + tolerance, 3));
    }
  }
}

// rounding decides whether kappa comes to rest at d or just above: the one meets any tolerance, the
// other none
TEST(EnclosingEllipsoid, MeetsItsToleranceOrReportsAnError) {
  std::mt19937 random(71);
  std::normal_distribution<double> normal;
  int num_refused = 0;
  for (int trial = 0; trial < 5; ++trial) {
    const Eigen::Matrix3Xd points =
        Eigen::Matrix3Xd::NullaryExpr(3, 12, [&] { return normal(random); });
    const auto ellipsoid = enclosing_ellipsoid(points, 1e-300);
    if (ellipsoid) continue;
    ++num_refused;
    EXPECT_NE(ellipsoid.error().what.find("was not reached"), std::string::npos)
        << ellipsoid.error().message();
  }
  EXPECT_GE(num_refused, 1);
}

TEST(EnclosingEllipsoid, ThickensPlatesAndRefusesNonsense) {
  const auto plate = enclosing_ellipsoid(box({1, 2, 0}));
  ASSERT_TRUE(plate) << plate.error().message();
  EXPECT_GT(plate->semi_axes[2], 0);
  EXPECT_LT(plate->semi_axes[2], 1e-2);
  EXPECT_FALSE(enclosing_ellipsoid(Eigen::Matrix3Xd(3, 0)));
  EXPECT_FALSE(enclosing_ellipsoid(Eigen::Matrix3Xd::Zero(3, 5)));
  EXPECT_FALSE(enclosing_ellipsoid(Eigen::Matrix3Xd::Constant(3, 5, NAN)));
  EXPECT_FALSE(enclosing_ellipsoid(box({1, 1, 1}), 0));
  EXPECT_FALSE(enclosing_ellipsoid(box({1, 1, 1}), NAN));
}

class BoundingUrdf : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        std::filesystem::temp_directory_path() /
        ("heft_bounding_" + std::to_string(::testing::UnitTest::GetInstance()->random_seed()) +
         "_" + ::testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder_ / "parts");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  // a binary STL of which every triangle is three corners of the points
  void write_stl(const Eigen::Matrix3Xd& points) const {
    std::ofstream file(folder_ / "parts" / "arm.stl", std::ios::binary);
    file << std::string(80, ' ');
    const auto count = static_cast<std::uint32_t>(points.cols() - 2);
    file.write(reinterpret_cast<const char*>(&count), 4);
    for (std::uint32_t k = 0; k < count; ++k) {
      float numbers[12] = {};
      for (int corner = 0; corner < 3; ++corner) {
        for (int axis = 0; axis < 3; ++axis)
          numbers[3 + 3 * corner + axis] = static_cast<float>(points(axis, k + corner));
      }
      file.write(reinterpret_cast<const char*>(numbers), 48);
      file.write("\0\0", 2);
    }
  }

  Robot read(const std::string& shapes) const {
    std::ofstream(folder_ / "robot.urdf") << R"(<robot name="r"><link name="base"/>
  <link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>)"
                                          << shapes << R"(</link>
  <link name="tool"><collision><origin xyz="0 0 0.5"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="fix" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0.2 0 0" rpy="0 1.5707963267948966 0"/></joint>
</robot>)";
    const auto robot = read_robot((folder_ / "robot.urdf").string());
    EXPECT_TRUE(robot) << robot.error().message();
    return *robot;
  }

  std::filesystem::path folder_;
};

TEST_F(BoundingUrdf, ShapesOfFixedLinksCountWhereTheyAre) {
  const Robot robot = read(
      R"(<collision><origin xyz="0 0 0.1"/><geometry><box size="0.1 0.2 0.3"/></geometry></collision>)");
  BoundingOptions options;
  options.tolerance = 1e-6;
  const auto bounds = bounding_ellipsoids(robot, options);
  ASSERT_TRUE(bounds) << bounds.error().message();
  ASSERT_EQ(bounds->bodies.size(), robot.bodies.size());
  ASSERT_TRUE(bounds->bodies[0]);
  const Ellipsoid& ellipsoid = *bounds->bodies[0];
  const Eigen::Matrix3Xd corners = box({0.1, 0.2, 0.3}).colwise() + Eigen::Vector3d(0, 0, 0.1);
  for (int k = 0; k < 8; ++k) EXPECT_LE(distance(ellipsoid, corners.col(k)), 1 + 1e-9);
  // the ball of the tool: its z axis is the arm's x, so it is at 0.2 + 0.5
  std::mt19937 random(71);
  for (int k = 0; k < 500; ++k) {
    const Eigen::Vector3d point = Eigen::Vector3d(0.7, 0, 0) + 0.1 * random_rotation(random).col(0);
    EXPECT_LE(distance(ellipsoid, point), 1 + 1e-9);
  }
  EXPECT_GT(distance(ellipsoid, {1, 0, 0}), 1);

  options.inflation = 2;
  EXPECT_LE(
      (bounding_ellipsoids(robot, options)->bodies[0]->semi_axes - 2 * ellipsoid.semi_axes).norm(),
      1e-12);
}

TEST_F(BoundingUrdf, MeshesWithScaleAndCylinders) {
  Eigen::Matrix3Xd points = 1000 * Eigen::Matrix3Xd::Random(3, 60);
  write_stl(points);
  const Robot robot = read(
      R"(<collision><geometry><mesh filename="package://parts/arm.stl" scale="0.001 0.001 0.002"/></geometry></collision>
    <collision><origin xyz="0 0 3"/><geometry><cylinder radius="0.5" length="1"/></geometry></collision>)");
  const auto bounds = bounding_ellipsoids(robot);
  ASSERT_TRUE(bounds);
  ASSERT_TRUE(bounds->bodies[0]);
  for (int k = 0; k < 60; ++k) {
    const Eigen::Vector3d corner =
        Eigen::Vector3d(0.001, 0.001, 0.002).asDiagonal() * points.col(k);
    EXPECT_LE(distance(*bounds->bodies[0], corner), 1 + 1e-6);  // single precision of the file
  }
  for (double angle = 0; angle < 6.3; angle += 0.05) {
    for (const double z : {2.5, 3.5})
      EXPECT_LE(distance(*bounds->bodies[0], {0.5 * std::cos(angle), 0.5 * std::sin(angle), z}),
                1 + 1e-9);
  }
}

TEST_F(BoundingUrdf, UnreadableShapesAreErrors) {
  const auto error_of = [&](const std::string& mesh) {
    const auto bounds = bounding_ellipsoids(
        read("<collision><geometry><mesh filename=\"" + mesh + "\"/></geometry></collision>"));
    EXPECT_FALSE(bounds);
    return bounds ? "" : bounds.error().message();
  };
  for (const char* mesh : {"package://nowhere/arm.stl", "parts/arm.stl"}) {
    const std::string message = error_of(mesh);
    EXPECT_NE(message.find(mesh), std::string::npos) << message;
    EXPECT_NE(message.find("link 'arm'"), std::string::npos) << message;
    EXPECT_NE(message.find("cannot be found"), std::string::npos) << message;
  }
  std::ofstream(folder_ / "parts" / "arm.stl") << "solid nothing\n";
  EXPECT_NE(error_of("parts/arm.stl").find("no triangle"), std::string::npos);
  EXPECT_NE(error_of("parts/arm.xyz").find("arm.xyz"), std::string::npos);
}

TEST_F(BoundingUrdf, BodiesWithoutShapesHaveNoneAndAreNamed) {
  Robot robot = read("<visual><geometry><sphere radius=\"0.1\"/></geometry></visual>");
  robot.bodies[0].merged_links.clear();  // no tool
  const auto bounds = bounding_ellipsoids(robot);
  ASSERT_TRUE(bounds) << bounds.error().message();
  EXPECT_TRUE(bounds->bodies[0]) << "a visual stands for a collision shape";
  EXPECT_TRUE(bounds->without_shapes.empty());

  robot = read("");
  robot.bodies[0].merged_links.clear();
  const auto nothing = bounding_ellipsoids(robot);
  ASSERT_TRUE(nothing);
  EXPECT_FALSE(nothing->bodies[0]);
  EXPECT_EQ(nothing->without_shapes, std::vector<std::string>{"arm"});
}

TEST_F(BoundingUrdf, MeshesAreNamedOnceWithTheirFingerprint) {
  write_stl(Eigen::Matrix3Xd::Random(3, 20));
  const std::string mesh =
      R"(<collision><geometry><mesh filename="parts/arm.stl"/></geometry></collision>)";
  const auto bounds = bounding_ellipsoids(read(mesh + mesh));
  ASSERT_TRUE(bounds) << bounds.error().message();
  ASSERT_EQ(bounds->meshes.size(), 1u);
  EXPECT_EQ(bounds->meshes[0].path, (folder_ / "parts" / "arm.stl").string());
  EXPECT_EQ(bounds->meshes[0].sha256.size(), 64u);
}

TEST_F(BoundingUrdf, OptionsThatMakeNoSense) {
  const Robot robot = read("");
  BoundingOptions options;
  options.inflation = 0;
  EXPECT_FALSE(bounding_ellipsoids(robot, options));
  options = {};
  options.tolerance = NAN;
  EXPECT_FALSE(bounding_ellipsoids(robot, options));
}

}  // namespace
}  // namespace heft
