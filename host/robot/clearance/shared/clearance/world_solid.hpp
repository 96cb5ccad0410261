// What stands still around a robot, as a function of distance: the floor, and obstacles.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "clearance/hull.hpp"
#include "heft/clearance/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct WorldSolid {
  std::string name;
  bool is_floor = false;  ///< all below the plane z = level
  double level = 0;       ///< [m]
  Shape shape;            ///< of an obstacle
  Hull hull;              ///< of an obstacle, in base axes: a cylinder as a prism around it

  /// Signed distance of a point from the surface, negative inside, and its slope by the point: a
  /// unit vector.
  double distance(const Eigen::Vector3d& point, Eigen::Vector3d& slope) const;
};

/// Errors name the obstacle: sizes that are not positive, a mesh.
Result<WorldSolid> make_obstacle(const Obstacle& obstacle);
WorldSolid make_floor(double level);

}  // namespace heft
#pragma GCC visibility pop
