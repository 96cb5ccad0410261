// Eigenvalues and eigenvectors of small symmetric matrices by Jacobi's rotations: no branch, no division by zero, the same
// steps for all lanes. Small eigenvalues of positive definite matrices come out to the accuracy that their entries allow.
// Threads: functions without memory: any number of threads may call them.
#pragma once

#include "heft/core/platform.hpp"
#include "heft/core/scalar.hpp"

namespace heft::core {

/// Sweeps over all pairs; quadratic convergence needs five or six in double precision, whatever the matrix.
inline constexpr int kJacobiSweeps = 8;

/// A = Q diag(value) Q'. `A` (kSize x kSize, row-major, symmetric) is overwritten; columns of Q (row-major) are the
/// eigenvectors, in no order.
template <int kSize, class Scalar>
HEFT_HD void symmetric_eigen(Scalar* A, Scalar* value, Scalar* Q) {
  const Scalar zero(0), one(1), four(4);
  const Scalar nothing(1e-30);  // beside the largest entry, which is 1 in what follows
  Scalar largest = zero;
  for (int i = 0; i < kSize * kSize; ++i) {
    const Scalar size = if_negative(A[i], -A[i], A[i]);
    largest = if_negative(largest - size, size, largest);
  }
  largest = if_negative(zero - largest, largest, one);
  const Scalar scale = one / largest;
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) {
      A[kSize * i + j] = A[kSize * i + j] * scale;
      Q[kSize * i + j] = i == j ? one : zero;
    }
  for (int sweep = 0; sweep < kJacobiSweeps; ++sweep)
    for (int p = 0; p < kSize - 1; ++p)
      for (int q = p + 1; q < kSize; ++q) {
        // tangent of the angle that annihilates the entry, the smaller of two
        const Scalar a = A[kSize * p + q], d = A[kSize * q + q] - A[kSize * p + p];
        const Scalar root = square_root(d * d + four * a * a) + nothing;
        const Scalar t = (a + a) / (d + if_negative(d, -root, root));
        const Scalar c = one / square_root(one + t * t), s = t * c;
        A[kSize * p + p] = A[kSize * p + p] - t * a;
        A[kSize * q + q] = A[kSize * q + q] + t * a;
        A[kSize * p + q] = A[kSize * q + p] = zero;
        for (int k = 0; k < kSize; ++k) {
          const Scalar qp = Q[kSize * k + p], qq = Q[kSize * k + q];
          Q[kSize * k + p] = c * qp - s * qq;
          Q[kSize * k + q] = s * qp + c * qq;
          if (k == p || k == q) continue;
          const Scalar ap = A[kSize * k + p], aq = A[kSize * k + q];
          A[kSize * k + p] = A[kSize * p + k] = c * ap - s * aq;
          A[kSize * k + q] = A[kSize * q + k] = s * ap + c * aq;
        }
      }
  for (int i = 0; i < kSize; ++i) value[i] = A[kSize * i + i] * largest;
}

}  // namespace heft::core
