// A surface as a triangle soup, and the moments of uniform matter inside it.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "geometry/solid.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Triangles with materials.
struct Mesh {
  /// Consecutive triangles with one material, named as in OBJ and DAE.
  struct Stretch {
    std::string material;
    Eigen::Index num_triangles = 0;
  };

  Eigen::Matrix3Xd corners;  ///< three columns per triangle, counter-clockwise seen from outside
  std::vector<Stretch> materials;  ///< covers all triangles in order; a material may occur several
                                   ///< times

  Eigen::Index num_triangles() const { return corners.cols() / 3; }
};

/// Parses the mesh in the bytes of a file. The ending of `path` determines the format: STL (binary
/// or text), OBJ, DAE. Vertices of DAE are converted to meters by the file's <unit>, in its own
/// axes; those of other formats are unchanged. Errors name `path`: another format, a truncated or
/// damaged file, no triangle, a vertex that is not finite.
Result<Mesh> mesh_of(const std::string& path, const std::string& bytes);

/// Reads and parses a mesh file.
Result<Mesh> read_mesh(const std::string& path);

/// Rewrites an STL in a form that Assimp always reads correctly. Errors: a truncated file, a vertex
/// that is not a number, a triangle without three vertices, no triangle.
Result<std::string> plain_stl(const std::string& path, const std::string& bytes);

/// Does the work of mesh_of for the `format` "stl", "obj" or "dae", without checks of triangles and
/// vertices.
Result<Mesh> parse_scene(const std::string& path, const std::string& bytes,
                         const std::string& format);

/// Returns the triangles of one material. Error: no material of that name.
Result<Mesh> of_material(const std::string& path, const Mesh& mesh, const std::string& material);

Eigen::AlignedBox3d bounding_box(const Mesh& mesh);

/// Returns whether the area vectors add up to zero (within `tolerance` of the total area), as on
/// every closed surface; an open shell has no defined volume.
bool is_closed(const Mesh& mesh, double tolerance = 1e-2);

/// Returns the solid enclosed by a closed mesh, from signed tetrahedra between its triangles and
/// the origin. If all triangles face inward, they are flipped.
Solid enclosed_solid(const Mesh& mesh);

}  // namespace heft
#pragma GCC visibility pop
