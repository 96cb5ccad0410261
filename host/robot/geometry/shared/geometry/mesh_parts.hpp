// The connected parts of a mesh, and whether each faces outward.
#pragma once

#include <vector>

#include "geometry/mesh.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// A connected part of a mesh.
struct MeshPart {
  std::vector<Eigen::Index> triangles;  ///< of the mesh
  double volume = 0;                    ///< signed: negative if the triangles face inward [m^3]
};

/// Returns the connected parts, in the order of their first triangles. Triangles that share exactly
/// equal vertices belong to one part.
std::vector<MeshPart> parts_of(const Mesh& mesh);

/// Returns the first part with the wrong orientation: in a mesh that faces outward as a whole, a
/// part that faces inward but is not a cavity, because it is not inside the others; -1 if there is
/// none. Checks at most 64 parts that face inward.
int part_inside_out(const Mesh& mesh, const std::vector<MeshPart>& parts);

}  // namespace heft
#pragma GCC visibility pop
