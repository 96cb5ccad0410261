// Ellipsoids around the shapes of a robot file, which bound the location of a body's mass
// (BoundingVolume of constraints.hpp). Threads: safe to call from several threads on separate
// objects; const objects may be shared.
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

/// The ellipsoid of points center + R (semi_axes o u), |u| <= 1.
struct Ellipsoid {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();     ///< [m]
  Eigen::Vector3d semi_axes = Eigen::Vector3d::Ones();  ///< [m], along the columns of R, longest
                                                        ///< first
  Eigen::Matrix3d R = Eigen::Matrix3d::Identity();      ///< rotation to the axes of the ellipsoid
};

/// Returns the smallest ellipsoid that contains all points, one per column [m], by Khachiyan's
/// algorithm. Its volume exceeds the minimum by at most the factor (1 + tolerance)^3. Points that
/// are coplanar, or nearly so, get an ellipsoid of thickness 1e-3 of their extent. Errors: no
/// points, numbers that are not finite, points that all coincide, a tolerance that is not positive
/// or that rounding prevents from being reached.
Result<Ellipsoid> enclosing_ellipsoid(const Eigen::Matrix3Xd& points, double tolerance = 1e-3);

/// Which shapes are enclosed, and how tightly.
struct BoundingOptions {
  ShapeUse shapes = ShapeUse::collision;  ///< a link without shapes of this kind uses the other
                                          ///< kind
  double tolerance = 1e-3;                ///< of enclosing_ellipsoid
  double inflation = 1;  ///< factor on the semi-axes, for shells and cables outside the shapes
  /// Folders in which meshes of package://.. and relative paths are searched after those near the
  /// robot file.
  std::vector<std::string> package_folders;
};

/// A mesh file that was read.
struct MeshFile {
  std::string path;
  std::string sha256;
};

/// Ellipsoids of the bodies of a robot.
struct BoundingEllipsoids {
  /// One per Robot::bodies, in the body's frame and around all links merged into it; empty without
  /// shapes.
  std::vector<std::optional<Ellipsoid>> bodies;
  std::vector<std::string> without_shapes;  ///< bodies without shapes, including rotors
  std::vector<MeshFile> meshes;             ///< in the order of first reading
};

/// Returns the ellipsoids around the shapes of the robot's own file: boxes, cylinders, spheres and
/// meshes. Spheres and cylinders are replaced by enclosing polyhedra that are at most 3 % larger.
/// Errors name link and file: a mesh that cannot be found or read, shapes of zero extent, a file
/// that cannot be parsed, invalid options; stopped().
Result<BoundingEllipsoids> bounding_ellipsoids(const Robot& robot,
                                               const BoundingOptions& options = {},
                                               const Progress& progress = {});

}  // namespace heft
#pragma GCC visibility pop
