// bounding_ellipsoids: the shapes of all links that ride on a body as points in its frame, and the ellipsoid
// around them.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <cmath>
#include <numbers>
#include <vector>

#include "files/sha256.hpp"
#include "files/whole_file.hpp"
#include "geometry/mesh.hpp"
#include "geometry/mesh_path.hpp"
#include "heft/geometry/bounding.hpp"

namespace heft {

namespace {

constexpr int kSides = 24;  // of the prism around a cylinder, and of a sphere's equator

Eigen::Isometry3d isometry(const urdf::Pose& pose) {
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  X.linear() = Eigen::Quaterniond(pose.rotation.w, pose.rotation.x, pose.rotation.y, pose.rotation.z)
                   .normalized()
                   .toRotationMatrix();
  X.translation() << pose.position.x, pose.position.y, pose.position.z;
  return X;
}

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
  const double corner = radius / std::cos(std::numbers::pi / kSides);
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * std::numbers::pi * k / kSides;
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

// rings at equal steps of latitude: faces touch the sphere once the corners stand off by both cosines
Eigen::Matrix3Xd sphere_points(double radius) {
  std::vector<Eigen::Vector3d> points;
  const double corner = radius / std::cos(std::numbers::pi / kSides);
  for (int ring = 0; ring <= kSides / 2; ++ring) {
    const double latitude = std::numbers::pi * (2.0 * ring / kSides - 0.5);
    add_circle(corner * std::cos(latitude), corner * std::sin(latitude), points);
  }
  return as_matrix(points);
}

// Reads the shapes of bodies and remembers which meshes it has read.
class ShapeReader {
 public:
  ShapeReader(const Robot& robot, const urdf::ModelInterface& model, const BoundingOptions& options)
      : robot_(robot), model_(model), options_(options) {}

  /// Points around all shapes of the links that ride on a body, in its frame; none if there are no shapes.
  Result<Eigen::Matrix3Xd> points_of(const Body& body) {
    std::vector<std::string> links = body.merged_links;
    links.insert(links.begin(), body.name);
    Eigen::Matrix3Xd points(3, 0);
    for (const std::string& name : links) {
      const urdf::LinkConstSharedPtr link = model_.getLink(name);
      if (!link) return Error{robot_.source, "has no link '" + name + "'", "identify again from the file"};
      if (auto added = add_link(pose(*link, body.name), *link, points); !added)
        return at(*link, added.error());
    }
    return points;
  }

  std::vector<MeshFile> take_meshes() { return std::move(meshes_); }

 private:
  Error at(const urdf::Link& link, const Error& error) const {
    return {robot_.source + ": link '" + link.name + "'", error.where + ": " + error.what, error.remedy};
  }

  // of a link in the frame of the one that carries it, through fixed joints
  Eigen::Isometry3d pose(const urdf::Link& link, const std::string& carrier) const {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    const urdf::Link* link_at = &link;
    while (link_at->name != carrier && link_at->parent_joint) {
      X = isometry(link_at->parent_joint->parent_to_joint_origin_transform) * X;
      link_at = model_.getLink(link_at->parent_joint->parent_link_name).get();
    }
    return X;
  }

  Result<Done> add_link(const Eigen::Isometry3d& X, const urdf::Link& link, Eigen::Matrix3Xd& points) {
    const bool prefers_visual = options_.shapes == BoundingOptions::Shapes::visual;
    const bool takes_visual = prefers_visual ? !link.visual_array.empty() : link.collision_array.empty();
    if (takes_visual) {
      for (const auto& visual : link.visual_array) HEFT_CHECK(add_shape(X, *visual, points));
    } else {
      for (const auto& collision : link.collision_array) HEFT_CHECK(add_shape(X, *collision, points));
    }
    return Done{};
  }

  template <class Element>
  Result<Done> add_shape(const Eigen::Isometry3d& X, const Element& element, Eigen::Matrix3Xd& points) {
    if (!element.geometry) return Error{"shape", "has no geometry", "mend the URDF"};
    HEFT_TRY(local, shape_points(*element.geometry));
    const Eigen::Index count = points.cols();
    points.conservativeResize(3, count + local.cols());
    points.rightCols(local.cols()) = X * isometry(element.origin) * local;
    return Done{};
  }

  // in the axes of the shape
  Result<Eigen::Matrix3Xd> shape_points(const urdf::Geometry& shape) {
    switch (shape.type) {
      case urdf::Geometry::BOX: {
        const auto& size = static_cast<const urdf::Box&>(shape).dim;
        return box_points({size.x, size.y, size.z});
      }
      case urdf::Geometry::CYLINDER: {
        const auto& cylinder = static_cast<const urdf::Cylinder&>(shape);
        return cylinder_points(cylinder.radius, cylinder.length);
      }
      case urdf::Geometry::SPHERE:
        return sphere_points(static_cast<const urdf::Sphere&>(shape).radius);
      case urdf::Geometry::MESH:
        return mesh_points(static_cast<const urdf::Mesh&>(shape));
    }
    return Error{"shape", "of a kind that is not known", "mend the URDF"};
  }

  Result<Eigen::Matrix3Xd> mesh_points(const urdf::Mesh& shape) {
    const std::string path = find_mesh(shape.filename, robot_.source, options_.package_folders);
    if (path.empty())
      return Error{shape.filename, "cannot be found near the URDF" + searched(),
                   "name the folder that holds its package: estimation.package_folders, --package-path"};
    HEFT_TRY(bytes, read_file_whole(path));
    HEFT_TRY(mesh, mesh_of(path, bytes));
    note(path, bytes);
    return Eigen::Matrix3Xd(Eigen::Vector3d(shape.scale.x, shape.scale.y, shape.scale.z).asDiagonal() *
                            mesh.corners);
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

  const Robot& robot_;
  const urdf::ModelInterface& model_;
  const BoundingOptions& options_;
  std::vector<MeshFile> meshes_;
};

}  // namespace

Result<BoundingEllipsoids> bounding_ellipsoids(const Robot& robot, const BoundingOptions& options) {
  if (!(options.inflation > 0) || !std::isfinite(options.inflation))
    return Error{"bounding ellipsoids", "the inflation must be above zero",
                 "1 leaves the shapes as they are"};
  if (!(options.tolerance > 0))
    return Error{"bounding ellipsoids", "the tolerance must be above zero", "try 1e-3"};
  const urdf::ModelInterfaceSharedPtr model = urdf::parseURDF(robot.source_text);
  if (!model) return Error{robot.source, "cannot be parsed as a URDF", "check it with heft check"};

  ShapeReader reader(robot, *model, options);
  BoundingEllipsoids result;
  for (const Body& body : robot.bodies) {
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
