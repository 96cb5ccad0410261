#include "shape_hull.hpp"

#include <cmath>
#include <numbers>

namespace heft {

namespace {

constexpr int kSides = 24;

Eigen::Matrix3Xd box_corners(const Eigen::Vector3d& size) {
  Eigen::Matrix3Xd corners(3, 8);
  for (int corner = 0; corner < 8; ++corner)
    for (int axis = 0; axis < 3; ++axis)
      corners(axis, corner) = ((corner >> axis & 1) != 0 ? 0.5 : -0.5) * size[axis];
  return corners;
}

Eigen::Matrix3Xd prism_corners(double radius, double length) {
  Eigen::Matrix3Xd corners(3, 2 * kSides);
  const double corner = radius / std::cos(std::numbers::pi / kSides);
  for (int k = 0; k < kSides; ++k) {
    const double angle = 2 * std::numbers::pi * k / kSides;
    corners.col(k) << corner * std::cos(angle), corner * std::sin(angle), -length / 2;
    corners.col(kSides + k) << corner * std::cos(angle), corner * std::sin(angle), length / 2;
  }
  return corners;
}

}  // namespace

Result<Hull> shape_hull(const Shape& shape, const Eigen::Isometry3d& X,
                        const Eigen::Matrix3Xd& corners) {
  const auto is_positive = [](double size) { return size > 0 && std::isfinite(size); };
  const Error no_size{"shape", "has a size that is not positive",
                      "write sizes in meters, above zero"};
  switch (shape.kind) {
    case Shape::Kind::box:
      for (const double size : shape.size)
        if (!is_positive(size)) return no_size;
      return make_hull(X * box_corners(shape.size));
    case Shape::Kind::cylinder:
      if (!is_positive(shape.radius) || !is_positive(shape.length)) return no_size;
      return make_hull(X * prism_corners(shape.radius, shape.length));
    case Shape::Kind::sphere:
      if (!is_positive(shape.radius)) return no_size;
      return make_hull(X.translation(), shape.radius);
    case Shape::Kind::mesh:
      break;
  }
  return make_hull(X * corners);
}

}  // namespace heft
