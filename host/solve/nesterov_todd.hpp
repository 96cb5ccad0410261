// Nesterov-Todd scaling of one semidefinite block: the congruence that maps slack S and multiplier Lambda to
// one diagonal matrix,
//
//   R^-1 S R^-T = R' Lambda R = diag(d)
//
// It comes from two Cholesky factors and one singular value decomposition:
//
//   S = Ls Ls',   Lambda = Lz Lz',   Lz' Ls = U diag(d) V'
//   R    = Ls V diag(d)^-1/2
//   R^-1 = diag(d)^-1/2 U' Lz'
//
// Rows of R+ are the same with 1x1 matrices.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>

#include "svec.hpp"

namespace heft::solver {

/// Singular value decomposition A = U diag(d) V' of a small square matrix by one-sided Jacobi rotations:
/// accurate to the last digits of the small singular values, which the scaling divides by.
template <int n>
void jacobi_svd(Symmetric<n> A, Symmetric<n>& U, Eigen::Matrix<double, n, 1>& d, Symmetric<n>& V) {
  constexpr int kMaxSweeps = 15;
  V.setIdentity();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < n - 1; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double a = A.col(p).squaredNorm(), b = A.col(q).squaredNorm(), c = A.col(p).dot(A.col(q));
        if (!(c * c > 1e-30 * a * b)) continue;
        rotated = true;
        const double half = 0.5 * (b - a);
        const double tangent = (half < 0 ? -c : c) / (std::abs(half) + std::sqrt(half * half + c * c));
        const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
        for (Symmetric<n>* M : {&A, &V}) {
          const Eigen::Matrix<double, n, 1> x = M->col(p), y = M->col(q);
          M->col(p) = cosine * x - sine * y;
          M->col(q) = sine * x + cosine * y;
        }
      }
    }
    if (!rotated) break;
  }
  d = A.colwise().norm().transpose();
  U = A * d.cwiseInverse().asDiagonal();
}

template <int n>
struct NesterovTodd {
  using Matrix = Symmetric<n>;
  using Diagonal = Eigen::Matrix<double, n, 1>;

  Matrix R_inverse;
  Matrix P;            ///< R^-T R^-1: multiplier steps are - P dS P
  Diagonal d;          ///< the scaled point, positive
  Matrix ds, dlambda;  ///< scaled predictor directions, kept for the corrector

  /// False if slack or multiplier is not positive definite any more.
  bool compute(const double* slack, const double* lambda) {
    const Eigen::LLT<Matrix> s(smat<n>(slack)), z(smat<n>(lambda));
    if (s.info() != Eigen::Success || z.info() != Eigen::Success) return false;
    const Matrix Ls = s.matrixL(), Lz = z.matrixL();
    Matrix U, V;
    jacobi_svd<n>(Lz.transpose() * Ls, U, d, V);
    if (!(d.minCoeff() > 0)) return false;
    R_inverse = d.cwiseSqrt().cwiseInverse().asDiagonal() * U.transpose() * Lz.transpose();
    P = R_inverse.transpose() * R_inverse;
    return true;
  }

  /// R^-1 dS R^-T.
  Matrix scale_slack(const double* step) const { return R_inverse * smat<n>(step) * R_inverse.transpose(); }

  /// The longest step along a scaled direction that keeps diag(d) + step * direction semidefinite.
  double longest_step(const Matrix& direction) const {
    const Diagonal root = d.cwiseSqrt().cwiseInverse();
    const Matrix relative = root.asDiagonal() * direction * root.asDiagonal();
    const double least =
        Eigen::SelfAdjointEigenSolver<Matrix>(relative, Eigen::EigenvaluesOnly).eigenvalues()[0];
    return least < 0 ? -1 / least : std::numeric_limits<double>::infinity();
  }

  /// u of d o u = target 1 - d o d - a o b (Jordan product, all scaled).
  Matrix complementarity(double target, const Matrix& a, const Matrix& b) const {
    Matrix rest = -0.5 * (a * b + b * a);
    for (int i = 0; i < n; ++i) rest(i, i) += target - d[i] * d[i];
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) rest(i, j) *= 2 / (d[i] + d[j]);
    }
    return rest;
  }

  /// R^-T M R^-1.
  Svec<n> to_multiplier(const Matrix& M) const {
    return svec<n>(Matrix(R_inverse.transpose() * M * R_inverse));
  }
};

/// A row of R+: the same in scalars.
template <>
struct NesterovTodd<1> {
  using Matrix = Symmetric<1>;

  Matrix P, ds, dlambda;
  Eigen::Matrix<double, 1, 1> d;

  bool compute(const double* slack, const double* lambda) {
    if (!(*slack > 0) || !(*lambda > 0)) return false;
    d[0] = std::sqrt(*slack) * std::sqrt(*lambda);
    P(0, 0) = std::sqrt(*lambda / *slack);
    return d[0] > 0;
  }
  Matrix scale_slack(const double* step) const { return Matrix(*step * P(0, 0)); }
  double longest_step(const Matrix& direction) const {
    const double relative = direction(0, 0) / d[0];
    return relative < 0 ? -1 / relative : std::numeric_limits<double>::infinity();
  }
  Matrix complementarity(double target, const Matrix& a, const Matrix& b) const {
    return Matrix((target - d[0] * d[0] - a(0, 0) * b(0, 0)) / d[0]);
  }
  Svec<1> to_multiplier(const Matrix& M) const { return Svec<1>(M(0, 0) * P(0, 0)); }
};

}  // namespace heft::solver
