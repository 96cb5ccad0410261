// A frame whose z is a joint axis.
#pragma once

#include <Eigen/Geometry>

#include "linalg/rotation_between.hpp"

namespace heft {

/// Returns a rotation that maps z to a unit axis, accurate for every axis: the shortest rotation
/// from z, or, below the horizon, a half turn about x followed by the shortest rotation from -z. A
/// single rotation from z would lose digits near -z, where its axis is undefined.
inline Eigen::Matrix3d rotation_onto(const Eigen::Vector3d& axis) {
  const bool is_below = axis.z() < 0;
  const Eigen::Vector3d start(0, 0, is_below ? -1 : 1);
  const Eigen::Matrix3d turn = rotation_between(start, axis);
  return is_below ? Eigen::Matrix3d(turn * Eigen::DiagonalMatrix<double, 3>(1, -1, -1)) : turn;
}

}  // namespace heft
