#include "geometry/mesh_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "linalg/factorizations.hpp"

namespace heft {

namespace {

/// Union-find over corners of triangles.
class Sets {
 public:
  explicit Sets(Eigen::Index size) : parent_(static_cast<std::size_t>(size)) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }
  std::size_t find(std::size_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  void join(std::size_t i, std::size_t j) {
    i = find(i), j = find(j);
    parent_[std::max(i, j)] = std::min(i, j);
  }

 private:
  std::vector<std::size_t> parent_;
};

/// Winding number of triangles around a point: 1 inside the volume that they enclose, facing
/// outward, 0 outside (sum of solid angles, van Oosterom and Strackee 1983).
double winding_number(const Mesh& mesh, const std::vector<MeshPart>& parts, std::size_t without,
                      const Eigen::Vector3d& point) {
  double angle = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (p == without) continue;
    for (const Eigen::Index triangle : parts[p].triangles) {
      const Eigen::Matrix3d v = mesh.corners.middleCols<3>(3 * triangle).colwise() - point;
      const double a = v.col(0).norm(), b = v.col(1).norm(), c = v.col(2).norm();
      angle += 2 * std::atan2(v.determinant(), a * b * c + v.col(0).dot(v.col(1)) * c +
                                                   v.col(1).dot(v.col(2)) * a +
                                                   v.col(2).dot(v.col(0)) * b);
    }
  }
  return angle / (4 * std::numbers::pi);
}

}  // namespace

std::vector<MeshPart> parts_of(const Mesh& mesh) {
  const Eigen::Index num_corners = mesh.corners.cols();
  Sets sets(num_corners);
  for (Eigen::Index k = 0; k + 2 < num_corners; k += 3)
    for (const Eigen::Index other : {k + 1, k + 2})
      sets.join(static_cast<std::size_t>(k), static_cast<std::size_t>(other));
  std::vector<Eigen::Index> order(static_cast<std::size_t>(num_corners));
  std::iota(order.begin(), order.end(), Eigen::Index{0});
  const auto key = [&](Eigen::Index k) {
    return std::array<double, 3>{mesh.corners(0, k), mesh.corners(1, k), mesh.corners(2, k)};
  };
  std::sort(order.begin(), order.end(),
            [&](Eigen::Index i, Eigen::Index j) { return key(i) < key(j); });
  for (std::size_t k = 1; k < order.size(); ++k)
    if (key(order[k - 1]) == key(order[k]))
      sets.join(static_cast<std::size_t>(order[k - 1]), static_cast<std::size_t>(order[k]));
  std::vector<int> part_of(static_cast<std::size_t>(num_corners), -1);
  std::vector<MeshPart> parts;
  for (Eigen::Index k = 0; k + 2 < num_corners; k += 3) {
    int& part = part_of[sets.find(static_cast<std::size_t>(k))];
    if (part < 0) {
      part = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    MeshPart& found = parts[static_cast<std::size_t>(part)];
    found.triangles.push_back(k / 3);
  }
  for (MeshPart& part : parts) {
    // about one of its own vertices, so that a small distant part keeps its digits
    const Eigen::Vector3d origin = mesh.corners.col(3 * part.triangles.front());
    for (const Eigen::Index triangle : part.triangles) {
      const Eigen::Matrix3d v = mesh.corners.middleCols<3>(3 * triangle).colwise() - origin;
      part.volume += v.determinant() / 6;
    }
  }
  return parts;
}

int part_inside_out(const Mesh& mesh, const std::vector<MeshPart>& parts) {
  constexpr int kMaxLooks = 64;
  double volume = 0;
  for (const MeshPart& part : parts) volume += part.volume;
  const double outwards = volume < 0 ? -1 : 1;
  int looks = 0;
  for (std::size_t p = 0; p < parts.size() && looks < kMaxLooks; ++p) {
    if (outwards * parts[p].volume >= 0) continue;
    ++looks;
    const Eigen::Vector3d corner = mesh.corners.col(3 * parts[p].triangles.front());
    if (outwards * winding_number(mesh, parts, p, corner) < 0.5) return static_cast<int>(p);
  }
  return -1;
}

}  // namespace heft
