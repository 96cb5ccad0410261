#include "spatial.hpp"

namespace heft::identifiability {

Matrix6 motion_cross(const Vector6& f) {
  Matrix6 m = Matrix6::Zero();
  m.topLeftCorner<3, 3>() = m.bottomRightCorner<3, 3>() = cross_matrix(f.head<3>());
  m.bottomLeftCorner<3, 3>() = cross_matrix(f.tail<3>());
  return m;
}

Matrix6 motion_transform(const Eigen::Isometry3d& X_parent_body) {
  const Eigen::Matrix3d E = X_parent_body.linear().transpose();
  Matrix6 X = Matrix6::Zero();
  X.topLeftCorner<3, 3>() = X.bottomRightCorner<3, 3>() = E;
  X.bottomLeftCorner<3, 3>() = -E * cross_matrix(X_parent_body.translation());
  return X;
}

Matrix10 inertia_rate(const Vector6& f) {
  Eigen::Matrix4d screw = Eigen::Matrix4d::Zero();
  screw.topLeftCorner<3, 3>() = cross_matrix(f.head<3>());
  screw.topRightCorner<3, 1>() = f.tail<3>();
  Matrix10 A;
  for (int k = 0; k < 10; ++k) {
    const Eigen::Matrix4d J = pseudo_inertia(Vector10::Unit(k));
    A.col(k) = -body_parameters(screw * J + J * screw.transpose());
  }
  return A;
}

Matrix10 inertia_to_parent(const Eigen::Isometry3d& X_parent_body) {
  Matrix10 B;
  for (int k = 0; k < 10; ++k) B.col(k) = transformed(X_parent_body, Vector10::Unit(k));
  return B;
}

Vector10 coupling(const Vector6& v, const Vector6& f) {
  const Eigen::Vector3d w = v.head<3>(), u = v.tail<3>(), a = f.head<3>(), b = f.tail<3>();
  Vector10 k;
  k[core::kMass] = u.dot(b);
  k.segment<3>(core::kMcx) = b.cross(w) + u.cross(a);
  k[core::kIxx] = w.x() * a.x();
  k[core::kIxy] = w.x() * a.y() + w.y() * a.x();
  k[core::kIyy] = w.y() * a.y();
  k[core::kIxz] = w.x() * a.z() + w.z() * a.x();
  k[core::kIyz] = w.y() * a.z() + w.z() * a.y();
  k[core::kIzz] = w.z() * a.z();
  return k;
}

Vector6 joint_screw(const Body& body) {
  Vector6 f = Vector6::Zero();
  if (body.type == JointType::revolute || body.type == JointType::helical) f.head<3>() = body.axis;
  if (body.type == JointType::prismatic) f.tail<3>() = body.axis;
  if (body.type == JointType::helical) f.tail<3>() = body.pitch * body.axis;
  return f;
}

Eigen::Isometry3d pose_at(const Body& body, double joint_coordinate) {
  const Vector6 f = joint_screw(body) * joint_coordinate;
  Eigen::Isometry3d pose = body.X_parent_body;
  pose.translate(Eigen::Vector3d(f.tail<3>()));
  // a zero turn must leave exact zeros exact
  if (f.head<3>().any()) pose.rotate(Eigen::AngleAxisd(f.head<3>().dot(body.axis), body.axis));
  return pose;
}

}  // namespace heft::identifiability
