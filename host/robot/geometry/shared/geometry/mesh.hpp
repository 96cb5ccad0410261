// A surface as a soup of triangles, and the moments of uniform matter inside it.
#pragma once

#include <Eigen/Geometry>
#include <string>
#include <vector>

#include "geometry/solid.hpp"
#include "heft/base/result.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct Mesh {
  /// Triangles one after another that have one material, as OBJ and DAE name it.
  struct Stretch {
    std::string material;
    Eigen::Index num_triangles = 0;
  };

  Eigen::Matrix3Xd corners;  ///< three columns a triangle, counter-clockwise seen from outside
  std::vector<Stretch> materials;  ///< of all triangles, in their order; a material may come again

  Eigen::Index num_triangles() const { return corners.cols() / 3; }
};

/// The mesh in the bytes of a file, whose format the end of its name tells: STL (binary or text),
/// OBJ, DAE. Corners of DAE are in meters by the file's <unit>, in its own axes; those of the
/// others are numbers as they stand. `path` only names it in errors: another format, a file that is
/// cut off or broken, no triangle, a corner that is not finite.
Result<Mesh> mesh_of(const std::string& path, const std::string& bytes);

/// Reads the file and its mesh.
Result<Mesh> read_mesh(const std::string& path);

/// The same STL as Assimp reads it without fail. Errors: a file that is cut off, a corner that is
/// no number, a triangle without three corners, no triangle.
Result<std::string> plain_stl(const std::string& path, const std::string& bytes);

/// mesh_of for the `format` "stl", "obj" or "dae"; triangles and corners are not checked yet.
Result<Mesh> parse_scene(const std::string& path, const std::string& bytes,
                         const std::string& format);

/// The triangles of one material. Error: there is none of that name.
Result<Mesh> of_material(const std::string& path, const Mesh& mesh, const std::string& material);

Eigen::AlignedBox3d bounding_box(const Mesh& mesh);

/// True if the area vectors add up to nothing (to `tolerance` of the whole area), as they do on
/// every closed surface: an open shell has no volume to speak of.
bool is_closed(const Mesh& mesh, double tolerance = 1e-2);

/// What a closed mesh encloses: signed tetrahedra between its triangles and the origin. Triangles
/// that all face inwards count as facing outwards.
Solid enclosed_solid(const Mesh& mesh);

}  // namespace heft
#pragma GCC visibility pop
