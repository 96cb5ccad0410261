// Convex hulls of shapes and how far they are from each other, with a proof.
#pragma once

#include <Eigen/Geometry>
#include <memory>
#include <vector>

#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct HullGeometry;  ///< as the library of distances wants it

/// All points that are no further than `radius` from the convex hull of `points`.
struct Hull {
  Eigen::Matrix3Xd points;  ///< corners alone [m]
  double radius = 0;        ///< [m]
  std::vector<std::pair<int, int>> edges;
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< of a sphere around all of it
  double reach = 0;                                  ///< its radius
  std::shared_ptr<const HullGeometry> geometry;
};

/// Whether this build can make hulls: it has FCL and Qhull.
bool can_make_hulls();

/// The hull of points, one a column. Fails without points, on numbers that are not finite, and
/// without Qhull. Points in a plane are no error: all of them stay corners.
Result<Hull> make_hull(const Eigen::Matrix3Xd& points, double radius = 0);

/// A sphere around points: {center, radius}; the radius is about 1 % above the least.
std::pair<Eigen::Vector3d, double> enclosing_sphere(const Eigen::Matrix3Xd& points);

/// A plane between two hulls: `axis` is a unit vector from the first to the second, and no less
/// than `distance` apart they lie, by their corners alone; negative if the plane does not part
/// them.
struct Parting {
  Eigen::Vector3d axis = Eigen::Vector3d::Zero();
  double distance = 0;  ///< [m]
};

/// How far apart the corners are along `axis` (base axes, unit length); X are the poses of the
/// hulls' frames.
double parted_along(const Eigen::Vector3d& axis, const Hull& first,
                    const Eigen::Isometry3d& X_first, const Hull& second,
                    const Eigen::Isometry3d& X_second);

/// The plane at the nearest points that FCL finds. What is returned holds whatever FCL does: it is
/// computed from all corners. Where hulls meet, the distance is 0 and the axis is zero.
Parting hull_distance(const Hull& first, const Eigen::Isometry3d& X_first, const Hull& second,
                      const Eigen::Isometry3d& X_second);

}  // namespace heft
#pragma GCC visibility pop
