#include "interior_points.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace heft::payload {

namespace {

constexpr double kDensity = 0.04;  // points a cm^3, as published
constexpr double kAtLeast = 100, kAtMost = 5000;
constexpr double kMaxWork = 2e8;   // lines times triangles
constexpr double kMaxCells = 4e6;  // around a mesh, which may fill little of the box around it
constexpr double kCubicCentimeter = 1e-6;

double spacing_for(double volume, double density) {
  const double wanted = density > 0 ? density * volume / kCubicCentimeter
                                    : std::max(kDensity * volume / kCubicCentimeter, kAtLeast);
  return std::cbrt(volume / std::clamp(wanted, 4.0, kAtMost));
}

/// Cells along the axes of a box: at least one, about `spacing` wide; wider where there would be
/// more than `most`, as in a flat box.
Eigen::Vector3i cells_of(const Eigen::Vector3d& size, double spacing, double most) {
  Eigen::Array3d cells = Eigen::Array3d::Ones();
  if (!(spacing > 0)) return cells.cast<int>();  // below which a volume is zero in double precision
  do {
    cells = (size.array() / spacing).round().max(1).min(kAtMost);
    spacing *= 1.5;
  } while (cells.prod() > most);
  return cells.cast<int>();
}

/// Crossings of a line along x through (y, z) with the surface; the inside lies between the first
/// and the second, and so on.
std::vector<double> crossings(const Eigen::Matrix3Xd& corners, double y, double z) {
  std::vector<double> at;
  for (Eigen::Index k = 0; k + 2 < corners.cols(); k += 3) {
    const Eigen::Vector3d a = corners.col(k), b = corners.col(k + 1), c = corners.col(k + 2);
    const double area = (b.y() - a.y()) * (c.z() - a.z()) - (c.y() - a.y()) * (b.z() - a.z());
    if (area == 0) continue;
    const double v = ((y - a.y()) * (c.z() - a.z()) - (c.y() - a.y()) * (z - a.z())) / area,
                 w = ((b.y() - a.y()) * (z - a.z()) - (y - a.y()) * (b.z() - a.z())) / area;
    if (v >= 0 && w >= 0 && v + w <= 1)
      at.push_back(a.x() + v * (b.x() - a.x()) + w * (c.x() - a.x()));
  }
  std::sort(at.begin(), at.end());
  return at;
}

void put(const std::vector<Eigen::Vector3d>& points, double volume, PayloadShape& shape) {
  shape.points.resize(3, static_cast<Eigen::Index>(points.size()));
  for (std::size_t i = 0; i < points.size(); ++i)
    shape.points.col(static_cast<Eigen::Index>(i)) = points[i];
  const double count = std::max<double>(1, static_cast<double>(points.size()));
  shape.volumes.setConstant(shape.points.cols(), volume / count);
}

}  // namespace

void fill_evenly(const Eigen::Matrix3Xd& corners, double volume, double density,
                 PayloadShape& shape) {
  constexpr double kOff = 1e-4;  // of a cell: lines that do not run along edges
  const Eigen::Vector3d low = corners.rowwise().minCoeff(),
                        size = corners.rowwise().maxCoeff() - low;
  double spacing = spacing_for(volume, density);
  std::vector<Eigen::Vector3d> points;
  // thin shapes contain few cell centers: refine until the points represent half of the volume
  for (int round = 0; round < 4; ++round, spacing /= 1.5) {
    points.clear();
    Eigen::Vector3i cells = cells_of(size, spacing, kMaxCells);
    // every line tests every triangle
    const double most =
        std::clamp(std::sqrt(kMaxWork / static_cast<double>(corners.cols() / 3 + 1)), 1.0, 256.0);
    for (const int axis : {1, 2}) cells[axis] = std::min(cells[axis], static_cast<int>(most));
    const Eigen::Vector3d step = size.cwiseQuotient(cells.cast<double>());
    for (int j = 0; j < cells.y(); ++j)
      for (int k = 0; k < cells.z(); ++k) {
        const double y = low.y() + (j + 0.5 + kOff) * step.y(),
                     z = low.z() + (k + 0.5 + 1.7 * kOff) * step.z();
        const std::vector<double> at = crossings(corners, y, z);
        if (at.size() % 2 != 0) continue;
        for (int i = 0; i < cells.x(); ++i) {
          const double x = low.x() + (i + 0.5) * step.x();
          const auto before = std::upper_bound(at.begin(), at.end(), x) - at.begin();
          if (before % 2 == 1) points.emplace_back(x, y, z);
        }
      }
    if (static_cast<double>(points.size()) * spacing * spacing * spacing > 0.5 * volume) break;
  }
  put(points, volume, shape);
}

void fill_primitive(const PayloadPrimitive& primitive, double volume, double density,
                    PayloadShape& shape) {
  const Eigen::Vector3i cells = cells_of(primitive.size, spacing_for(volume, density), 2 * kAtMost);
  std::vector<Eigen::Vector3d> points;
  for (int i = 0; i < cells.x(); ++i)
    for (int j = 0; j < cells.y(); ++j)
      for (int k = 0; k < cells.z(); ++k) {
        const Eigen::Vector3d share =  // of the box around it, from -1/2 to 1/2
            (Eigen::Array3d(i, j, k) + 0.5) / cells.cast<double>().array() - 0.5;
        const bool is_inside =
            primitive.kind == PayloadPrimitive::Kind::box ||
            (primitive.kind == PayloadPrimitive::Kind::ball ? share.norm() <= 0.5
                                                            : share.head<2>().norm() <= 0.5);
        if (is_inside) points.emplace_back(share.cwiseProduct(primitive.size));
      }
  put(points, volume, shape);
}

}  // namespace heft::payload
