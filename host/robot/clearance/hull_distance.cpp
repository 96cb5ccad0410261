// hull_distance: nearest points from FCL's GJK, and the separating plane over all corners.
#include <cmath>
#include <exception>

#include "clearance/hull.hpp"
#include "hull_geometry.hpp"

#ifdef HEFT_HAS_FCL
#include <fcl/geometry/shape/convex.h>
#include <fcl/narrowphase/detail/gjk_solver_libccd.h>

// Compiles the used parts of FCL from its headers: its library accounted for two fifths of the
// symbol lookups at every start.
template class fcl::AABB<double>;
template class fcl::CollisionGeometry<double>;
template class fcl::ShapeBase<double>;
template class fcl::Convex<double>;
template class fcl::detail::GJKInitializer<double, fcl::Convex<double>>;
template fcl::detail::GJKSolver_libccd<double>::GJKSolver_libccd();
template bool fcl::detail::GJKDistance(void*, ccd_support_fn, void*, ccd_support_fn, unsigned int,
                                       double, double*, fcl::Vector3d*, fcl::Vector3d*);
#endif

namespace heft {

double parted_along(const Eigen::Vector3d& axis, const Hull& first,
                    const Eigen::Isometry3d& X_first, const Hull& second,
                    const Eigen::Isometry3d& X_second) {
  const Eigen::Vector3d of_first = X_first.linear().transpose() * axis,
                        of_second = X_second.linear().transpose() * axis;
  const double highest = (of_first.transpose() * first.points).maxCoeff() +
                         axis.dot(X_first.translation()),
               lowest = (of_second.transpose() * second.points).minCoeff() +
                        axis.dot(X_second.translation());
  return lowest - highest - first.radius - second.radius;
}

#ifdef HEFT_HAS_FCL

struct HullGeometry {
  fcl::Convex<double> convex;
};

std::shared_ptr<const HullGeometry> make_hull_geometry(
    const Eigen::Matrix3Xd& corners, const std::vector<std::array<int, 3>>& triangles) {
  auto points = std::make_shared<std::vector<fcl::Vector3<double>>>();
  for (Eigen::Index i = 0; i < corners.cols(); ++i) points->push_back(corners.col(i));
  auto faces = std::make_shared<std::vector<int>>();
  for (const auto& triangle : triangles)
    faces->insert(faces->end(), {3, triangle[0], triangle[1], triangle[2]});
  return std::make_shared<HullGeometry>(
      HullGeometry{fcl::Convex<double>(points, static_cast<int>(triangles.size()), faces)});
}

Parting hull_distance(const Hull& first, const Eigen::Isometry3d& X_first, const Hull& second,
                      const Eigen::Isometry3d& X_second) {
  const Parting meeting;
  fcl::detail::GJKSolver_libccd<double> solver;
  solver.distance_tolerance = 1e-7;
  solver.max_distance_iterations = 200;
  fcl::Vector3<double> nearest[2];
  double distance = 0;
  try {
    if (!solver.shapeDistance(first.geometry->convex, X_first, second.geometry->convex, X_second,
                              &distance, &nearest[0], &nearest[1]))
      return meeting;
  } catch (const std::exception&) {
    return meeting;  // it gives up where hulls touch
  }
  const Eigen::Vector3d between = nearest[1] - nearest[0];
  const double length = between.norm();
  if (!(length > 1e-9)) return meeting;
  Parting parting{.axis = between / length};
  parting.distance = parted_along(parting.axis, first, X_first, second, X_second);
  return parting.distance > 0 ? parting : meeting;
}

#else

struct HullGeometry {};

std::shared_ptr<const HullGeometry> make_hull_geometry(const Eigen::Matrix3Xd&,
                                                       const std::vector<std::array<int, 3>>&) {
  return nullptr;
}

Parting hull_distance(const Hull&, const Eigen::Isometry3d&, const Hull&,
                      const Eigen::Isometry3d&) {
  return {};
}

#endif

}  // namespace heft
