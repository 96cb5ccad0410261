// Solids of unit density, given by their additive moments: volume V, first moment and second moment
//
//   V = int dV      f = int x dV      S = int x x' dV
//
// about the origin of a common frame. Their covariance S / V - c c', c = f / V, times a mass is the
// Sigma about the center of mass in core/inertia.hpp.
#pragma once

#include <Eigen/Geometry>

#pragma GCC visibility push(default)
namespace heft {

/// The moments of a solid.
struct Solid {
  double volume = 0;                                 ///< [m^3]
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   ///< [m^4]
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  ///< [m^5]

  Solid& operator+=(const Solid& other);

  bool empty() const { return !(volume > 0); }
  Eigen::Vector3d center() const { return first / volume; }
  /// Returns the covariance about the center [m^2].
  Eigen::Matrix3d covariance() const { return second / volume - center() * center().transpose(); }
};

/// Returns the same solid in a frame in which the solid's own frame has the pose X_new_old.
Solid transformed(const Eigen::Isometry3d& X_new_old, const Solid& solid);

// centered on the origin; the axis of the cylinder is z
Solid box_solid(const Eigen::Vector3d& size);
Solid cylinder_solid(double radius, double length);
Solid sphere_solid(double radius);

}  // namespace heft
#pragma GCC visibility pop
