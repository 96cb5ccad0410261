// The 4x4 block of one body in one thread: eigenvectors by Jacobi rotations, and what the semismooth Newton method
// (semismooth.hpp) makes of them. Blocks are svec blocks of ten numbers (host/solve/svec.hpp).
//
// Every index of a register array is known at compile time once the loops unroll, so that arrays stay in registers; an
// eigendecomposition holds 26 doubles.
#pragma once

#include <cmath>

#include "heft/core/platform.hpp"

namespace heft::cuda {

inline constexpr int kSvec = 10;
inline constexpr double kSquareRoot2 = 1.41421356237309504880;

/// Where entry (row, column), column <= row, stands in an svec.
HEFT_HD constexpr int svec_place(int row, int column) {
  return column * (7 - column) / 2 + row;
}

/// Column of the lower triangle in which place `k` of an svec lies; its row is k - svec_place(0, column).
HEFT_HD constexpr int svec_column(int k) {
  return k < 4 ? 0 : k < 7 ? 1 : k < 9 ? 2 : 3;
}

struct Matrix4 {
  double at[4][4];
};

HEFT_HD Matrix4 matrix_of(const double* svec) {
  Matrix4 M;
  for (int j = 0; j < 4; ++j) {
    M.at[j][j] = svec[svec_place(j, j)];
    for (int i = j + 1; i < 4; ++i) M.at[i][j] = M.at[j][i] = svec[svec_place(i, j)] * (1 / kSquareRoot2);
  }
  return M;
}

/// From the lower triangle.
HEFT_HD void put_svec(const Matrix4& M, double* svec) {
  for (int j = 0; j < 4; ++j)
    for (int i = j; i < 4; ++i) svec[svec_place(i, j)] = i == j ? M.at[j][j] : kSquareRoot2 * M.at[i][j];
}

/// V M V'; with transposed(V), V' M V.
HEFT_HD Matrix4 congruence(const Matrix4& V, const Matrix4& M) {
  Matrix4 product, result;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      product.at[i][j] = 0;
      for (int k = 0; k < 4; ++k) product.at[i][j] += V.at[i][k] * M.at[k][j];
    }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      result.at[i][j] = 0;
      for (int k = 0; k < 4; ++k) result.at[i][j] += product.at[i][k] * V.at[j][k];
    }
  return result;
}
HEFT_HD Matrix4 transposed(const Matrix4& V) {
  Matrix4 result;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) result.at[i][j] = V.at[j][i];
  return result;
}

/// Eigenvalues and, the rows of V, eigenvectors.
struct Eigen4 {
  double e[4];
  Matrix4 V;
};

/// Clears entry (p, q), p < q, of the lower triangle of A and turns the eigenvectors along.
template <int p, int q>
HEFT_HD void rotate(Matrix4& A, Matrix4& V) {
  const double off = A.at[q][p];
  const double half = 0.5 * (A.at[q][q] - A.at[p][p]);
  // tangent of the smaller angle; zero where there is nothing to clear
  const double length = std::abs(half) + std::sqrt(half * half + off * off);
  const double tangent = off == 0 ? 0.0 : (half < 0 ? -off : off) / length;
  const double cosine = 1 / std::sqrt(1 + tangent * tangent), sine = cosine * tangent;
  A.at[p][p] -= tangent * off;
  A.at[q][q] += tangent * off;
  A.at[q][p] = 0;
  for (int r = 0; r < 4; ++r) {
    if (r != p && r != q) {
      double &x = r > p ? A.at[r][p] : A.at[p][r], &y = r > q ? A.at[r][q] : A.at[q][r];
      const double turned = cosine * x - sine * y;
      y = sine * x + cosine * y;
      x = turned;
    }
    const double turned = cosine * V.at[p][r] - sine * V.at[q][r];
    V.at[q][r] = sine * V.at[p][r] + cosine * V.at[q][r];
    V.at[p][r] = turned;
  }
}

/// Cyclic Jacobi rotations of a symmetric matrix until what is off the diagonal is below 1e-14 of the norm.
HEFT_HD Eigen4 symmetric_eigen(Matrix4 A) {
  constexpr int kMaxSweeps = 8;
  Eigen4 eigen;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) eigen.V.at[i][j] = i == j;
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    double off = 0, on = 0;
    for (int i = 0; i < 4; ++i) {
      on += A.at[i][i] * A.at[i][i];
      for (int j = 0; j < i; ++j) off += A.at[i][j] * A.at[i][j];
    }
    if (off <= 1e-28 * on) break;  // not so for NaN, which spreads
    // neighbours share no row, so that the two overlap
    rotate<0, 1>(A, eigen.V);
    rotate<2, 3>(A, eigen.V);
    rotate<0, 2>(A, eigen.V);
    rotate<1, 3>(A, eigen.V);
    rotate<0, 3>(A, eigen.V);
    rotate<1, 2>(A, eigen.V);
  }
  for (int i = 0; i < 4; ++i) eigen.e[i] = A.at[i][i];
  return eigen;
}

/// svec of V' diag(values) V.
HEFT_HD void compose(const Matrix4& V, const double (&values)[4], double* svec) {
  for (int j = 0; j < 4; ++j)
    for (int i = j; i < 4; ++i) {
      double entry = 0;
      for (int k = 0; k < 4; ++k) entry += V.at[k][i] * values[k] * V.at[k][j];
      svec[svec_place(i, j)] = i == j ? entry : kSquareRoot2 * entry;
    }
}

/// The derivative of the projection, turned into curvature: W of one block is
///   smat(v) -> V' (curvature o (V smat(v) V')) V,   o entry by entry, curvature by svec_place.
struct Curvature4 {
  double V[16];  ///< row by row
  double values[kSvec];
};

/// What one block leaves for the step of semismooth.hpp, each an svec of ten numbers.
struct BlockSplit {
  double* slack;        ///< projection(v)
  double* lambda_next;  ///< rho (projection(v) - v)
  double* pull;         ///< T
};

/// Slopes of the projection below this count as this, so that curvature stays finite.
inline constexpr double kMinSlope = 1e-6;

HEFT_HD double inverse_slope(double slope) {
  return 1 / (slope > kMinSlope ? slope : kMinSlope);
}

/// Splits v = y - lambda / rho of one block.
HEFT_HD void split_block(const double* y, const double* lambda, double rho, const BlockSplit& out,
                         Curvature4& curvature) {
  double v[kSvec];
  for (int k = 0; k < kSvec; ++k) v[k] = y[k] - lambda[k] / rho;
  const Eigen4 eigen = symmetric_eigen(matrix_of(v));
  const bool inside = eigen.e[0] > 0 && eigen.e[1] > 0 && eigen.e[2] > 0 && eigen.e[3] > 0;
  double positive[4], multiplier[4];
  for (int i = 0; i < 4; ++i) {
    positive[i] = eigen.e[i] > 0 ? eigen.e[i] : 0.0;
    multiplier[i] = rho * (positive[i] - eigen.e[i]);
    for (int j = 0; j < 4; ++j) curvature.V[4 * i + j] = eigen.V.at[i][j];
  }
  if (inside) {  // its own projection, to the bit
    for (int k = 0; k < kSvec; ++k) {
      out.slack[k] = v[k];
      out.lambda_next[k] = 0;
      out.pull[k] = -lambda[k];
      curvature.values[k] = 0;
    }
    return;
  }
  compose(eigen.V, positive, out.slack);
  compose(eigen.V, multiplier, out.lambda_next);
  // T in the eigenbasis, where lambda_next is diagonal
  Matrix4 T = congruence(eigen.V, matrix_of(lambda));
  for (int j = 0; j < 4; ++j)
    for (int i = j; i < 4; ++i) {
      const double slope =
          (positive[i] + positive[j]) / (std::abs(eigen.e[i]) + std::abs(eigen.e[j]) + 1e-300);
      const double inverse = inverse_slope(slope);
      T.at[i][j] = T.at[j][i] = inverse * ((i == j ? multiplier[i] : 0.0) - T.at[i][j]);
      curvature.values[svec_place(i, j)] = rho * (inverse - 1);
    }
  put_svec(congruence(transposed(eigen.V), T), out.pull);
}

/// W v.
HEFT_HD void apply_curvature(const Curvature4& curvature, const double* v, double* result) {
  Matrix4 V;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) V.at[i][j] = curvature.V[4 * i + j];
  Matrix4 step = congruence(V, matrix_of(v));
  for (int j = 0; j < 4; ++j)
    for (int i = j; i < 4; ++i) {
      step.at[i][j] *= curvature.values[svec_place(i, j)];
      step.at[j][i] = step.at[i][j];
    }
  put_svec(congruence(transposed(V), step), result);
}

/// Entry (a, b) of the 10x10 matrix W: sum over pairs of eigenvectors of curvature u_a u_b, u the svec of their
/// symmetric product.
HEFT_HD double curvature_entry(const Curvature4& curvature, int a, int b) {
  const int ja = svec_column(a), ia = a - svec_place(0, ja), jb = svec_column(b), ib = b - svec_place(0, jb);
  const double scale = (ia == ja ? 1 : kSquareRoot2) * (ib == jb ? 1 : kSquareRoot2);
  double entry = 0;
  for (int q = 0; q < 4; ++q)
    for (int p = q; p < 4; ++p) {
      const double* const x = curvature.V + 4 * p;
      const double* const z = curvature.V + 4 * q;
      const double weight = p == q ? 0.25 : 0.5;
      entry += weight * curvature.values[svec_place(p, q)] * (x[ia] * z[ja] + x[ja] * z[ia]) *
               (x[ib] * z[jb] + x[jb] * z[ib]);
    }
  return scale * entry;
}

}  // namespace heft::cuda
