// Ellipsoids around the shapes of a robot file: where the mass of a body can be (BoundingVolume of
// constraints.hpp). Threads: any number of threads may call, each with objects of its own; what is
// const may be shared.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/model/robot.hpp"
#include "heft/robot/robot_document.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The points center + R (semi_axes o u), |u| <= 1.
struct Ellipsoid {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();     ///< [m]
  Eigen::Vector3d semi_axes = Eigen::Vector3d::Ones();  ///< [m], along the columns of R, the
                                                        ///< longest first
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();      ///< a rotation
};

/// The smallest ellipsoid around points, one a column [m], by Khachiyan's algorithm: it contains
/// all of them, and its volume exceeds the least possible by at most the factor (1 + tolerance)^3.
/// Points that lie in a plane, or nearly, get an ellipsoid of thickness 1e-3 of their extent. Fails
/// without points, on numbers that are not finite, on points that all coincide, and on a tolerance
/// that is not above zero or so small that rounding keeps it out of reach.
Result<Ellipsoid> enclosing_ellipsoid(const Eigen::Matrix3Xd& points, double tolerance = 1e-3);

struct BoundingOptions {
  ShapeUse shapes = ShapeUse::collision;  ///< a link without any takes the other kind
  double tolerance = 1e-3;                ///< of enclosing_ellipsoid
  double inflation = 1;  ///< factor on the semi-axes: shells and cables outside the shapes
  /// Where meshes of package://.. and of relative paths may be, besides near the robot file.
  std::vector<std::string> package_folders;
};

/// A file that was read.
struct MeshFile {
  std::string path;
  std::string sha256;
};

struct BoundingEllipsoids {
  /// One per Robot::bodies, in the body's frame and around all links that ride on it; none without
  /// shapes.
  std::vector<std::optional<Ellipsoid>> bodies;
  std::vector<std::string> without_shapes;  ///< bodies that have none, rotors among them
  std::vector<MeshFile> meshes;             ///< in the order in which they were read first
};

/// Reads the shapes from the robot's own file: boxes, cylinders, spheres and meshes. Spheres and
/// cylinders are replaced by polyhedra around them, at most 3 % larger. Errors name link and file:
/// a mesh that cannot be found or read, shapes of no extent; a file that cannot be parsed, options
/// that make no sense; stopped().
Result<BoundingEllipsoids> bounding_ellipsoids(const Robot& robot,
                                               const BoundingOptions& options = {},
                                               const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
