#include "geometry/mesh.hpp"

namespace heft {

Eigen::AlignedBox3d bounding_box(const Mesh& mesh) {
  if (mesh.corners.cols() == 0) return {};
  return {mesh.corners.rowwise().minCoeff(), mesh.corners.rowwise().maxCoeff()};
}

Result<Mesh> of_material(const std::string& path, const Mesh& mesh, const std::string& material) {
  Mesh part;
  std::string names;
  Eigen::Index first = 0;
  for (const Mesh::Stretch& stretch : mesh.materials) {
    const Eigen::Index size = 3 * stretch.num_triangles, before = part.corners.cols();
    if (names.find("'" + stretch.material + "'") == std::string::npos)
      names += (names.empty() ? "'" : ", '") + stretch.material + "'";
    if (stretch.material == material) {
      part.corners.conservativeResize(3, before + size);
      part.corners.rightCols(size) = mesh.corners.middleCols(first, size);
      part.materials.push_back(stretch);
    }
    first += size;
  }
  if (part.num_triangles() == 0)
    return Error{path, "has no triangle of material '" + material + "'",
                 names.empty() ? "name a file without '#', whose triangles have no materials"
                               : "one of: " + names};
  return part;
}

bool is_closed(const Mesh& mesh, double tolerance) {
  Eigen::Vector3d net = Eigen::Vector3d::Zero();
  double total = 0;
  for (Eigen::Index k = 0; k < mesh.corners.cols(); k += 3) {
    const Eigen::Vector3d a = mesh.corners.col(k);
    const Eigen::Vector3d area = (mesh.corners.col(k + 1) - a).cross(mesh.corners.col(k + 2) - a);
    net += area;
    total += area.norm();
  }
  return net.norm() <= tolerance * total;
}

// A tetrahedron (0, a, b, c) of signed volume v has the moments v (a + b + c) / 4 and
// v ((a + b + c)(a + b + c)' + aa' + bb' + cc') / 20.
Solid enclosed_solid(const Mesh& mesh) {
  Solid solid;
  for (Eigen::Index k = 0; k < mesh.corners.cols(); k += 3) {
    const Eigen::Matrix3d corners = mesh.corners.middleCols<3>(k);
    const double volume = corners.determinant() / 6;
    const Eigen::Vector3d sum = corners.rowwise().sum();
    solid += {volume, volume / 4 * sum,
              volume / 20 * (sum * sum.transpose() + corners * corners.transpose())};
  }
  if (solid.volume < 0) solid = {-solid.volume, -solid.first, -solid.second};
  return solid;
}

}  // namespace heft
