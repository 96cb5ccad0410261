// Nesterov-Todd scaling of one semidefinite block: the congruence that maps slack S and multiplier
// Lambda to one diagonal matrix,
//
//   R^-1 S R^-T = R' Lambda R = diag(d)
//
// It comes from two Cholesky factors and one singular value decomposition:
//
//   S = Ls Ls',   Lambda = Lz Lz',   Lz' Ls = U diag(d) V'
//   R    = Ls V diag(d)^-1/2
//   R^-1 = diag(d)^-1/2 U' Lz'
//
// Rows of R+ are the same with 1x1 matrices; second-order cones: second_order_scaling.hpp.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "linalg/factorizations.hpp"
#include "linalg/symmetric_eigen.hpp"
#include "svec.hpp"

namespace heft::solver {

/// Singular value decomposition A = U diag(d) V' of a small square matrix by one-sided Jacobi
/// rotations: accurate to the last digits of the small singular values, by which the scaling
/// divides.
template <int n>
void jacobi_svd(Symmetric<n> A, Symmetric<n>& U, Eigen::Matrix<double, n, 1>& d, Symmetric<n>& V) {
  constexpr int kMaxSweeps = 15;
  V.setIdentity();
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    bool rotated = false;
    for (int p = 0; p < n - 1; ++p) {
      for (int q = p + 1; q < n; ++q) {
        const double a = A.col(p).squaredNorm(), b = A.col(q).squaredNorm(),
                     c = A.col(p).dot(A.col(q));
        if (!(c * c > 1e-30 * a * b)) continue;
        rotated = true;
        const core::JacobiRotation<double> turn(0.5 * (b - a), c, 0);
        for (Symmetric<n>* M : {&A, &V}) {
          const Eigen::Matrix<double, n, 1> x = M->col(p), y = M->col(q);
          M->col(p) = turn.cosine * x - turn.sine * y;
          M->col(q) = turn.sine * x + turn.cosine * y;
        }
      }
    }
    if (!rotated) break;
  }
  d = A.colwise().norm().transpose();
  U = A * d.cwiseInverse().asDiagonal();
}

/// Scaling of an n x n semidefinite block. Vectors here and below are svecs: slacks, multipliers,
/// or scaled.
template <int n>
class NesterovTodd {
 public:
  using Matrix = Symmetric<n>;

  /// Returns false if slack or multiplier is not positive definite.
  bool compute(const double* slack, const double* lambda) {
    const Eigen::LLT<Matrix> s(smat<n>(slack)), z(smat<n>(lambda));
    if (s.info() != Eigen::Success || z.info() != Eigen::Success) return false;
    const Matrix Ls = s.matrixL(), Lz = z.matrixL();
    Matrix U, V;
    jacobi_svd<n>(Lz.transpose() * Ls, U, d_, V);
    if (!(d_.minCoeff() > 0)) return false;
    R_inverse_ = d_.cwiseSqrt().cwiseInverse().asDiagonal() * U.transpose() * Lz.transpose();
    return true;
  }

  /// R^-1 dS R^-T.
  void scale_slack(const double* step, double* out) const {
    put(congruence<n>(R_inverse_, step), out);
  }

  /// R^-T M R^-1.
  void to_multiplier(const double* scaled, double* out) const {
    put(congruence<n>(Matrix(R_inverse_.transpose()), scaled), out);
  }

  /// Returns the longest step along a scaled direction that keeps scaled point + step * direction
  /// in the cone.
  double longest_step(const double* direction) const {
    const Eigen::Matrix<double, n, 1> root = d_.cwiseSqrt().cwiseInverse();
    const Matrix relative = root.asDiagonal() * smat<n>(direction) * root.asDiagonal();
    const double least = SymmetricEigen<n>(relative, Eigen::EigenvaluesOnly).eigenvalues()[0];
    return least < 0 ? -1 / least : std::numeric_limits<double>::infinity();
  }

  /// Returns u with d o u = target 1 - d o d - a o b (Jordan product, all scaled).
  void complementarity(double target, const double* a, const double* b, double* out) const {
    const Matrix A = smat<n>(a), B = smat<n>(b);
    Matrix rest = -0.5 * (A * B + B * A);
    for (int i = 0; i < n; ++i) rest(i, i) += target - d_[i] * d_[i];
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) rest(i, j) *= 2 / (d_[i] + d_[j]);
    }
    put(svec<n>(rest), out);
  }

  /// Returns the scaled point.
  void put_point(double* out) const { put(svec<n>(Matrix(d_.asDiagonal())), out); }

  /// Returns the distance of slack times multiplier, after a step along scaled directions, from
  /// target 1: sqrt n times the norm of the difference, an upper bound on the sum of the absolute
  /// eigenvalues.
  double distance_from(double target, double step, const double* ds, const double* dlambda) const {
    const Matrix D = d_.asDiagonal();
    const Matrix S = D + step * smat<n>(ds), Z = D + step * smat<n>(dlambda);
    return std::sqrt(n) * (0.5 * (S * Z + Z * S) - target * Matrix::Identity()).norm();
  }

  /// H of multiplier steps - H ds: R^-T R^-1 . R^-T R^-1.
  Eigen::MatrixXd curvature() const {
    return symmetric_kronecker<n>(Matrix(R_inverse_.transpose() * R_inverse_));
  }

 private:
  static void put(const Svec<n>& v, double* out) { Eigen::Map<Svec<n>>{out} = v; }

  Matrix R_inverse_;
  Eigen::Matrix<double, n, 1> d_;
};

/// Scaling of a row of R+, with 1x1 matrices.
template <>
class NesterovTodd<1> {
 public:
  bool compute(const double* slack, const double* lambda) {
    if (!(*slack > 0) || !(*lambda > 0)) return false;
    d_ = std::sqrt(*slack) * std::sqrt(*lambda);
    scale_ = std::sqrt(*lambda / *slack);
    return d_ > 0;
  }
  void scale_slack(const double* step, double* out) const { *out = *step * scale_; }
  void to_multiplier(const double* scaled, double* out) const { *out = *scaled * scale_; }
  double longest_step(const double* direction) const {
    return *direction < 0 ? -d_ / *direction : std::numeric_limits<double>::infinity();
  }
  void complementarity(double target, const double* a, const double* b, double* out) const {
    *out = (target - d_ * d_ - *a * *b) / d_;
  }
  void put_point(double* out) const { *out = d_; }
  Eigen::MatrixXd curvature() const { return Eigen::MatrixXd::Constant(1, 1, scale_ * scale_); }

 private:
  double scale_ = 0, d_ = 0;
};

}  // namespace heft::solver
