// Stationary solids around a robot, given by their distance functions: the floor and obstacles.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "clearance/hull.hpp"
#include "heft/clearance/options.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The floor or an obstacle.
struct WorldSolid {
  std::string name;
  bool is_floor = false;  ///< everything below the plane z = level
  double level = 0;       ///< [m]
  Shape shape;            ///< obstacles only
  Hull hull;              ///< obstacles only, in base axes; a cylinder is an enclosing prism

  /// Returns the signed distance of a point from the surface, negative inside; `slope` is its
  /// gradient, a unit vector.
  double distance(const Eigen::Vector3d& point, Eigen::Vector3d& slope) const;
};

/// Makes an obstacle. Errors name it: sizes that are not positive, a mesh.
Result<WorldSolid> make_obstacle(const Obstacle& obstacle);
WorldSolid make_floor(double level);

}  // namespace heft
#pragma GCC visibility pop
