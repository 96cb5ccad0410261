// One positive semidefinite block of the convex problem (FORMULAS 3): small symmetric matrices as
// isometric svecs, their Cholesky factor, and the terms of the semismooth Newton method. Written
// once for a double, a pack of lanes and a thread of a device.
//
// An svec has the columns of the lower triangle from left to right, off-diagonal entries times sqrt
// 2: svec(A).svec(B) = tr(A B). Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/platform.hpp"
#include "heft/core/scalar.hpp"
#include "heft/core/symmetric_eigen.hpp"

namespace heft::core {

inline constexpr double kSqrt2 = 1.41421356237309504880;

HEFT_HD constexpr int svec_size(int n) {
  return n * (n + 1) / 2;
}

/// Position of entry (i, j) of a symmetric n x n matrix in its svec.
HEFT_HD constexpr int svec_place(int n, int i, int j) {
  return i >= j ? j * (2 * n - 1 - j) / 2 + i : i * (2 * n - 1 - i) / 2 + j;
}

/// Entry of a 4x4 matrix.
struct SvecEntry {
  int row, column;
};

/// Entry of the lower triangle of a 4x4 matrix at position k of its svec.
HEFT_HD constexpr SvecEntry svec_entry4(int k) {
  const int column = k < 4 ? 0 : k < 7 ? 1 : k < 9 ? 2 : 3;
  return {k - column * (7 - column) / 2, column};
}

template <int n, class Scalar>
struct Square {
  Scalar at[n][n];
};

template <int n, class Scalar>
HEFT_HD Square<n, Scalar> matrix_of(const Scalar* svec) {
  Square<n, Scalar> M;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      M.at[i][j] = svec[svec_place(n, i, j)] * Scalar(i == j ? 1 : 1 / kSqrt2);
  return M;
}

/// From the lower triangle.
template <int n, class Scalar>
HEFT_HD void put_svec(const Square<n, Scalar>& M, Scalar* svec) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i)
      svec[svec_place(n, i, j)] = M.at[i][j] * Scalar(i == j ? 1 : kSqrt2);
}

template <int n, class Scalar>
HEFT_HD Square<n, Scalar> product(const Square<n, Scalar>& A, const Square<n, Scalar>& B) {
  Square<n, Scalar> C;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      C.at[i][j] = A.at[i][0] * B.at[0][j];
      for (int k = 1; k < n; ++k) C.at[i][j] = C.at[i][j] + A.at[i][k] * B.at[k][j];
    }
  return C;
}

template <int n, class Scalar>
HEFT_HD Square<n, Scalar> transposed(const Square<n, Scalar>& A) {
  Square<n, Scalar> B;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) B.at[i][j] = A.at[j][i];
  return B;
}

/// A M A'.
template <int n, class Scalar>
HEFT_HD Square<n, Scalar> congruence(const Square<n, Scalar>& A, const Square<n, Scalar>& M) {
  return product(product(A, M), transposed(A));
}

/// Lower Cholesky factor; nan from the first pivot that is not positive. Returns the smallest
/// pivot: A is positive definite if it is positive.
template <int n, class Scalar>
HEFT_HD Scalar cholesky(const Square<n, Scalar>& A, Square<n, Scalar>& L) {
  Scalar least(0);
  for (int j = 0; j < n; ++j) {
    Scalar pivot = A.at[j][j];
    for (int k = 0; k < j; ++k) pivot = pivot - L.at[j][k] * L.at[j][k];
    least = j == 0 ? pivot : if_negative(least - pivot, least, pivot);
    const Scalar inverse = inverse_square_root(pivot);
    L.at[j][j] = pivot * inverse;
    for (int i = 0; i < j; ++i) L.at[i][j] = Scalar(0);
    for (int i = j + 1; i < n; ++i) {
      Scalar sum = A.at[i][j];
      for (int k = 0; k < j; ++k) sum = sum - L.at[i][k] * L.at[j][k];
      L.at[i][j] = sum * inverse;
    }
  }
  return least;
}

/// Eigenvalues, and eigenvectors as the columns of Q.
template <int n, class Scalar>
struct SymmetricEigen {
  Scalar e[n];
  Square<n, Scalar> Q;

  HEFT_HD explicit SymmetricEigen(Square<n, Scalar> A) {
    symmetric_eigen<n>(&A.at[0][0], e, &Q.at[0][0], 1e-15);
  }

  /// svec of Q diag(values) Q'.
  HEFT_HD void compose(const Scalar* values, Scalar* svec) const {
    for (int j = 0; j < n; ++j)
      for (int i = j; i < n; ++i) {
        Scalar sum = Q.at[i][0] * values[0] * Q.at[j][0];
        for (int k = 1; k < n; ++k) sum = sum + Q.at[i][k] * values[k] * Q.at[j][k];
        svec[svec_place(n, i, j)] = sum * Scalar(i == j ? 1 : kSqrt2);
      }
  }
};

/// The derivative of the projection on the cone, converted to curvature: W of one block is
///   smat(v) -> Q (curvature o (Q' smat(v) Q)) Q',   o entry by entry
template <int n, class Scalar>
struct Curvature {
  Square<n, Scalar> Q;
  Scalar values[n * (n + 1) / 2];  ///< by svec_place
};

/// Lower bound on slopes of the projection, so that curvature stays finite.
inline constexpr double kMinSlope = 1e-6;

/// Results of one block for a step of the semismooth Newton method, each an svec.
template <class Scalar>
struct BlockSplit {
  Scalar* slack;        ///< projection(v)
  Scalar* lambda_next;  ///< rho (projection(v) - v)
  Scalar* pull;         ///< T
};

/// Splits v = y - lambda / rho of one block [Sun & Sun 2002; FORMULAS 3]. In the eigenbasis of v,
/// D = (p_i + p_j) / (|e_i| + |e_j|) with the positive parts p of the eigenvalues e, but no less
/// than kMinSlope; T = (lambda+ - lambda) / D and W = rho (1 / D - 1). A block inside the cone is
/// its own projection, to the bit: D = 1, W = 0.
template <int n, class Scalar>
HEFT_HD void split_block(const Scalar* y, const Scalar* lambda, Scalar rho,
                         const BlockSplit<Scalar>& out, Curvature<n, Scalar>& curvature) {
  constexpr int kSize = n * (n + 1) / 2;
  const Scalar zero(0), one(1);
  Scalar v[kSize];
  for (int k = 0; k < kSize; ++k) v[k] = y[k] - lambda[k] / rho;
  const Square<n, Scalar> M = matrix_of<n>(v);
  Square<n, Scalar> L;
  const Scalar outside = -cholesky(M, L);  // negative inside; nan counts as outside
  if (all_negative(outside)) {             // often so, and then there is no need for eigenvectors
    for (int k = 0; k < kSize; ++k) {
      out.slack[k] = v[k];
      out.lambda_next[k] = zero;
      out.pull[k] = -lambda[k];
      curvature.values[k] = zero;
    }
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) curvature.Q.at[i][j] = zero;
    return;
  }
  const SymmetricEigen<n, Scalar> eigen(M);
  curvature.Q = eigen.Q;
  Scalar positive[n], multiplier[n];
  for (int i = 0; i < n; ++i) {
    positive[i] = maximum(eigen.e[i], zero);
    multiplier[i] = rho * (positive[i] - eigen.e[i]);
  }
  eigen.compose(positive, out.slack);
  eigen.compose(multiplier, out.lambda_next);
  // T in the eigenbasis, where lambda+ is diagonal
  Square<n, Scalar> T = congruence(transposed(eigen.Q), matrix_of<n>(lambda));
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      const Scalar size = magnitude(eigen.e[i]) + magnitude(eigen.e[j]) + Scalar(1e-300);
      const Scalar inverse = one / maximum((positive[i] + positive[j]) / size, Scalar(kMinSlope));
      T.at[i][j] = T.at[j][i] = inverse * ((i == j ? multiplier[i] : zero) - T.at[i][j]);
      curvature.values[svec_place(n, i, j)] = if_negative(outside, zero, rho * (inverse - one));
    }
  Scalar pull[kSize];
  put_svec(congruence(eigen.Q, T), pull);
  for (int k = 0; k < kSize; ++k) {
    out.slack[k] = if_negative(outside, v[k], out.slack[k]);
    out.lambda_next[k] = if_negative(outside, zero, out.lambda_next[k]);
    out.pull[k] = if_negative(outside, -lambda[k], pull[k]);
  }
}

/// The same for a row, whose cone is the nonnegative numbers.
template <class Scalar>
HEFT_HD void split_row(Scalar y, Scalar lambda, Scalar rho, const BlockSplit<Scalar>& out,
                       Scalar& curvature) {
  const Scalar v = y - lambda / rho;
  const Scalar inverse = if_negative(-v, Scalar(1), Scalar(1 / kMinSlope));
  *out.slack = maximum(v, Scalar(0));
  *out.lambda_next = rho * (*out.slack - v);
  *out.pull = inverse * (*out.lambda_next - lambda);
  curvature = rho * (inverse - Scalar(1));
}

/// W v.
template <int n, class Scalar>
HEFT_HD void apply_curvature(const Curvature<n, Scalar>& curvature, const Scalar* v,
                             Scalar* result) {
  Square<n, Scalar> step = congruence(transposed(curvature.Q), matrix_of<n>(v));
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      step.at[i][j] = step.at[i][j] * curvature.values[svec_place(n, i, j)];
  put_svec(congruence(curvature.Q, step), result);
}

/// The step of a block's multiplier: lambda <- lambda + T - W dy.
template <int n, class Scalar>
HEFT_HD void step_block(const Curvature<n, Scalar>& curvature, const Scalar* pull, const Scalar* dy,
                        Scalar* lambda) {
  constexpr int kSize = n * (n + 1) / 2;
  Scalar back[kSize];
  apply_curvature(curvature, dy, back);
  for (int k = 0; k < kSize; ++k) lambda[k] = lambda[k] + (pull[k] - back[k]);
}

/// The same for a row's multiplier.
template <class Scalar>
HEFT_HD void step_row(Scalar curvature, Scalar pull, Scalar dy, Scalar& lambda) {
  lambda = lambda + (pull - curvature * dy);
}

/// svec of the symmetric product of columns p >= q of Q, of unit length: W = sum of curvature u u'.
template <int n, class Scalar>
HEFT_HD void symmetric_product(const Square<n, Scalar>& Q, int p, int q, Scalar* u) {
  for (int j = 0; j < n; ++j)
    for (int i = j; i < n; ++i) {
      const Scalar scale((p == q ? 1 : 1 / kSqrt2) * (i == j ? 1 : kSqrt2));
      u[svec_place(n, i, j)] = p == q ? scale * (Q.at[i][p] * Q.at[j][p])
                                      : scale * (Q.at[i][p] * Q.at[j][q] + Q.at[j][p] * Q.at[i][q]);
    }
}

/// Entry (a, b) of W of a 4x4 block, for callers with one thread per entry.
template <class Scalar>
HEFT_HD Scalar curvature_entry(const Curvature<4, Scalar>& curvature, int a, int b) {
  const SvecEntry at_a = svec_entry4(a), at_b = svec_entry4(b);
  const double scale =
      (at_a.row == at_a.column ? 1 : kSqrt2) * (at_b.row == at_b.column ? 1 : kSqrt2);
  const auto &Qi = curvature.Q.at[at_a.row], &Qj = curvature.Q.at[at_a.column];
  const auto &Qk = curvature.Q.at[at_b.row], &Ql = curvature.Q.at[at_b.column];
  Scalar entry(0);
  for (int q = 0; q < 4; ++q)
    for (int p = q; p < 4; ++p)
      entry = entry + Scalar(p == q ? 0.25 : 0.5) * curvature.values[svec_place(4, p, q)] *
                          (Qi[p] * Qj[q] + Qj[p] * Qi[q]) * (Qk[p] * Ql[q] + Ql[p] * Qk[q]);
  return Scalar(scale) * entry;
}

}  // namespace heft::core
