// A frame whose z is a joint axis.
#pragma once

#include <Eigen/Geometry>

#include "linalg/rotation_between.hpp"

namespace heft {

/// A rotation that brings z onto a unit axis, to the last digits of doubles for every axis: the
/// shortest turn from z, or, below the horizon, a half turn about x and then the shortest from -z.
/// One turn from z would lose digits towards -z, where its axis is undefined.
inline Eigen::Matrix3d rotation_onto(const Eigen::Vector3d& axis) {
  const bool is_below = axis.z() < 0;
  const Eigen::Vector3d start(0, 0, is_below ? -1 : 1);
  const Eigen::Matrix3d turn = rotation_between(start, axis);
  return is_below ? Eigen::Matrix3d(turn * Eigen::DiagonalMatrix<double, 3>(1, -1, -1)) : turn;
}

}  // namespace heft
