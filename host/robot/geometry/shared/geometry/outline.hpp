// Surfaces of bodies for drawing: the shapes of a robot file with few triangles. Not used for
// computations.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "geometry/mesh.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Triangles with shared vertices, in the frame of their body.
struct Outline {
  Eigen::Matrix3Xf vertices;  ///< [m]
  Eigen::Matrix3Xi faces;     ///< columns of `vertices`
};

/// Returns the mesh with at most `max_triangles` (16 or more): vertices within a grid cell are
/// replaced by their mean, and triangles without area are removed. Uses the finest sufficient grid,
/// starting from 128 cells along the longest side; no vertex moves by more than a cell's diagonal.
/// A mesh that is small enough is unchanged.
Outline decimated(const Mesh& mesh, Eigen::Index max_triangles);

/// Limits of outlines_of().
struct OutlineOptions {
  Eigen::Index max_triangles = 24000;  ///< of all bodies together
  std::size_t max_bytes = 32u << 20;   ///< of all mesh files read; further meshes are not drawn
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders
};

/// The outlines of all bodies.
struct Outlines {
  std::vector<Outline> bodies;  ///< one per Robot::bodies; without vertices if there is nothing to
                                ///< draw
  std::vector<std::string> missing;  ///< links with a shape that could not be read
};

/// Returns the visual shapes of all links of each body; for a link without readable ones, its
/// collision shapes. Unreadable shapes are not an Error but listed in `missing`.
Outlines outlines_of(const Robot& robot, const OutlineOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
