#include "clearance/world_solid.hpp"

#include <cmath>

#include "shape_hull.hpp"

namespace heft {

namespace {

using Eigen::Vector3d;

double box_distance(const Vector3d& half, const Vector3d& point, Vector3d& slope) {
  const Vector3d beyond = point.cwiseAbs() - half,
                 sign = point.unaryExpr([](double x) { return x < 0 ? -1.0 : 1.0; });
  const Vector3d outside = beyond.cwiseMax(0);
  if (const double distance = outside.norm(); distance > 0) {
    slope = outside.cwiseProduct(sign) / distance;
    return distance;
  }
  Eigen::Index nearest = 0;
  const double depth = beyond.maxCoeff(&nearest);
  slope = sign[nearest] * Vector3d::Unit(nearest);
  return depth;
}

/// A solid of revolution about z: a rectangle in radius and height.
double cylinder_distance(double radius, double length, const Vector3d& point, Vector3d& slope) {
  const double r = std::hypot(point.x(), point.y());
  const Vector3d outward = r > 0 ? Vector3d(point.x() / r, point.y() / r, 0) : Vector3d(1, 0, 0);
  const Vector3d up = (point.z() < 0 ? -1.0 : 1.0) * Vector3d::UnitZ();
  const double aside = r - radius, above = std::abs(point.z()) - length / 2;
  if (aside > 0 && above > 0) {
    const double distance = std::hypot(aside, above);
    slope = (aside * outward + above * up) / distance;
    return distance;
  }
  slope = aside > above ? outward : up;
  return std::max(aside, above);
}

}  // namespace

double WorldSolid::distance(const Vector3d& point, Vector3d& slope) const {
  if (is_floor) {
    slope = Vector3d::UnitZ();
    return point.z() - level;
  }
  const Vector3d local = shape.X_link_shape.inverse() * point;
  Vector3d local_slope = Vector3d::UnitX();
  double value = 0;
  switch (shape.kind) {
    case Shape::Kind::box:
      value = box_distance(0.5 * shape.size, local, local_slope);
      break;
    case Shape::Kind::cylinder:
      value = cylinder_distance(shape.radius, shape.length, local, local_slope);
      break;
    default:
      value = local.norm() - shape.radius;
      if (local.norm() > 0) local_slope = local.normalized();
  }
  slope = shape.X_link_shape.linear() * local_slope;
  return value;
}

Result<WorldSolid> make_obstacle(const Obstacle& obstacle) {
  HEFT_TRY(hull, shape_hull(obstacle.shape, obstacle.shape.X_link_shape, Eigen::Matrix3Xd()));
  return WorldSolid{.name = obstacle.name, .shape = obstacle.shape, .hull = hull};
}

WorldSolid make_floor(double level) {
  return {.name = "floor", .is_floor = true, .level = level};
}

}  // namespace heft
