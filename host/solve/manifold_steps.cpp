#include "manifold_steps.hpp"

#include <Eigen/Eigenvalues>

#include "heft/core/manifold_chart.hpp"

namespace heft::manifold_steps {

namespace {

constexpr double kLeastShare = 0.1;  ///< of mass and moments that a step leaves

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

RowMajor3 axes_of(const Eigen::VectorXd& point) {
  RowMajor3 R;
  core::rotation_from_quaternion(point.data() + 4, R.data());
  return R;
}

}  // namespace

ChartJacobian jacobian(const Eigen::VectorXd& point) {
  Eigen::Matrix<double, 10, 10, Eigen::RowMajor> J;
  core::manifold_jacobian(point.data(), J.data());
  const RowMajor3 R = axes_of(point);
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    Eigen::Matrix4d change = Eigen::Matrix4d::Zero();
    change.topLeftCorner<3, 3>() = R.col(i) * R.col(j).transpose() + R.col(j) * R.col(i).transpose();
    BodyParameters column;
    core::parameters_from_pseudo_inertia(change.data(), column.data());
    J.col(4 + k) = column;
  }
  return J;
}

Eigen::Matrix<double, 10, 10> bend(const Eigen::VectorXd& point, const BodyParameters& g) {
  Eigen::Matrix<double, 10, 10> bend = Eigen::Matrix<double, 10, 10>::Zero();
  const auto slope = [&](int number, double by) {
    Eigen::VectorXd at = point;
    at[number] += by;
    return (jacobian(at).transpose() * g).eval();
  };
  // J is a quadratic of m and c: central differences are exact, and steps of any size will do
  for (int k = 0; k < 4; ++k) bend.col(k) = 0.5 * (slope(k, 1) - slope(k, -1));
  return bend;
}

Eigen::VectorXd moved(const Eigen::VectorXd& point, const Eigen::Matrix<double, 10, 1>& step) {
  Eigen::VectorXd next = point;
  next.head<4>() += step.head<4>();
  next[0] = std::max(next[0], kLeastShare * point[0]);
  // Sigma_c = R D (1 + E) D R', D = sqrt(diag(L)): no direction loses more than its share at once
  const Eigen::Vector3d D = point.tail<3>().cwiseSqrt();
  RowMajor3 change = step.tail<3>().asDiagonal();
  for (int k = 0; k < 3; ++k) {
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    change(i, j) = change(j, i) = step[4 + k];
  }
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) change(i, j) /= std::max(D[i] * D[j], 1e-300);
  const Eigen::SelfAdjointEigenSolver<RowMajor3> relative(RowMajor3(RowMajor3::Identity() + change));
  const RowMajor3 V = D.asDiagonal() * relative.eigenvectors();
  const Eigen::SelfAdjointEigenSolver<RowMajor3> eigen(
      RowMajor3(V * relative.eigenvalues().cwiseMax(kLeastShare).asDiagonal() * V.transpose()));
  RowMajor3 R = axes_of(point) * eigen.eigenvectors();
  if (R.determinant() < 0) R.col(2) = -R.col(2);
  core::quaternion_from_rotation(R.data(), next.data() + 4);
  next.tail<3>() = eigen.eigenvalues().cwiseMax(0.0);
  return next;
}

}  // namespace heft::manifold_steps
