// Eigenvalues and eigenvectors of small symmetric matrices by Jacobi rotations: the same steps for
// all lanes, no division by zero, only indices that are known when the loops are unrolled. Finished
// lanes do not change, so neighboring lanes do not affect their bits; NaN propagates. Threads:
// stateless; safe to call from several threads.
#pragma once

#include "heft/core/platform.hpp"
#include "heft/core/scalar.hpp"

namespace heft::core {

// Functions of a Scalar that are needed in addition to core/scalar.hpp; lane packs have their own
// overloads.

/// 1 / sqrt(x).
HEFT_HD double inverse_square_root(double x) {
  return 1 / ::sqrt(x);
}
HEFT_HD float inverse_square_root(float x) {
  return 1 / ::sqrtf(x);
}

/// x < 0, in every lane.
HEFT_HD bool all_negative(double x) {
  return x < 0;
}
HEFT_HD bool all_negative(float x) {
  return x < 0;
}

/// The larger of two numbers; `b` if one is nan.
template <class Scalar>
HEFT_HD Scalar maximum(Scalar a, Scalar b) {
  return if_negative(b - a, a, b);
}

template <class Scalar>
HEFT_HD Scalar magnitude(Scalar x) {
  return if_negative(x, -x, x);
}

/// Maximum number of sweeps over all pairs; quadratic convergence needs five or six in double
/// precision for any matrix.
inline constexpr int kJacobiSweeps = 8;

/// The rotation by the smaller of two angles that clears entry `off` of a symmetric 2x2 matrix,
/// whose second entry of the diagonal is 2 `half` above the first; none if `still` is negative.
template <class Scalar>
struct JacobiRotation {
  Scalar cosine, sine, tangent;

  HEFT_HD JacobiRotation(Scalar half, Scalar off, Scalar still) {
    const Scalar zero(0), one(1), a_half(0.5);
    // of the double angle
    const Scalar length2 = half * half + off * off;
    const Scalar inverse = inverse_square_root(length2);
    const Scalar cosine2 = a_half + a_half * magnitude(half) * inverse;
    const Scalar inverse_cosine = inverse_square_root(cosine2);
    const Scalar turned =
        a_half * if_negative(half, -off, off) * inverse * inverse_cosine * inverse_cosine;
    const Scalar rest = if_negative(length2 - Scalar(1e-300), -one, still);  // there is nothing to
                                                                             // clear
    tangent = if_negative(rest, zero, turned);
    cosine = if_negative(rest, one, cosine2 * inverse_cosine);
    sine = cosine * tangent;
  }
};

/// Clears entry (p, q), p < q, of the lower triangle of A (row-major) and rotates the columns of Q
/// accordingly.
template <int kSize, class Scalar>
HEFT_HD void rotate_pair(Scalar* A, Scalar* Q, int p, int q, Scalar still) {
  const Scalar off = A[kSize * q + p];
  const JacobiRotation<Scalar> turn(Scalar(0.5) * (A[kSize * q + q] - A[kSize * p + p]), off,
                                    still);
  A[kSize * p + p] = A[kSize * p + p] - turn.tangent * off;
  A[kSize * q + q] = A[kSize * q + q] + turn.tangent * off;
  A[kSize * q + p] = if_negative(still, off, Scalar(0));
  for (int k = 0; k < kSize; ++k) {
    if (k != p && k != q) {
      Scalar &x = k > p ? A[kSize * k + p] : A[kSize * p + k],
             &y = k > q ? A[kSize * k + q] : A[kSize * q + k];
      const Scalar turned = turn.cosine * x - turn.sine * y;
      y = turn.sine * x + turn.cosine * y;
      x = turned;
    }
    const Scalar turned = turn.cosine * Q[kSize * k + p] - turn.sine * Q[kSize * k + q];
    Q[kSize * k + q] = turn.sine * Q[kSize * k + p] + turn.cosine * Q[kSize * k + q];
    Q[kSize * k + p] = turned;
  }
}

/// A = Q diag(value) Q' for |A| between 1e-140 and 1e140, or zero. `A` (kSize x kSize, row-major,
/// symmetric) is overwritten, its upper triangle is not read; columns of Q (row-major) are the
/// eigenvectors, in no particular order. Sweeps end when the off-diagonal part is below `tolerance`
/// of the norm; with 0, small eigenvalues of positive definite matrices are as accurate as their
/// entries allow.
template <int kSize, class Scalar>
HEFT_HD void symmetric_eigen(Scalar* A, Scalar* value, Scalar* Q, double tolerance = 0) {
  const Scalar limit(tolerance * tolerance);
  for (int i = 0; i < kSize; ++i)
    for (int j = 0; j < kSize; ++j) Q[kSize * i + j] = Scalar(i == j ? 1 : 0);
  for (int sweep = 0; sweep < kJacobiSweeps; ++sweep) {
    Scalar off(0), on(0);
    for (int i = 0; i < kSize; ++i) {
      on = on + A[kSize * i + i] * A[kSize * i + i];
      for (int j = 0; j < i; ++j) off = off + A[kSize * i + j] * A[kSize * i + j];
    }
    const Scalar still = off - limit * on;
    if (all_negative(still)) break;
    if constexpr (kSize == 4) {  // neighbors share no row, so that the two overlap
      rotate_pair<4>(A, Q, 0, 1, still);
      rotate_pair<4>(A, Q, 2, 3, still);
      rotate_pair<4>(A, Q, 0, 2, still);
      rotate_pair<4>(A, Q, 1, 3, still);
      rotate_pair<4>(A, Q, 0, 3, still);
      rotate_pair<4>(A, Q, 1, 2, still);
    } else {
      for (int p = 0; p < kSize - 1; ++p)
        for (int q = p + 1; q < kSize; ++q) rotate_pair<kSize>(A, Q, p, q, still);
    }
  }
  for (int i = 0; i < kSize; ++i) value[i] = A[kSize * i + i];
}

}  // namespace heft::core
