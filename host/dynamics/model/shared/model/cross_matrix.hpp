// Cross products as matrices.
#pragma once

#include <Eigen/Core>

namespace heft {

/// Returns [v]x with [v]x u = v x u.
inline Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return m;
}

}  // namespace heft
