// One surface written as STL, OBJ and DAE by the test gives the same corners and the same
// ellipsoid; units, axes and trees of nodes follow URDF; truncated or broken files give errors.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <map>
#include <sstream>
#include <vector>

#include "geometry/mesh.hpp"
#include "heft/geometry/bounding.hpp"

namespace heft {
namespace {

struct Surface {
  std::vector<Eigen::Vector3d> corners;
  std::vector<std::array<int, 3>> faces;
};

Surface cube(double size) {
  Surface s;
  for (int k = 0; k < 8; ++k)
    s.corners.emplace_back(size * (k & 1), size * (k >> 1 & 1), size * (k >> 2 & 1));
  s.faces = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
             {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  return s;
}

// an icosahedron whose faces are cut in four, its corners on an ellipsoid of these semi-axes about
// `center`
Surface icosphere(const Eigen::Vector3d& semi_axes, const Eigen::Vector3d& center) {
  Surface s;
  const double golden = (1 + std::sqrt(5.0)) / 2;
  for (const double a : {-1.0, 1.0})
    for (const double b : {-golden, golden})
      for (int axis = 0; axis < 3; ++axis) {
        Eigen::Vector3d corner = Eigen::Vector3d::Zero();
        corner[axis] = a;
        corner[(axis + 1) % 3] = b;
        s.corners.push_back(corner.normalized());
      }
  const double edge = 2 / std::sqrt(1 + golden * golden) * 1.01;
  const auto near = [&](int i, int j) { return (s.corners[i] - s.corners[j]).norm() < edge; };
  for (int i = 0; i < 12; ++i)
    for (int j = i + 1; j < 12; ++j)
      for (int k = j + 1; k < 12; ++k) {
        if (!near(i, j) || !near(j, k) || !near(i, k)) continue;
        const bool outwards = s.corners[i].dot(s.corners[j].cross(s.corners[k])) > 0;
        s.faces.push_back(outwards ? std::array{i, j, k} : std::array{i, k, j});
      }
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int i, int j) {
    const auto [found, is_new] =
        middles.try_emplace(std::minmax(i, j), static_cast<int>(s.corners.size()));
    if (is_new) s.corners.push_back((s.corners[i] + s.corners[j]).normalized());
    return found->second;
  };
  std::vector<std::array<int, 3>> finer;
  for (const auto& [i, j, k] : s.faces) {
    const int ij = middle(i, j), jk = middle(j, k), ki = middle(k, i);
    finer.insert(finer.end(), {{i, ij, ki}, {ij, j, jk}, {ki, jk, k}, {ij, jk, ki}});
  }
  s.faces = finer;
  for (Eigen::Vector3d& corner : s.corners) corner = center + semi_axes.cwiseProduct(corner);
  return s;
}

std::string stl(const Surface& s) {
  std::string bytes(80, ' ');
  const auto append = [&](const auto& value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  };
  append(static_cast<std::uint32_t>(s.faces.size()));
  for (const auto& face : s.faces) {
    append(std::array<float, 3>{});
    for (const int corner : face)
      for (int axis = 0; axis < 3; ++axis) append(static_cast<float>(s.corners[corner][axis]));
    append(std::uint16_t{0});
  }
  return bytes;
}

std::string obj(const Surface& s) {
  std::ostringstream text;
  text.precision(17);
  text << "# written by a test\nmtllib nowhere.mtl\no part\n";
  for (const Eigen::Vector3d& v : s.corners)
    text << "v " << v.x() << ' ' << v.y() << ' ' << v.z() << "\n";
  text << "vn 0 0 1\nvt 0 0\n";
  for (const auto& [i, j, k] : s.faces)
    text << "f " << i + 1 << "/1/1 " << j + 1 << "/1/1 " << k + 1 << "/1/1\n";
  return text.str();
}

struct DaeOptions {
  std::string unit = "1";
  std::string up_axis = "Z_UP";
  std::string placement;  // what the node of the mesh says of its pose
};

std::string dae(const Surface& s, const DaeOptions& options = {}) {
  std::ostringstream text;
  text.precision(17);
  text << R"(<?xml version="1.0" encoding="utf-8"?>
<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1"><asset>)";
  if (!options.unit.empty()) text << "<unit name=\"unit\" meter=\"" << options.unit << "\"/>";
  text << "<up_axis>" << options.up_axis
       << R"(</up_axis></asset><library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="a" count=")"
       << 3 * s.corners.size() << "\">";
  for (const Eigen::Vector3d& v : s.corners) text << v.x() << ' ' << v.y() << ' ' << v.z() << ' ';
  text
      << R"(</float_array><technique_common><accessor source="#a" count=")" << s.corners.size()
      << R"(" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/>
</accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count=")"
      << s.faces.size() << R"("><input semantic="VERTEX" source="#v" offset="0"/><p>)";
  for (const auto& face : s.faces)
    for (const int corner : face) text << corner << ' ';
  text << R"(</p></triangles></mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="scene"><node id="outer">)"
       << options.placement << R"(<node id="inner"><instance_geometry url="#g"/></node></node>
</visual_scene></library_visual_scenes><scene><instance_visual_scene url="#scene"/></scene></COLLADA>)";
  return text.str();
}

// the corners that faces use, each once, sorted
std::vector<Eigen::Vector3d> points_of(const Mesh& mesh, double tolerance) {
  std::vector<Eigen::Vector3d> points;
  for (Eigen::Index k = 0; k < mesh.corners.cols(); ++k) {
    const Eigen::Vector3d corner = mesh.corners.col(k);
    bool is_new = true;
    for (const Eigen::Vector3d& point : points)
      is_new = is_new && (point - corner).norm() > tolerance;
    if (is_new) points.push_back(corner);
  }
  return points;
}

void expect_same_points(const Mesh& mesh, const std::vector<Eigen::Vector3d>& expected,
                        double tolerance) {
  const std::vector<Eigen::Vector3d> points = points_of(mesh, tolerance);
  EXPECT_EQ(points.size(), expected.size());
  for (const Eigen::Vector3d& wanted : expected) {
    double nearest = INFINITY;
    for (const Eigen::Vector3d& point : points)
      nearest = std::min(nearest, (point - wanted).norm());
    EXPECT_LE(nearest, tolerance) << wanted.transpose();
  }
}

Mesh read(const std::string& name, const std::string& bytes) {
  auto mesh = mesh_of(name, bytes);
  EXPECT_TRUE(mesh) << mesh.error().message();
  return mesh ? *mesh : Mesh{};
}

TEST(MeshFormats, SameCornersSameSolidSameEllipsoid) {
  constexpr double kFloat = 4e-7;  // files and Assimp keep single precision; numbers are about 1
  for (const Surface& surface : {cube(0.7), icosphere({0.1, 0.4, 0.9}, {0.3, -0.2, 0.5})}) {
    const Mesh of_stl = read("a.STL", stl(surface));
    const auto reference = enclosing_ellipsoid(of_stl.corners, 1e-6);
    ASSERT_TRUE(reference);
    for (const Mesh& mesh : {of_stl, read("a.obj", obj(surface)), read("a.dae", dae(surface))}) {
      EXPECT_EQ(mesh.num_triangles(), static_cast<Eigen::Index>(surface.faces.size()));
      expect_same_points(mesh, surface.corners, kFloat);
      EXPECT_TRUE(is_closed(mesh, 1e-5));
      EXPECT_NEAR(enclosed_solid(mesh).volume, enclosed_solid(of_stl).volume, 1e-5);
      const auto ellipsoid = enclosing_ellipsoid(mesh.corners, 1e-6);
      ASSERT_TRUE(ellipsoid);
      EXPECT_LE((ellipsoid->center - reference->center).norm(), 1e-5);
      EXPECT_LE((ellipsoid->semi_axes - reference->semi_axes).norm(), 1e-5);
    }
  }
}

TEST(MeshFormats, UnitOfDaeCountsAndItsUpAxisDoesNot) {
  const Surface surface = icosphere({100, 400, 900}, {300, -200, 500});
  std::vector<Eigen::Vector3d> meters;
  for (const Eigen::Vector3d& corner : surface.corners) meters.push_back(1e-3 * corner);
  for (const char* up : {"X_UP", "Y_UP", "Z_UP"}) {
    expect_same_points(read("a.dae", dae(surface, {.unit = "0.001", .up_axis = up})), meters, 4e-7);
    expect_same_points(read("a.dae", dae(surface, {.unit = "1", .up_axis = up})), surface.corners,
                       4e-4);
    expect_same_points(read("a.dae", dae(surface, {.unit = "", .up_axis = up})), surface.corners,
                       4e-4);
  }
}

TEST(MeshFormats, NodesOfDaePlaceTheirParts) {
  const Surface surface = cube(1);
  const Mesh mesh = read("a.dae", dae(surface, {.unit = "0.01",
                                                .up_axis = "Y_UP",
                                                .placement = "<translate>1 2 3</translate>"
                                                             "<rotate>0 0 1 90</rotate>"
                                                             "<scale>1 2 4</scale>"}));
  std::vector<Eigen::Vector3d> expected;
  for (const Eigen::Vector3d& v : surface.corners)
    expected.push_back(0.01 * Eigen::Vector3d(1 - 2 * v.y(), 2 + v.x(), 3 + 4 * v.z()));
  expect_same_points(mesh, expected, 1e-7);
}

TEST(MeshFormats, ObjWithPolygonsAndIndicesFromTheEnd) {
  const Mesh mesh = read("a.obj",
                         "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf -4 -3 -2 -1\n"
                         "v 0.5 0.5 2\nl 1 5\nf 1 2 5\n");
  EXPECT_EQ(mesh.num_triangles(), 3);
  expect_same_points(mesh, {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 2}}, 1e-12);
}

std::string complaint(const std::string& name, const std::string& bytes) {
  const auto mesh = mesh_of(name, bytes);
  EXPECT_FALSE(mesh) << name << ": " << bytes;
  return mesh ? "" : mesh.error().message();
}

TEST(MeshFormats, BrokenFilesAreErrors) {
  const std::string good_dae = dae(cube(1));
  const auto replaced = [&](const std::string& from, const std::string& to) {
    std::string text = good_dae;
    text.replace(text.find(from), from.size(), to);
    return text;
  };
  for (const std::string& bytes :
       {std::string(), std::string("COLLADA"), std::string(3000, 'x'), std::string(300, '\0'),
        replaced("</mesh>", "</mash>"), replaced("#v", "#unknown"),
        replaced("0 2 1 ", "0 2 99999 "), replaced("url=\"#g\"", "url=\"#unknown\""),
        replaced("<triangles count=\"12\"", "<triangles count=\"-3\""),
        replaced("meter=\"1\"", "meter=\"nan\""), replaced("0 0 0 ", "nan 0 0 ")}) {
    const std::string message = complaint("folder/a.dae", bytes);
    EXPECT_NE(message.find("folder/a.dae: "), std::string::npos) << message;
    EXPECT_NE(message.find("remedy: "), std::string::npos) << message;
  }
  // a number that repeats what can be counted is not believed
  expect_same_points(
      read("a.dae", replaced("source=\"#a\" count=\"8\"", "source=\"#a\" count=\"800000\"")),
      cube(1).corners, 1e-7);
  for (const std::string& bytes :
       {std::string(), std::string("v 0 0 0\n"), std::string(3000, 'x'), std::string(300, '\0'),
        std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 9\n"),
        std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 0 0 0\n"),
        std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 -9\n"),
        std::string("v nan 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
        std::string("v 0 0 0\nv 1 0 0\nv 0 1 0\nl 1 2 3\n")}) {
    const std::string message = complaint("folder/a.obj", bytes);
    EXPECT_NE(message.find("folder/a.obj: "), std::string::npos) << message;
    EXPECT_NE(message.find("remedy: "), std::string::npos) << message;
  }
  EXPECT_NE(complaint("a.step", "ISO-10303-21;").find("is not an STL, OBJ or DAE"),
            std::string::npos);
}

// triangles of OBJ have the material of the last usemtl, whether its library is there or not; STL
// has none
TEST(MeshMaterials, AreNamesOfTriangles) {
  const Surface small = cube(1), large = cube(2);
  std::string text = "mtllib nowhere.mtl\n";
  for (const Surface* surface : {&small, &large})
    for (const Eigen::Vector3d& c : surface->corners) {
      std::ostringstream line;
      line << "v " << c.x() << " " << c.y() << " " << c.z() << "\n";
      text += line.str();
    }
  const auto face = [](const std::array<int, 3>& f, int first) {
    return "f " + std::to_string(f[0] + first) + " " + std::to_string(f[1] + first) + " " +
           std::to_string(f[2] + first) + "\n";
  };
  // the large cube's faces around those of the small one
  for (std::size_t k = 0; k < 6; ++k)
    text += (k == 0 ? "usemtl steel\n" : "") + face(large.faces[k], 9);
  for (std::size_t k = 0; k < 12; ++k)
    text += (k == 0 ? "usemtl wood\n" : "") + face(small.faces[k], 1);
  for (std::size_t k = 6; k < 12; ++k)
    text += (k == 6 ? "usemtl steel\n" : "") + face(large.faces[k], 9);
  const Mesh mesh = read("a.obj", text);
  EXPECT_EQ(mesh.num_triangles(), 24);
  for (const auto& [material, volume] : {std::pair<std::string, double>("wood", 1), {"steel", 8}}) {
    const auto part = of_material("a.obj", mesh, material);
    ASSERT_TRUE(part.ok()) << part.error().message();
    EXPECT_EQ(part->num_triangles(), 12);
    EXPECT_NEAR(enclosed_solid(*part).volume, volume, 1e-6);
  }
  const auto none = of_material("a.obj", mesh, "brass");
  ASSERT_FALSE(none.ok());
  EXPECT_NE(none.error().remedy.find("'steel'"), std::string::npos) << none.error().message();
  EXPECT_NE(none.error().remedy.find("'wood'"), std::string::npos) << none.error().message();
  EXPECT_FALSE(of_material("a.stl", read("a.stl", stl(small)), "wood").ok());
}

// whatever is left of a file: an error, or some of its triangles, and the program lives
TEST(MeshFormats, FilesCutOffAnywhere) {
  const Surface surface = cube(1);
  for (const auto& [name, bytes] : {std::pair<std::string, std::string>("a.dae", dae(surface)),
                                    {"a.obj", obj(surface)},
                                    {"a.stl", stl(surface)}}) {
    for (std::size_t length = 0; length < bytes.size(); length += 7) {
      const auto mesh = mesh_of(name, bytes.substr(0, length));
      if (!mesh) {
        EXPECT_FALSE(mesh.error().remedy.empty());
        continue;
      }
      EXPECT_NE(name, "a.stl") << length;
      EXPECT_TRUE(mesh->corners.allFinite());
      EXPECT_LE(mesh->num_triangles(), static_cast<Eigen::Index>(surface.faces.size()));
    }
  }
}

}  // namespace
}  // namespace heft
