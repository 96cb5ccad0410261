// outlines_of: the shapes of all links of a body as triangles in its frame.
#include <cmath>
#include <filesystem>
#include <numbers>

#include "files/whole_file.hpp"
#include "geometry/outline.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

namespace {

constexpr int kSides = 24;  // of a circle

using Points = std::vector<Eigen::Vector3d>;

Mesh mesh_from(const Points& corners) {
  return {Eigen::Map<const Eigen::Matrix3Xd>(corners.data()->data(), 3,
                                             static_cast<Eigen::Index>(corners.size()))};
}

/// A surface of turning about z: rings {radius, z} from the bottom to the top, joined by triangles.
/// A radius of zero closes it.
Mesh turned(const std::vector<Eigen::Vector2d>& rings) {
  Points corners;
  const auto point = [&](std::size_t ring, int k) -> Eigen::Vector3d {
    const double angle = 2 * std::numbers::pi * k / kSides;
    return {rings[ring][0] * std::cos(angle), rings[ring][0] * std::sin(angle), rings[ring][1]};
  };
  for (std::size_t r = 0; r + 1 < rings.size(); ++r)
    for (int k = 0; k < kSides; ++k) {
      if (rings[r][0] > 0)
        corners.insert(corners.end(), {point(r, k), point(r, k + 1), point(r + 1, k + 1)});
      if (rings[r + 1][0] > 0)
        corners.insert(corners.end(), {point(r, k), point(r + 1, k + 1), point(r + 1, k)});
    }
  return mesh_from(corners);
}

Mesh box_mesh(const Eigen::Vector3d& size) {
  Points corners;
  const auto corner = [&](int x, int y, int z) -> Eigen::Vector3d {
    return 0.5 * size.cwiseProduct(Eigen::Vector3d(x, y, z));
  };
  for (int axis = 0; axis < 3; ++axis)
    for (const int side : {-1, 1}) {
      // the four corners of a face, counter-clockwise from outside
      Points face;
      for (const auto& [u, v] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
        int place[3];
        place[axis] = side;
        place[(axis + 1) % 3] = side > 0 ? u : v;
        place[(axis + 2) % 3] = side > 0 ? v : u;
        face.push_back(corner(place[0], place[1], place[2]));
      }
      corners.insert(corners.end(), {face[0], face[1], face[2], face[0], face[2], face[3]});
    }
  return mesh_from(corners);
}

Mesh cylinder_mesh(double radius, double length) {
  return turned({{0, -length / 2}, {radius, -length / 2}, {radius, length / 2}, {0, length / 2}});
}

Mesh sphere_mesh(double radius) {
  std::vector<Eigen::Vector2d> rings;
  for (int k = 0; k <= kSides / 2; ++k) {
    const double latitude = std::numbers::pi * (2.0 * k / kSides - 0.5);
    const bool is_pole = k == 0 || k == kSides / 2;
    rings.emplace_back(is_pole ? 0 : radius * std::cos(latitude), radius * std::sin(latitude));
  }
  return turned(rings);
}

class OutlineReader {
 public:
  OutlineReader(const RobotDocument& document, const OutlineOptions& options)
      : document_(document), options_(options), bytes_left_(options.max_bytes) {}

  /// Outlines of the links of a body, in its frame; links that cannot be read are named in
  /// `missing`.
  Mesh of_body(const Body& body, std::vector<std::string>& missing) {
    std::vector<std::string> links = body.merged_links;
    links.insert(links.begin(), body.name);
    Mesh all;
    for (const std::string& link : links) {
      const auto X = document_.pose(link, body.name);
      auto mesh = X ? of_link(link, ShapeUse::visual) : Result<Mesh>(X.error());
      const bool visual_fails = !mesh.ok();
      if (visual_fails || mesh->num_triangles() == 0) mesh = of_link(link, ShapeUse::collision);
      if (!mesh || (visual_fails && mesh->num_triangles() == 0)) missing.push_back(link);
      if (!X || !mesh) continue;
      append(*X, *mesh, all);
    }
    return all;
  }

 private:
  static void append(const Eigen::Isometry3d& X, const Mesh& mesh, Mesh& all) {
    const Eigen::Index count = all.corners.cols();
    all.corners.conservativeResize(3, count + mesh.corners.cols());
    all.corners.rightCols(mesh.corners.cols()) = X * mesh.corners;
  }

  Result<Mesh> of_link(const std::string& link, ShapeUse use) {
    HEFT_TRY(shapes, document_.shapes(link, use));
    Mesh all;
    for (const Shape& shape : shapes) {
      HEFT_TRY(mesh, of_shape(shape));
      append(shape.X_link_shape, mesh, all);
    }
    return all;
  }

  Result<Mesh> of_shape(const Shape& shape) {
    switch (shape.kind) {
      case Shape::Kind::box:
        return box_mesh(shape.size);
      case Shape::Kind::cylinder:
        return cylinder_mesh(shape.radius, shape.length);
      case Shape::Kind::sphere:
        return sphere_mesh(shape.radius);
      case Shape::Kind::mesh:
        break;
    }
    const std::string path = document_.find_mesh(shape.mesh, options_.package_folders);
    std::error_code failure;
    const auto size = path.empty() ? 0 : std::filesystem::file_size(path, failure);
    if (path.empty() || failure || size > bytes_left_)
      return Error{shape.mesh, "is missing, or too large to draw",
                   "name the folder that contains its package with --package-path"};
    bytes_left_ -= size;
    HEFT_TRY(mesh, read_mesh(path));
    mesh.corners = shape.scale.asDiagonal() * mesh.corners;
    return std::move(mesh);
  }

  const RobotDocument& document_;
  const OutlineOptions& options_;
  std::size_t bytes_left_;
};

}  // namespace

Outlines outlines_of(const Robot& robot, const OutlineOptions& options) {
  Outlines outlines;
  outlines.bodies.resize(robot.bodies.size());
  const auto document = parse_robot_document(robot.source, robot.source_text);
  if (!document) return outlines;
  OutlineReader reader(**document, options);
  std::vector<Mesh> meshes(robot.bodies.size());
  Eigen::Index whole = 0;
  for (std::size_t i = 0; i < robot.bodies.size(); ++i) {
    if (robot.bodies[i].is_rotor || !robot.bodies[i].has_parameters) continue;
    meshes[i] = reader.of_body(robot.bodies[i], outlines.missing);
    if (!meshes[i].corners.allFinite()) meshes[i] = {};
    whole += meshes[i].num_triangles();
  }
  // a body's share of the triangles grows with the square root of its own number: small bodies keep
  // more of theirs
  double roots = 0;
  for (const Mesh& mesh : meshes) roots += std::sqrt(static_cast<double>(mesh.num_triangles()));
  for (std::size_t i = 0; i < meshes.size(); ++i) {
    const double share =
        std::sqrt(static_cast<double>(meshes[i].num_triangles())) / std::max(1.0, roots);
    const auto most = static_cast<Eigen::Index>(share * static_cast<double>(options.max_triangles));
    outlines.bodies[i] = decimated(meshes[i], whole <= options.max_triangles ? whole : most);
  }
  return outlines;
}

}  // namespace heft
