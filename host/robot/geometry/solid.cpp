#include "geometry/solid.hpp"

#include <numbers>

namespace heft {

namespace {

Solid centered(double volume, const Eigen::Vector3d& variances) {
  return {volume, Eigen::Vector3d::Zero(), volume * Eigen::Matrix3d(variances.asDiagonal())};
}

}  // namespace

Solid& Solid::operator+=(const Solid& other) {
  volume += other.volume;
  first += other.first;
  second += other.second;
  return *this;
}

Solid transformed(const Eigen::Isometry3d& X_new_old, const Solid& solid) {
  const Eigen::Matrix3d R = X_new_old.linear();
  const Eigen::Vector3d p = X_new_old.translation();
  const Eigen::Vector3d f = R * solid.first;
  return {solid.volume, f + solid.volume * p,
          R * solid.second * R.transpose() + f * p.transpose() + p * f.transpose() +
              solid.volume * p * p.transpose()};
}

Solid box_solid(const Eigen::Vector3d& size) {
  return centered(size.prod(), size.cwiseAbs2() / 12);
}

Solid cylinder_solid(double radius, double length) {
  const double across = radius * radius / 4;
  return centered(std::numbers::pi * radius * radius * length,
                  {across, across, length * length / 12});
}

Solid sphere_solid(double radius) {
  return centered(4.0 / 3 * std::numbers::pi * radius * radius * radius,
                  Eigen::Vector3d::Constant(radius * radius / 5));
}

}  // namespace heft
