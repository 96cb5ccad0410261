// The connected parts of a mesh, and whether each faces outwards.
#pragma once

#include <vector>

#include "geometry/mesh.hpp"

#pragma GCC visibility push(default)
namespace heft {

struct MeshPart {
  std::vector<Eigen::Index> triangles;  ///< of the mesh
  double volume = 0;                    ///< signed: negative where the triangles face inwards [m^3]
};

/// Triangles that share corners, exactly as they are written, belong to one part. In the order of
/// their first triangles.
std::vector<MeshPart> parts_of(const Mesh& mesh);

/// The first part whose triangles face another way than they must: of a mesh that faces outwards as
/// a whole, one that faces inwards and is no cavity, since it does not lie inside the others; -1 if
/// there is none. At most 64 parts that face inwards are looked at.
int part_inside_out(const Mesh& mesh, const std::vector<MeshPart>& parts);

}  // namespace heft
#pragma GCC visibility pop
