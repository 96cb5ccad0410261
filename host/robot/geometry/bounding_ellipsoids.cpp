// bounding_ellipsoids: the shapes of all links of a body as points in its frame, and the ellipsoid
// around them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "geometry/mesh.hpp"
#include "heft/geometry/bounding.hpp"
#include "heft/robot/robot_document.hpp"

namespace heft {

namespace {

constexpr int kPrismSides = 24;  // of the prism around a cylinder, and of a sphere's equator

Eigen::Matrix3Xd box_points(const Eigen::Vector3d& size) {
  Eigen::Matrix3Xd points(3, 8);
  for (int corner = 0; corner < 8; ++corner) {
    for (int axis = 0; axis < 3; ++axis)
      points(axis, corner) = (corner >> axis & 1 ? 0.5 : -0.5) * size[axis];
  }
  return points;
}

// corners of a regular polygon around the circle in the plane z
void add_circle(double radius, double z, std::vector<Eigen::Vector3d>& points) {
  const double corner = radius / std::cos(std::numbers::pi / kPrismSides);
  for (int k = 0; k < kPrismSides; ++k) {
    const double angle = 2 * std::numbers::pi * k / kPrismSides;
    points.emplace_back(corner * std::cos(angle), corner * std::sin(angle), z);
  }
}

Eigen::Matrix3Xd as_matrix(const std::vector<Eigen::Vector3d>& points) {
  return Eigen::Map<const Eigen::Matrix3Xd>(points.data()->data(), 3,
                                            static_cast<Eigen::Index>(points.size()));
}

Eigen::Matrix3Xd cylinder_points(double radius, double length) {
  std::vector<Eigen::Vector3d> points;
  add_circle(radius, length / 2, points);
  add_circle(radius, -length / 2, points);
  return as_matrix(points);
}

// rings at equal steps of latitude: faces touch the sphere once the corners stand off by both
// cosines
Eigen::Matrix3Xd sphere_points(double radius) {
  std::vector<Eigen::Vector3d> points;
  const double corner = radius / std::cos(std::numbers::pi / kPrismSides);
  for (int ring = 0; ring <= kPrismSides / 2; ++ring) {
    const double latitude = std::numbers::pi * (2.0 * ring / kPrismSides - 0.5);
    add_circle(corner * std::cos(latitude), corner * std::sin(latitude), points);
  }
  return as_matrix(points);
}

// Reads the shapes of bodies and remembers which meshes it has read.
class ShapeReader {
 public:
  ShapeReader(const RobotDocument& document, const BoundingOptions& options)
      : document_(document), options_(options) {}

  /// Points around all shapes of the links that ride on a body, in its frame; none if there are no
  /// shapes.
  Result<Eigen::Matrix3Xd> points_of(const Body& body) {
    std::vector<std::string> links = body.merged_links;
    links.insert(links.begin(), body.name);
    Eigen::Matrix3Xd points(3, 0);
    for (const std::string& link : links) {
      HEFT_TRY(X_body_link, document_.pose(link, body.name));
      if (const auto added = add_link(X_body_link, link, points); !added) {
        const Error& error = added.error();
        return Error{document_.path() + ": link '" + link + "'", error.where + ": " + error.what,
                     error.remedy};
      }
    }
    return points;
  }

  std::vector<MeshFile> take_meshes() { return std::move(meshes_); }

 private:
  Result<Done> add_link(const Eigen::Isometry3d& X, const std::string& link,
                        Eigen::Matrix3Xd& points) {
    const ShapeUse other =
        options_.shapes == ShapeUse::visual ? ShapeUse::collision : ShapeUse::visual;
    HEFT_TRY(shapes, document_.shapes(link, options_.shapes));
    if (shapes.empty()) {
      HEFT_TRY(others, document_.shapes(link, other));
      shapes = std::move(others);
    }
    for (const Shape& shape : shapes) {
      HEFT_TRY(local, shape_points(shape));
      const Eigen::Index count = points.cols();
      points.conservativeResize(3, count + local.cols());
      points.rightCols(local.cols()) = X * shape.X_link_shape * local;
    }
    return Done{};
  }

  // in the axes of the shape
  Result<Eigen::Matrix3Xd> shape_points(const Shape& shape) {
    switch (shape.kind) {
      case Shape::Kind::box:
        return box_points(shape.size);
      case Shape::Kind::cylinder:
        return cylinder_points(shape.radius, shape.length);
      case Shape::Kind::sphere:
        return sphere_points(shape.radius);
      case Shape::Kind::mesh:
        break;
    }
    return mesh_points(shape);
  }

  Result<Eigen::Matrix3Xd> mesh_points(const Shape& shape) {
    const std::string path = document_.find_mesh(shape.mesh, options_.package_folders);
    if (path.empty())
      return Error{
          shape.mesh, "cannot be found near the URDF" + searched(),
          "name the folder that contains its package: estimation.package_folders, --package-path"};
    HEFT_TRY(bytes, read_file_whole(path));
    HEFT_TRY(mesh, mesh_of(path, bytes));
    note(path, bytes);
    return Eigen::Matrix3Xd(shape.scale.asDiagonal() * mesh.corners);
  }

  // " nor in a, b"
  std::string searched() const {
    return options_.package_folders.empty()
               ? ""
               : fmt::format(" nor in {}", fmt::join(options_.package_folders, ", "));
  }

  void note(const std::string& path, const std::string& bytes) {
    for (const MeshFile& mesh : meshes_)
      if (mesh.path == path) return;
    Sha256 sha;
    sha.update(bytes.data(), bytes.size());
    meshes_.push_back({path, sha.hex_digest()});
  }

  const RobotDocument& document_;
  const BoundingOptions& options_;
  std::vector<MeshFile> meshes_;
};

}  // namespace

Result<BoundingEllipsoids> bounding_ellipsoids(const Robot& robot, const BoundingOptions& options,
                                               const Progress& progress) {
  if (!(options.inflation > 0) || !std::isfinite(options.inflation))
    return Error{"bounding ellipsoids", "the inflation must be above zero",
                 "give 1 to keep the shapes unchanged"};
  if (!(options.tolerance > 0))
    return Error{"bounding ellipsoids", "the tolerance must be above zero", "try 1e-3"};
  HEFT_TRY(document, parse_robot_document(robot.source, robot.source_text));

  ShapeReader reader(*document, options);
  BoundingEllipsoids result;
  for (const Body& body : robot.bodies) {
    HEFT_CHECK(report_progress(progress, "reading shapes",
                               static_cast<double>(result.bodies.size()) / robot.num_bodies()));
    result.bodies.emplace_back();
    if (!body.has_parameters) continue;
    Eigen::Matrix3Xd points(3, 0);
    if (!body.is_rotor) {
      HEFT_TRY(found, reader.points_of(body));
      points = found;
    }
    if (points.cols() == 0) {
      result.without_shapes.push_back(body.name);
      continue;
    }
    auto ellipsoid = enclosing_ellipsoid(points, options.tolerance);
    if (!ellipsoid)
      return Error{robot.source + ": link '" + body.name + "'", ellipsoid.error().what,
                   ellipsoid.error().remedy};
    ellipsoid->semi_axes *= options.inflation;
    result.bodies.back() = *ellipsoid;
  }
  result.meshes = reader.take_meshes();
  return result;
}

}  // namespace heft
