// Bodies of unit density by their moments, which add: volume V, first moment and second moment
//
//   V = int dV      f = int x dV      S = int x x' dV
//
// about the origin of one common frame. Their covariance S / V - c c', c = f / V, times a mass is
// the Sigma about the center of mass of core/inertia.hpp.
#pragma once

#include <Eigen/Geometry>

#pragma GCC visibility push(default)
namespace heft {

struct Solid {
  double volume = 0;                                 ///< [m^3]
  Eigen::Vector3d first = Eigen::Vector3d::Zero();   ///< [m^4]
  Eigen::Matrix3d second = Eigen::Matrix3d::Zero();  ///< [m^5]

  Solid& operator+=(const Solid& other);

  bool empty() const { return !(volume > 0); }
  Eigen::Vector3d center() const { return first / volume; }
  Eigen::Matrix3d covariance() const {
    return second / volume - center() * center().transpose();
  }  ///< [m^2]
};

/// The same solid seen from a frame in which its own has the pose X_new_old.
Solid transformed(const Eigen::Isometry3d& X_new_old, const Solid& solid);

// centered on the origin; the cylinder's axis is z
Solid box_solid(const Eigen::Vector3d& size);
Solid cylinder_solid(double radius, double length);
Solid sphere_solid(double radius);

}  // namespace heft
#pragma GCC visibility pop
