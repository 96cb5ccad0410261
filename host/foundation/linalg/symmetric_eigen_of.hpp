// Instantiated for one size per file, symmetric_eigen_*.cpp.
#pragma once

#include <limits>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"

namespace heft {

template <int n, class Real>
SymmetricEigen<n, Real>::SymmetricEigen(const Matrix& A, int options) {
  if (A.rows() == 0) return;
  if (!A.allFinite()) {
    const Real nan = std::numeric_limits<Real>::quiet_NaN();
    values_ = Vector::Constant(A.rows(), nan);
    vectors_ = Matrix::Constant(A.rows(), A.cols(), nan);
    return;
  }
  Eigen::SelfAdjointEigenSolver<Matrix> solver(A, options);
  values_ = solver.eigenvalues();
  if (options == Eigen::ComputeEigenvectors) vectors_ = solver.eigenvectors();
}

template <int n>
Eigen::Matrix<double, n, 1> eigenvalues_relative_to(const Eigen::Matrix<double, n, n>& A,
                                                    const Eigen::Matrix<double, n, n>& B) {
  using Matrix = Eigen::Matrix<double, n, n>;
  const Eigen::LLT<Matrix> factor(B);
  if (factor.info() != Eigen::Success || !A.allFinite())
    return Eigen::Matrix<double, n, 1>::Constant(std::numeric_limits<double>::quiet_NaN());
  // L^-1 A L^-T
  Matrix relative = A.template selfadjointView<Eigen::Lower>();
  factor.matrixL().solveInPlace(relative);
  relative.transposeInPlace();
  factor.matrixL().solveInPlace(relative);
  return SymmetricEigen<n>(relative, Eigen::EigenvaluesOnly).eigenvalues();
}

}  // namespace heft
