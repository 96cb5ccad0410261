// Convex hulls of shapes and verified lower bounds of their distances.
#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct HullGeometry;  ///< data of the distance library

/// All points within `radius` of the convex hull of `points`.
struct Hull {
  Eigen::Matrix3Xd points;  ///< vertices only [m]
  double radius = 0;        ///< [m]
  std::vector<std::pair<int, int>> edges;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< center of a sphere around the hull
  double reach = 0;                                  ///< radius of that sphere
  std::shared_ptr<const HullGeometry> geometry;
};

/// Returns whether this build can make hulls, which needs FCL and Qhull.
bool can_make_hulls();

/// Returns the hull of points, one per column. Coplanar points are allowed; all of them remain
/// vertices. Errors: no points, numbers that are not finite, a build without Qhull.
Result<Hull> make_hull(const Eigen::Matrix3Xd& points, double radius = 0);

/// Returns {center, radius} of a sphere around points; the radius is about 1 % above the minimum.
std::pair<Eigen::Vector3d, double> enclosing_sphere(const Eigen::Matrix3Xd& points);

/// A separating plane between two hulls: `axis` is a unit vector from the first to the second, and
/// `distance` is a lower bound of their distance from their vertices alone; negative if the plane
/// does not separate them.
struct Parting {
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();
  double distance = 0;  ///< [m]
};

/// Returns the separation of the vertices along `axis` (base axes, unit length); X are the poses of
/// the hulls' frames.
double parted_along(const Eigen::Vector3d& axis, const Hull& first,
                    const Eigen::Isometry3d& X_first, const Hull& second,
                    const Eigen::Isometry3d& X_second);

/// Returns the separating plane at the nearest points that FCL finds. The bound is valid whatever
/// FCL returns, because it is computed from all vertices. If hulls intersect, the distance is 0 and
/// the axis is zero.
Parting hull_distance(const Hull& first, const Eigen::Isometry3d& X_first, const Hull& second,
                      const Eigen::Isometry3d& X_second);

}  // namespace heft
#pragma GCC visibility pop
