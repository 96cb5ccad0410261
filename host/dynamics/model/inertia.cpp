#include "heft/core/inertia.hpp"

#include "heft/model/robot.hpp"
#include "model/cross_matrix.hpp"

namespace heft {

Eigen::Matrix4d pseudo_inertia(const BodyParameters& parameters) {
  Eigen::Matrix<double, 4, 4, Eigen::RowMajor> J;
  core::pseudo_inertia_from_parameters(parameters.data(), J.data());
  return J;
}

BodyParameters body_parameters(const Eigen::Matrix4d& pseudo_inertia) {
  const Eigen::Matrix<double, 4, 4, Eigen::RowMajor> J =
      0.5 * (pseudo_inertia + pseudo_inertia.transpose());
  BodyParameters parameters;
  core::parameters_from_pseudo_inertia(J.data(), parameters.data());
  return parameters;
}

BodyParameters parameters_about_origin(double mass, const Eigen::Vector3d& com,
                                       const Eigen::Matrix3d& tensor_com) {
  const Eigen::Matrix3d C = cross_matrix(com);
  const Eigen::Matrix3d I = tensor_com + mass * C * C.transpose();
  BodyParameters parameters;
  parameters << mass, mass * com, I(0, 0), I(0, 1), I(1, 1), I(0, 2), I(1, 2), I(2, 2);
  return parameters;
}

BodyParameters transformed(const Eigen::Isometry3d& X_new_old, const BodyParameters& parameters) {
  const Eigen::Matrix4d T = X_new_old.matrix();
  return body_parameters(T * pseudo_inertia(parameters) * T.transpose());
}

}  // namespace heft
