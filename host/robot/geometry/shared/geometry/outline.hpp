// Surfaces of bodies for drawing: the shapes of a robot file as few triangles. Nothing is computed
// from them.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "geometry/mesh.hpp"
#include "heft/model/robot.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Triangles with shared corners, in the frame of their body.
struct Outline {
  Eigen::Matrix3Xf vertices;  ///< [m]
  Eigen::Matrix3Xi faces;     ///< columns of `vertices`
};

/// The mesh with at most `max_triangles` (16 or more): corners within a cell of a grid become their
/// mean, and what then has no area is left out. The grid is the finest that is coarse enough of
/// those tried, from 128 cells along the longest side downwards; no corner moves by more than a
/// cell's diagonal. A mesh that is small enough keeps its triangles.
Outline decimated(const Mesh& mesh, Eigen::Index max_triangles);

struct OutlineOptions {
  Eigen::Index max_triangles = 24000;  ///< of all bodies together
  std::size_t max_bytes = 32u << 20;   ///< of all mesh files that are read; what would exceed it is
                                       ///< not drawn
  std::vector<std::string> package_folders;  ///< BoundingOptions::package_folders
};

struct Outlines {
  std::vector<Outline> bodies;  ///< one per Robot::bodies; without vertices if there is nothing to
                                ///< draw
  std::vector<std::string> missing;  ///< links with a shape that could not be read
};

/// The visual shapes of all links that ride on a body; of a link without any that can be read, the
/// collision shapes. What cannot be read is no error: it is named in `missing`.
Outlines outlines_of(const Robot& robot, const OutlineOptions& options = {});

}  // namespace heft
#pragma GCC visibility pop
