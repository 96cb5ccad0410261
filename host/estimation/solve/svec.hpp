// Symmetric matrices as vectors, isometrically: svec(A).svec(B) = tr(A B).
//
// Order: columns of the lower triangle from left to right, off-diagonal entries times sqrt 2. For
// 4x4: 11 21 31 41 22 32 42 33 43 44.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "heft/core/psd_block.hpp"

namespace heft::solver {

using core::kSqrt2;

template <int n>
inline constexpr int kSvecSize = n * (n + 1) / 2;

template <int n>
using Symmetric = Eigen::Matrix<double, n, n>;
template <int n>
using Svec = Eigen::Matrix<double, kSvecSize<n>, 1>;

/// Returns the symmetric matrix of an svec; reads kSvecSize<n> numbers.
template <int n>
Symmetric<n> smat(const double* v) {
  Symmetric<n> M;
  for (int column = 0; column < n; ++column) {
    M(column, column) = *v++;
    for (int row = column + 1; row < n; ++row) M(row, column) = M(column, row) = *v++ / kSqrt2;
  }
  return M;
}

/// Returns the svec of the symmetric part of M.
template <int n>
Svec<n> svec(const Symmetric<n>& M) {
  Svec<n> v;
  int k = 0;
  for (int column = 0; column < n; ++column) {
    v[k++] = M(column, column);
    for (int row = column + 1; row < n; ++row) v[k++] = (M(row, column) + M(column, row)) / kSqrt2;
  }
  return v;
}

/// svec(A smat(v) A').
template <int n>
Svec<n> congruence(const Symmetric<n>& A, const double* v) {
  return svec<n>(Symmetric<n>(A * smat<n>(v) * A.transpose()));
}

/// Returns the matrix of the map v -> svec(P smat(v) P) for symmetric P.
template <int n>
Eigen::Matrix<double, kSvecSize<n>, kSvecSize<n>> symmetric_kronecker(const Symmetric<n>& P) {
  Eigen::Matrix<double, kSvecSize<n>, kSvecSize<n>> H;
  int a = 0;
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i, ++a) {
      int b = 0;
      for (int l = 0; l <= j; ++l) {
        for (int k = l; k < n && b <= a; ++k, ++b) {
          double value = 0.5 * (P(i, k) * P(j, l) + P(i, l) * P(j, k));
          if (i != j) value *= kSqrt2;
          if (k != l) value *= kSqrt2;
          H(a, b) = H(b, a) = value;
        }
      }
    }
  }
  return H;
}

}  // namespace heft::solver
