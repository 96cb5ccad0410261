// bounding_ellipsoids: the shapes of all links that ride on a body as points in its frame, and the ellipsoid
// around them.
#include <fmt/format.h>
#include <urdf_model/model.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numbers>
#include <vector>

#include "heft/bounding.hpp"
#include "host/geometry/mesh.hpp"
#include "host/geometry/mesh_path.hpp"

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

bool is_stl(std::string path) {
  std::transform(path.begin(), path.end(), path.begin(), [](unsigned char c) { return std::tolower(c); });
  return path.ends_with(".stl");
}

Result<Eigen::Matrix3Xd> mesh_points(const urdf::Mesh& shape, const std::string& urdf_path,
                                     const BoundingOptions& options) {
  const std::string path = find_mesh(shape.filename, urdf_path, options.package_folders);
  if (path.empty()) return Error{shape.filename, "cannot be found", "name the folder of its package"};
  if (!is_stl(path)) return Error{path, "is not an STL file", "export it as STL"};
  HEFT_TRY(mesh, read_stl(path));
  return Eigen::Matrix3Xd(Eigen::Vector3d(shape.scale.x, shape.scale.y, shape.scale.z).asDiagonal() *
                          mesh.corners);
}

// in the axes of the shape
Result<Eigen::Matrix3Xd> shape_points(const urdf::Geometry& shape, const std::string& urdf_path,
                                      const BoundingOptions& options) {
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
      return mesh_points(static_cast<const urdf::Mesh&>(shape), urdf_path, options);
  }
  return Error{"shape", "of a kind that is not known", ""};
}

class Bounder {
 public:
  Bounder(const Robot& robot, const urdf::ModelInterface& model, const BoundingOptions& options)
      : robot_(robot), model_(model), options_(options) {}

  Result<Ellipsoid> around(const Body& body) const {
    std::vector<std::string> links = body.merged_links;
    links.insert(links.begin(), body.name);
    Eigen::Matrix3Xd points(3, 0);
    for (const std::string& name : links) {
      const urdf::LinkConstSharedPtr link = model_.getLink(name);
      if (!link) return Error{name, "is not a link of the URDF", ""};
      HEFT_CHECK(add_link(pose(*link, body.name), *link, points));
    }
    if (points.cols() == 0) return Error{body.name, "has no shapes", "add a collision shape to the URDF"};
    HEFT_TRY(ellipsoid, enclosing_ellipsoid(points, options_.tolerance));
    ellipsoid.semi_axes *= options_.inflation;
    return ellipsoid;
  }

 private:
  // of a link in the frame of the one that carries it, through fixed joints
  Eigen::Isometry3d pose(const urdf::Link& link, const std::string& carrier) const {
    Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
    const urdf::Link* at = &link;
    while (at->name != carrier && at->parent_joint) {
      X = isometry(at->parent_joint->parent_to_joint_origin_transform) * X;
      at = model_.getLink(at->parent_joint->parent_link_name).get();
    }
    return X;
  }

  Result<Done> add_link(const Eigen::Isometry3d& X, const urdf::Link& link, Eigen::Matrix3Xd& points) const {
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
  Result<Done> add_shape(const Eigen::Isometry3d& X, const Element& element, Eigen::Matrix3Xd& points) const {
    if (!element.geometry) return Error{robot_.source, "has a shape without geometry", "mend the URDF"};
    HEFT_TRY(local, shape_points(*element.geometry, robot_.source, options_));
    const Eigen::Index count = points.cols();
    points.conservativeResize(3, count + local.cols());
    points.rightCols(local.cols()) = X * isometry(element.origin) * local;
    return Done{};
  }

  const Robot& robot_;
  const urdf::ModelInterface& model_;
  const BoundingOptions& options_;
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

  const Bounder bounder(robot, *model, options);
  BoundingEllipsoids result;
  for (const Body& body : robot.bodies) {
    result.bodies.emplace_back();
    if (body.is_rotor || !body.has_parameters) continue;
    auto ellipsoid = bounder.around(body);
    if (ellipsoid) {
      result.bodies.back() = *ellipsoid;
    } else {
      const Error& error = ellipsoid.error();
      result.notes.push_back(
          fmt::format("no bounding ellipsoid for {}: {} {}", body.name, error.where, error.what));
    }
  }
  return result;
}

}  // namespace heft
