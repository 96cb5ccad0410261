// Decimates a mesh by clustering its vertices in the cells of a grid [Rossignac, Borrel 1993].
#include <algorithm>
#include <array>
#include <cstdint>
#include <set>
#include <unordered_map>

#include "geometry/outline.hpp"

namespace heft {

namespace {

constexpr int kFinestGrid = 128;            // cells along the longest side
constexpr double kCoarser = 0.8;            // from one grid to the next
constexpr Eigen::Index kMinTriangles = 16;  // triangles of a coarsest grid: a cell a side has none

/// Corners that fall into one cell are one vertex, at their mean.
Outline clustered(const Mesh& mesh, int cells) {
  const Eigen::AlignedBox3d box = bounding_box(mesh);
  const double cell = box.sizes().maxCoeff() / cells;
  std::unordered_map<std::uint64_t, int> vertex_of_cell;
  std::vector<Eigen::Vector3d> sums;
  std::vector<int> counts, vertex_of_corner;
  for (const auto& corner : mesh.corners.colwise()) {
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double place = cell > 0 ? (corner[axis] - box.min()[axis]) / cell : 0;
      key = key << 21 | static_cast<std::uint64_t>(place);
    }
    const auto [entry, is_new] = vertex_of_cell.try_emplace(key, static_cast<int>(sums.size()));
    if (is_new) {
      sums.push_back(Eigen::Vector3d::Zero());
      counts.push_back(0);
    }
    sums[entry->second] += corner;
    ++counts[entry->second];
    vertex_of_corner.push_back(entry->second);
  }

  std::set<std::array<int, 3>> seen;  // triangles by their vertices in order of number
  std::vector<Eigen::Vector3i> faces;
  for (std::size_t k = 0; k + 2 < vertex_of_corner.size(); k += 3) {
    std::array<int, 3> face{vertex_of_corner[k], vertex_of_corner[k + 1], vertex_of_corner[k + 2]};
    const Eigen::Vector3i turned(face[0], face[1], face[2]);
    std::sort(face.begin(), face.end());
    if (face[0] == face[1] || face[1] == face[2] || !seen.insert(face).second) continue;
    faces.push_back(turned);
  }
  Outline outline;
  outline.vertices.resize(3, static_cast<Eigen::Index>(sums.size()));
  for (std::size_t v = 0; v < sums.size(); ++v)
    outline.vertices.col(static_cast<Eigen::Index>(v)) = (sums[v] / counts[v]).cast<float>();
  outline.faces.resize(3, static_cast<Eigen::Index>(faces.size()));
  for (std::size_t f = 0; f < faces.size(); ++f)
    outline.faces.col(static_cast<Eigen::Index>(f)) = faces[f];
  return outline;
}

Outline as_it_is(const Mesh& mesh) {
  Outline outline;
  outline.vertices = mesh.corners.cast<float>();
  outline.faces =
      Eigen::VectorXi::LinSpaced(mesh.corners.cols(), 0, static_cast<int>(mesh.corners.cols()) - 1)
          .reshaped(3, mesh.num_triangles());
  return outline;
}

}  // namespace

Outline decimated(const Mesh& mesh, Eigen::Index max_triangles) {
  if (mesh.num_triangles() == 0) return {};
  if (mesh.num_triangles() <= std::max(kMinTriangles, max_triangles)) return as_it_is(mesh);
  for (double cells = kFinestGrid;; cells *= kCoarser) {
    Outline outline = clustered(mesh, std::max(1, static_cast<int>(cells)));
    if (outline.faces.cols() <= std::max(kMinTriangles, max_triangles) || cells <= 1)
      return outline;
  }
}

}  // namespace heft
