// Eigenvalues and eigenvectors of symmetric matrices. Eigen's solver behind them is compiled here
// alone: everywhere else it would be compiled once more, seconds for every size.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

template <int n, class Real = double>
class SymmetricEigen {
 public:
  using Matrix = Eigen::Matrix<Real, n, n>;
  using Vector = Eigen::Matrix<Real, n, 1>;

  /// Reads the lower triangle of `A`. `options`: Eigen::ComputeEigenvectors, or
  /// Eigen::EigenvaluesOnly.
  explicit SymmetricEigen(const Matrix& A, int options = Eigen::ComputeEigenvectors);

  const Vector& eigenvalues() const {
    return values_;
  }  ///< n, ascending; NaN where A is not finite
  const Matrix& eigenvectors() const {
    return vectors_;
  }  ///< n x n, a column each, of length 1; if asked for

 private:
  Vector values_;
  Matrix vectors_;
};

/// The eigenvalues l of A v = l B v, ascending; B is positive definite, or all are NaN. Lower
/// triangles are read.
Eigen::Vector3d generalized_eigenvalues(const Eigen::Matrix3d& A, const Eigen::Matrix3d& B);
Eigen::Vector4d generalized_eigenvalues(const Eigen::Matrix4d& A, const Eigen::Matrix4d& B);

extern template class SymmetricEigen<3>;
extern template class SymmetricEigen<4>;
extern template class SymmetricEigen<6>;
extern template class SymmetricEigen<Eigen::Dynamic>;
extern template class SymmetricEigen<Eigen::Dynamic, long double>;

}  // namespace heft
#pragma GCC visibility pop
