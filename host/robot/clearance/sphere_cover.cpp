#include <algorithm>
#include <cmath>

#include "clearance/sphere_distances.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

namespace {

/// A convex part of a hull, with a sphere around it.
struct Part {
  Hull hull;
  Eigen::Vector3d axis;  ///< along its longest side
  double overhang = 0;   ///< of the sphere, over the thinnest side
};

Part part_of(const Hull& hull) {
  Part part{.hull = hull, .axis = Eigen::Vector3d::UnitX()};
  const Eigen::Matrix3Xd about = hull.points.colwise() - hull.points.rowwise().mean().eval();
  const SymmetricEigen<3> eigen(about * about.transpose());
  double thinnest = HUGE_VAL, longest = -1;
  for (int k = 0; k < 3; ++k) {
    const Eigen::RowVectorXd along = eigen.eigenvectors().col(k).transpose() * hull.points;
    const double extent = along.maxCoeff() - along.minCoeff();
    thinnest = std::min(thinnest, extent);
    if (extent > longest) longest = extent, part.axis = eigen.eigenvectors().col(k);
  }
  part.overhang = hull.reach - hull.radius - 0.5 * thinnest;
  return part;
}

/// The half space axis . x <= level, or >= if `sign` is -1.
Result<Hull> cut(const Hull& hull, const Eigen::Vector3d& axis, double level, int sign) {
  std::vector<Eigen::Vector3d> points;
  const Eigen::RowVectorXd along = sign * ((axis.transpose() * hull.points).array() - level);
  for (Eigen::Index i = 0; i < along.size(); ++i)
    if (along[i] <= 0) points.push_back(hull.points.col(i));
  for (const auto& [i, j] : hull.edges)
    if ((along[i] < 0 && along[j] > 0) || (along[i] > 0 && along[j] < 0)) {
      const double share = along[i] / (along[i] - along[j]);
      points.push_back((1 - share) * hull.points.col(i) + share * hull.points.col(j));
    }
  return make_hull(Eigen::Map<const Eigen::Matrix3Xd>(points.data()->data(), 3,
                                                      static_cast<Eigen::Index>(points.size())),
                   hull.radius);
}

}  // namespace

std::vector<CoverSphere> sphere_cover(const Hull& hull, double overhang, int most) {
  std::vector<Part> parts = {part_of(hull)};
  while (static_cast<int>(parts.size()) < most) {
    const auto worst = std::max_element(
        parts.begin(), parts.end(),
        [](const Part& left, const Part& right) { return left.overhang < right.overhang; });
    if (worst->overhang <= overhang) break;
    const Eigen::RowVectorXd along = worst->axis.transpose() * worst->hull.points;
    const double level = 0.5 * (along.minCoeff() + along.maxCoeff());
    const auto below = cut(worst->hull, worst->axis, level, 1),
               beyond = cut(worst->hull, worst->axis, level, -1);
    if (!below || !beyond) break;
    *worst = part_of(*below);
    parts.push_back(part_of(*beyond));
  }
  std::vector<CoverSphere> spheres;
  for (const Part& part : parts) spheres.push_back({part.hull.center, part.hull.reach});
  return spheres;
}

}  // namespace heft
