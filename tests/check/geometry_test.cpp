// Meshes and solids: a box of triangles, anywhere in space, has the textbook moments of a box.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>

#include "geometry/mesh.hpp"
#include "robot/mesh_path.hpp"
#include "tests/documents/robot_test_support.hpp"

namespace heft {
namespace {

const Eigen::Vector3d kSize(0.3, 0.2, 0.5);

Mesh box_mesh(const Eigen::Vector3d& size, const Eigen::Isometry3d& X) {
  constexpr int kFaces[6][4] = {{0, 1, 3, 2}, {4, 6, 7, 5}, {0, 4, 5, 1},
                                {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 5, 7, 3}};
  Mesh mesh;
  mesh.corners.resize(3, 36);
  Eigen::Index at = 0;
  for (const auto& face : kFaces)
    for (const int k : {0, 1, 2, 0, 2, 3}) {
      const int corner = face[k];
      const Eigen::Vector3d sign(corner & 4 ? 1 : -1, corner & 2 ? 1 : -1, corner & 1 ? 1 : -1);
      mesh.corners.col(at++) = X * (0.5 * sign.cwiseProduct(size));
    }
  return mesh;
}

Eigen::Isometry3d somewhere() {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, -1).normalized()).toRotationMatrix();
  X.translation() = Eigen::Vector3d(0.4, -1.1, 0.2);
  return X;
}

std::string binary_stl(const Mesh& mesh) {
  std::string bytes(80, ' ');
  bytes.replace(0, 5, "solid");  // as many binary files begin
  const auto count = static_cast<std::uint32_t>(mesh.num_triangles());
  bytes.append(reinterpret_cast<const char*>(&count), sizeof count);
  for (std::uint32_t k = 0; k < count; ++k) {
    const Eigen::Matrix3f corners = mesh.corners.middleCols<3>(3 * k).cast<float>();
    bytes.append(12, '\0');
    bytes.append(reinterpret_cast<const char*>(corners.data()), sizeof corners);
    bytes.append(2, '\0');
  }
  return bytes;
}

TEST(Solids, MeshOfABoxIsTheBox) {
  const Eigen::Isometry3d X = somewhere();
  const Solid solid = enclosed_solid(box_mesh(kSize, X));
  EXPECT_NEAR(solid.volume, 0.03, 1e-15);
  EXPECT_TRUE(test::close(solid.center(), X.translation(), 1e-14));
  const Eigen::Matrix3d expected =
      X.linear() * Eigen::Matrix3d((kSize.cwiseAbs2() / 12).asDiagonal()) * X.linear().transpose();
  EXPECT_LE((solid.covariance() - expected).norm(),
            1e-13);  // second moments of 1 m^2 cancel to 0.01
}

TEST(Solids, PrimitivesMoveLikeMeshes) {
  const Eigen::Isometry3d X = somewhere();
  const Solid moved = transformed(X, box_solid(kSize)), mesh = enclosed_solid(box_mesh(kSize, X));
  EXPECT_LE((moved.second - mesh.second).norm(), 1e-14);
  EXPECT_LE((moved.first - mesh.first).norm(), 1e-15);
}

TEST(Solids, AddUp) {
  Eigen::Isometry3d left = Eigen::Isometry3d::Identity(), right = left;
  left.translation().x() = -0.15;
  right.translation().x() = 0.15;
  Solid sum = transformed(left, box_solid(kSize));
  sum += transformed(right, box_solid(kSize));
  const Solid whole = box_solid({0.6, 0.2, 0.5});
  EXPECT_NEAR(sum.volume, whole.volume, 1e-16);
  EXPECT_LE((sum.second - whole.second).norm(), 1e-16);
}

TEST(Meshes, InsideOutStillHasVolume) {
  Mesh mesh = box_mesh(kSize, somewhere());
  for (Eigen::Index k = 0; k < mesh.corners.cols(); k += 3)
    mesh.corners.col(k).swap(mesh.corners.col(k + 1));
  EXPECT_NEAR(enclosed_solid(mesh).volume, 0.03, 1e-15);
}

TEST(Meshes, OpenOnesAreTold) {
  Mesh mesh = box_mesh(kSize, somewhere());
  EXPECT_TRUE(is_closed(mesh));
  mesh.corners.conservativeResize(3, 30);  // one face less
  EXPECT_FALSE(is_closed(mesh));
}

TEST(Stl, BinaryThatBeginsLikeText) {
  const test::ScratchFolder folder;
  const Mesh box = box_mesh(kSize, somewhere());
  const auto mesh = read_mesh(folder.write("box.stl", binary_stl(box)));
  ASSERT_TRUE(mesh.ok());
  EXPECT_LE((mesh->corners - box.corners).cwiseAbs().maxCoeff<Eigen::PropagateNaN>(),
            1e-7);  // floats
}

TEST(Stl, Text) {
  const test::ScratchFolder folder;
  const auto mesh =
      read_mesh(folder.write("t.stl",
                             "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\r\n"
                             "vertex 1e0 0 0\nvertex +0 -2.5 0\nendloop\nendfacet\nendsolid\n"));
  ASSERT_TRUE(mesh.ok());
  Eigen::Matrix3d expected;
  expected << 0, 1, 0, 0, 0, -2.5, 0, 0, 0;
  EXPECT_EQ(mesh->corners, expected);
}

// some exporters leave normals out, or write what is none
TEST(Stl, WithoutNormals) {
  const test::ScratchFolder folder;
  Eigen::Matrix<double, 3, 6> expected;
  expected << 0, 1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 2, 2, 2;
  const std::string first =
      "\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
  const std::string second =
      "\nouter loop\nvertex 0 0 2\nvertex 1 0 2\nvertex 0 1 2\nendloop\nendfacet\n";
  for (const std::string normal : {"", " normal", " normal nan nan nan", " normal -1.#IND 0 0"}) {
    for (const std::string start : {"solid t\n", "\n  solid\n", "solid t\xe4\n"}) {
      const auto mesh = read_mesh(folder.write(
          "t.stl", start + "facet" + normal + first + "facet" + normal + second + "endsolid\n"));
      ASSERT_TRUE(mesh.ok()) << normal << ": " << mesh.error().message();
      EXPECT_EQ(mesh->corners, expected) << normal;
    }
  }

  const float nan = std::numeric_limits<float>::quiet_NaN();
  const Mesh box = box_mesh(kSize, somewhere());
  for (const float entry : {0.f, nan}) {
    std::string bytes = binary_stl(box);
    for (std::size_t k = 0; k < 12; ++k)
      for (std::size_t axis = 0; axis < 3; ++axis)
        std::memcpy(bytes.data() + 84 + 50 * k + 4 * axis, &entry, sizeof entry);
    const auto mesh = read_mesh(folder.write("box.stl", bytes));
    ASSERT_TRUE(mesh.ok()) << mesh.error().message();
    EXPECT_EQ(mesh->corners, Eigen::Matrix3Xd(box.corners.cast<float>().cast<double>()));
  }
}

TEST(Stl, TwoSolidsAndBytesBeyondTheLastTriangle) {
  const test::ScratchFolder folder;
  const std::string solid =
      "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 "
      "0\nendloop\nendfacet\nendsolid\n";
  const auto two = read_mesh(folder.write("two.stl", solid + solid));
  ASSERT_TRUE(two.ok()) << two.error().message();
  EXPECT_EQ(two->num_triangles(), 2);
  const auto longer = read_mesh(
      folder.write("long.stl", binary_stl(box_mesh(kSize, somewhere())) + "written by X"));
  ASSERT_TRUE(longer.ok()) << longer.error().message();
  EXPECT_EQ(longer->num_triangles(), 12);
}

TEST(Stl, Errors) {
  const test::ScratchFolder folder;
  const std::string bytes = binary_stl(box_mesh(kSize, somewhere()));
  test::expect_error(read_mesh(folder.path("nowhere.stl")), {"nowhere.stl"});
  test::expect_error(read_mesh(folder.write("cut.stl", bytes.substr(0, 500))),
                     {"cut.stl", "truncated", "12"});
  test::expect_error(read_mesh(folder.write("empty.stl", "")), {"empty.stl", "no triangle"});
  test::expect_error(read_mesh(folder.write("word.stl", "solid t facet vertex 0 zero 0")),
                     {"zero"});
  test::expect_error(read_mesh(folder.write("two.stl", "solid facet vertex 0 0 0 vertex 1 0 0")),
                     {"three vertices"});
  std::string bad = bytes;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(bad.data() + 84 + 12, &nan, sizeof nan);
  test::expect_error(read_mesh(folder.write("nan.stl", bad)), {"is not finite"});
}

TEST(MeshPaths, EveryForm) {
  const test::ScratchFolder folder;
  std::filesystem::create_directories(folder.path("arm_description/urdf"));
  std::filesystem::create_directories(folder.path("arm_description/meshes"));
  std::filesystem::create_directories(folder.path("elsewhere/tool"));
  const std::string mesh = folder.write("arm_description/meshes/a.stl", "x");
  const std::string tool = folder.write("elsewhere/tool/b.stl", "x");
  const std::string urdf = folder.path("arm_description/urdf/arm.urdf");
  EXPECT_EQ(find_mesh("package://arm_description/meshes/a.stl", urdf), mesh);
  EXPECT_EQ(find_mesh("package:///arm_description/meshes/a.stl", urdf), mesh);
  EXPECT_EQ(find_mesh("file://" + mesh, urdf), mesh);
  EXPECT_EQ(std::filesystem::weakly_canonical(find_mesh("../meshes/a.stl", urdf)),
            std::filesystem::weakly_canonical(mesh));
  EXPECT_EQ(find_mesh("package://tool/b.stl", urdf), "");
  EXPECT_EQ(find_mesh("package://tool/b.stl", urdf, {folder.path("elsewhere")}), tool);
  EXPECT_EQ(find_mesh("", urdf), "");
  EXPECT_EQ(find_mesh("package://", urdf), "");
}

}  // namespace
}  // namespace heft
