// Eigenvalues and eigenvectors of symmetric matrices. Eigen's solver is instantiated only here,
// because it takes seconds per size to compile.
#pragma once

#include <Eigen/Core>

#pragma GCC visibility push(default)
namespace heft {

/// The eigendecomposition of a symmetric matrix.
template <int n, class Real = double>
class SymmetricEigen {
 public:
  using Matrix = Eigen::Matrix<Real, n, n>;
  using Vector = Eigen::Matrix<Real, n, 1>;

  /// Reads the lower triangle of `A`. `options`: Eigen::ComputeEigenvectors or
  /// Eigen::EigenvaluesOnly.
  explicit SymmetricEigen(const Matrix& A, int options = Eigen::ComputeEigenvectors);

  /// Returns n eigenvalues, ascending; NaN if A is not finite.
  const Vector& eigenvalues() const { return values_; }
  /// Returns n x n eigenvectors, one column of length 1 each, if requested.
  const Matrix& eigenvectors() const { return vectors_; }

 private:
  Vector values_;
  Matrix vectors_;
};

/// Returns the eigenvalues l of A v = l B v, ascending, for a positive definite B; otherwise all
/// are NaN. Reads the lower triangles.
Eigen::Vector3d generalized_eigenvalues(const Eigen::Matrix3d& A, const Eigen::Matrix3d& B);
Eigen::Vector4d generalized_eigenvalues(const Eigen::Matrix4d& A, const Eigen::Matrix4d& B);

extern template class SymmetricEigen<3>;
extern template class SymmetricEigen<4>;
extern template class SymmetricEigen<6>;
extern template class SymmetricEigen<Eigen::Dynamic>;
extern template class SymmetricEigen<Eigen::Dynamic, long double>;

}  // namespace heft
#pragma GCC visibility pop
