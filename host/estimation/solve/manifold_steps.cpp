#include "manifold_steps.hpp"

#include <algorithm>
#include <cmath>

#include "heft/core/manifold_chart.hpp"
#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft::manifold_steps {

namespace {

constexpr double kLongest = 1;  ///< step, in logarithms of mass and moments

using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;
using RowMajor4 = Eigen::Matrix<double, 4, 4, Eigen::RowMajor>;

RowMajor3 axes_of(const Eigen::VectorXd& point) {
  RowMajor3 R;
  core::rotation_from_quaternion(point.data() + 4, R.data());
  return R;
}

/// The change of Sigma_c, in the axes of a point, by coordinate k of a step, 4 to 9.
Eigen::Matrix3d unit(int k) {
  Eigen::Matrix3d E = Eigen::Matrix3d::Zero();
  const int i = k < 7 ? (k - 3) % 3 : k - 7, j = k < 7 ? (k - 2) % 3 : k - 7;
  E(i, j) = E(j, i) = 1;
  return E;
}

/// Derivatives by (m, c, entries of Sigma_c in the axes of the point).
ChartJacobian plain_jacobian(const Eigen::VectorXd& point) {
  Eigen::Matrix<double, 10, 10, Eigen::RowMajor> J;
  core::manifold_jacobian(point.data(), J.data());
  const RowMajor3 R = axes_of(point);
  for (int k = 4; k < 7; ++k) {
    RowMajor4 change = RowMajor4::Zero();
    change.topLeftCorner<3, 3>() = R * unit(k) * R.transpose();
    BodyParameters column;
    core::parameters_from_pseudo_inertia(change.data(), column.data());
    J.col(k) = column;
  }
  return J;
}

/// Units of a step's coordinates: m, 1, sqrt(L_i L_j).
Eigen::Matrix<double, 10, 1> scales(const Eigen::VectorXd& point) {
  const Eigen::Vector3d D = point.tail<3>().cwiseSqrt();
  Eigen::Matrix<double, 10, 1> S;
  S << point[0], 1, 1, 1, D[1] * D[2], D[2] * D[0], D[0] * D[1], D.cwiseAbs2();
  return S;
}

}  // namespace

ChartJacobian jacobian(const Eigen::VectorXd& point) {
  return plain_jacobian(point) * scales(point).asDiagonal();
}

Eigen::Matrix<double, 10, 10> bend(const Eigen::VectorXd& point, const BodyParameters& g) {
  Eigen::Matrix<double, 10, 10> bend = Eigen::Matrix<double, 10, 10>::Zero();
  const auto slope_at = [&](int number, double by) {
    Eigen::VectorXd at = point;
    at[number] += by;
    return (plain_jacobian(at).transpose() * g).eval();
  };
  // the Jacobian is a quadratic of m and c: central differences are exact, and steps of any size
  // will do
  for (int k = 0; k < 4; ++k) bend.col(k) = 0.5 * (slope_at(k, 1) - slope_at(k, -1));
  const Eigen::Matrix<double, 10, 1> S = scales(point), slope = jacobian(point).transpose() * g;
  bend = (S.asDiagonal() * bend * S.asDiagonal()).eval();
  // of the exponentials: 1, and of tr(A exp(E)) the form tr(A (E H + H E)) / 2
  bend(0, 0) += slope[0];
  Eigen::Matrix3d A = slope.tail<3>().asDiagonal();
  for (int k = 0; k < 3; ++k)
    A((k + 1) % 3, (k + 2) % 3) = A((k + 2) % 3, (k + 1) % 3) = 0.5 * slope[4 + k];
  for (int k = 4; k < 10; ++k)
    for (int l = 4; l < 10; ++l) {
      const Eigen::Matrix3d E = unit(k), H = unit(l);
      bend(k, l) += 0.5 * (A * (E * H + H * E)).trace();
    }
  return bend;
}

Eigen::VectorXd moved(const Eigen::VectorXd& point, const Eigen::Matrix<double, 10, 1>& whole) {
  Eigen::Matrix3d asked = Eigen::Matrix3d::Zero();
  for (int k = 4; k < 10; ++k) asked += whole[k] * unit(k);
  // a longer step leaves the range of its model and can reach the boundary irreversibly
  const double length = std::max(std::abs(whole[0]), asked.norm());
  const Eigen::Matrix<double, 10, 1> step = std::min(1.0, kLongest / length) * whole;
  Eigen::VectorXd next = point;
  next[0] *= std::exp(step[0]);
  next.segment<3>(1) += step.segment<3>(1);
  Eigen::Matrix3d E = Eigen::Matrix3d::Zero();
  for (int k = 4; k < 10; ++k) E += step[k] * unit(k);
  const SymmetricEigen<3> change(E);
  // a factor of Sigma_c: its squared singular values are the moments, the small ones as precise as
  // the large
  const Eigen::Matrix3d factor = point.tail<3>().cwiseSqrt().asDiagonal() * change.eigenvectors() *
                                 (0.5 * change.eigenvalues()).array().exp().matrix().asDiagonal();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(factor, Eigen::ComputeFullU);
  RowMajor3 R = axes_of(point) * svd.matrixU();
  if (R.determinant() < 0) R.col(2) = -R.col(2);
  core::quaternion_from_rotation(R.data(), next.data() + 4);
  next.tail<3>() = svd.singularValues().cwiseAbs2();
  return next;
}

}  // namespace heft::manifold_steps
