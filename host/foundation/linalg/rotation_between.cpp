#include "linalg/rotation_between.hpp"

#include <Eigen/Geometry>

namespace heft {

namespace {

Eigen::Matrix3d shortest(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  return Eigen::Quaterniond::FromTwoVectors(from, to).toRotationMatrix();
}

}  // namespace

Eigen::Matrix3d rotation_between(const Eigen::Vector3d& from, const Eigen::Vector3d& to) {
  const Eigen::Vector3d a = from.normalized(), b = to.normalized();
  if (a.dot(b) >= 0) return shortest(from, to);
  // quaternions lose half of the digits near opposite directions: use a half turn about the axis,
  // then the remaining rotation
  Eigen::Vector3d axis = a.cross(b);
  if (!(axis.norm() > 1e-12)) axis = a.unitOrthogonal();
  axis = (axis - axis.dot(a) * a).normalized();
  const Eigen::Matrix3d half_turn = 2 * axis * axis.transpose() - Eigen::Matrix3d::Identity();
  return shortest(-a, b) * half_turn;
}

}  // namespace heft
