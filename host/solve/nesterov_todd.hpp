// Nesterov-Todd scaling of one semidefinite block: the congruence that maps slack and multiplier to one
// diagonal matrix,
//
//   R^-1 S R^-T = R' Lambda R = diag(d),      from S = Ls Ls', Lambda = Lz Lz', Lz' Ls = U diag(d) V':
//   R = Ls V diag(d)^-1/2,   R^-1 = diag(d)^-1/2 U' Lz'.
//
// Rows of R+ are the same with 1x1 matrices.
#pragma once

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <limits>

#include "host/solve/svec.hpp"

namespace heft::solver {

template <int n>
struct NesterovTodd {
  using Matrix = Symmetric<n>;
  using Diagonal = Eigen::Matrix<double, n, 1>;

  Matrix R_inverse;
  Matrix P;    ///< R^-T R^-1: multiplier steps are - P dS P
  Diagonal d;  ///< the scaled point, positive

  /// False if slack or multiplier is not positive definite any more.
  bool compute(const double* slack, const double* lambda) {
    const Eigen::LLT<Matrix> s(smat<n>(slack)), z(smat<n>(lambda));
    if (s.info() != Eigen::Success || z.info() != Eigen::Success) return false;
    const Matrix Ls = s.matrixL(), Lz = z.matrixL();
    Eigen::JacobiSVD<Matrix> svd;
    svd.compute(Matrix(Lz.transpose() * Ls), Eigen::ComputeFullU | Eigen::ComputeFullV);
    d = svd.singularValues();
    if (!(d.minCoeff() > 0)) return false;
    R_inverse = d.cwiseSqrt().cwiseInverse().asDiagonal() * svd.matrixU().transpose() * Lz.transpose();
    P = R_inverse.transpose() * R_inverse;
    return true;
  }

  /// R^-1 dS R^-T.
  Matrix scale_slack(const double* ds) const { return R_inverse * smat<n>(ds) * R_inverse.transpose(); }

  /// The longest step along a scaled direction that keeps diag(d) + step * direction semidefinite.
  double longest_step(const Matrix& direction) const {
    const Diagonal root = d.cwiseSqrt().cwiseInverse();
    const Matrix relative = root.asDiagonal() * direction * root.asDiagonal();
    const double least =
        Eigen::SelfAdjointEigenSolver<Matrix>(relative, Eigen::EigenvaluesOnly).eigenvalues()[0];
    return least < 0 ? -1 / least : std::numeric_limits<double>::infinity();
  }

  /// u of d o u = target 1 - d o d - dS o dLambda (Jordan product, all scaled).
  Matrix complementarity(double target, const Matrix& ds, const Matrix& dlambda) const {
    Matrix rest = -0.5 * (ds * dlambda + dlambda * ds);
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

}  // namespace heft::solver
