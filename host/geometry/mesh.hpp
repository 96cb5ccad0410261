// A surface as a soup of triangles, and what uniform matter inside it would weigh like.
#pragma once

#include <Eigen/Geometry>
#include <string>

#include "heft/result.hpp"
#include "host/geometry/solid.hpp"

namespace heft {

struct Mesh {
  Eigen::Matrix3Xd corners;  ///< three columns a triangle, counter-clockwise seen from outside

  Eigen::Index num_triangles() const { return corners.cols() / 3; }
};

/// Reads an STL file, binary or text, in the file's own units. Errors: unreadable or cut-off file, no
/// triangle, a corner that is not finite.
Result<Mesh> read_stl(const std::string& path);

Eigen::AlignedBox3d bounding_box(const Mesh& mesh);

/// True if the area vectors add up to nothing (to `tolerance` of the whole area), as they do on every closed
/// surface: an open shell has no volume to speak of.
bool is_closed(const Mesh& mesh, double tolerance = 1e-2);

/// What a closed mesh encloses: signed tetrahedra between its triangles and the origin. Triangles that all
/// face inwards count as facing outwards.
Solid enclosed_solid(const Mesh& mesh);

}  // namespace heft
