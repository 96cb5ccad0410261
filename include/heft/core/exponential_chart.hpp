// Exponential coordinates of a body: the symmetric X of J = L exp(X) L', one to one with the bodies
// whose pseudo-inertia J is positive definite. L is the lower Cholesky factor of a prior J0 = L L',
// which makes the chart independent of units and frames, or 1, which mixes kg and kg m^2.
// FORMULAS 4.
//
//   gamma = (X00, X11, X22, X33, X01, X02, X03, X12, X13, X23); an off-diagonal coordinate moves
//   both entries
// Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/inertia.hpp"
#include "heft/core/symmetric_eigen.hpp"

namespace heft::core {

/// Row and column in X of coordinate k.
struct ExponentialPlace {
  int row, column;
};
HEFT_HD constexpr ExponentialPlace exponential_place(int k) {
  constexpr ExponentialPlace kPlaces[10] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {0, 1},
                                            {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  return kPlaces[k];
}

/// Lower Cholesky factor of a symmetric 4x4 matrix, both row-major, with zeros above the diagonal.
/// A matrix that is not positive definite gives numbers that are not finite.
template <class Scalar>
HEFT_HD void lower_cholesky4(const Scalar* J, Scalar* L) {
  for (int j = 0; j < 4; ++j) {
    for (int i = 0; i < j; ++i) L[4 * i + j] = Scalar(0);
    Scalar pivot = J[5 * j];
    for (int k = 0; k < j; ++k) pivot = pivot - L[4 * j + k] * L[4 * j + k];
    L[5 * j] = square_root(pivot);
    const Scalar inverse = Scalar(1) / L[5 * j];
    for (int i = j + 1; i < 4; ++i) {
      Scalar sum = J[4 * i + j];
      for (int k = 0; k < j; ++k) sum = sum - L[4 * i + k] * L[4 * j + k];
      L[4 * i + j] = sum * inverse;
    }
  }
}

/// L^-1 J L^-T of a symmetric J and a lower triangle L, 4x4, row-major.
template <class Scalar>
HEFT_HD void divide_by_factor(const Scalar* L, const Scalar* J, Scalar* K) {
  Scalar half[16];  // L^-1 J
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 4; ++i) {
      Scalar sum = J[4 * i + j];
      for (int k = 0; k < i; ++k) sum = sum - L[4 * i + k] * half[4 * k + j];
      half[4 * i + j] = sum / L[5 * i];
    }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j <= i; ++j) {
      Scalar sum = half[4 * i + j];
      for (int k = 0; k < j; ++k) sum = sum - L[4 * j + k] * K[4 * i + k];
      K[4 * i + j] = sum / L[5 * j];
    }
  for (int i = 0; i < 4; ++i)
    for (int j = i + 1; j < 4; ++j) K[4 * i + j] = K[4 * j + i];
}

/// J = B C B' of a symmetric C, 4x4, row-major.
template <class Scalar>
HEFT_HD void congruence4(const Scalar* B, const Scalar* C, Scalar* J) {
  Scalar half[16];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      half[4 * i + j] = B[4 * i] * C[j] + B[4 * i + 1] * C[4 + j] + B[4 * i + 2] * C[8 + j] +
                        B[4 * i + 3] * C[12 + j];
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j)
      J[4 * i + j] = J[4 * j + i] = half[4 * i] * B[4 * j] + half[4 * i + 1] * B[4 * j + 1] +
                                    half[4 * i + 2] * B[4 * j + 2] + half[4 * i + 3] * B[4 * j + 3];
}

/// sinh(d) / d
template <class Scalar>
HEFT_HD Scalar sinh_over(const Scalar& d) {
  const Scalar z = d * d, one(1);
  Scalar series(1);  // seven terms beside 1 leave 4e-20 at d = 1/2
  for (int k = 7; k >= 1; --k) series = one + z * series * Scalar(1.0 / (2 * k * (2 * k + 1)));
  const Scalar e = exponential(d);
  return if_negative(z - Scalar(0.25), series, (e - one / e) / (d + d));
}

/// Shared by map and derivatives: J = B diag(e^l) B', B = L Q, X = Q diag(l) Q'.
template <class Scalar>
struct ExponentialFactor {
  Scalar l[4], Q[16], B[16];

  HEFT_HD ExponentialFactor(const Scalar* L, const Scalar* gamma) {
    Scalar X[16];
    for (int k = 0; k < 10; ++k) {
      const ExponentialPlace place = exponential_place(k);
      X[4 * place.row + place.column] = X[4 * place.column + place.row] = gamma[k];
    }
    symmetric_eigen<4>(X, l, Q);
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j) {
        B[4 * i + j] = L[4 * i] * Q[j];
        for (int k = 1; k <= i; ++k) B[4 * i + j] = B[4 * i + j] + L[4 * i + k] * Q[4 * k + j];
      }
  }

  /// The divided difference (e^l_i - e^l_j) / (l_i - l_j) of exp.
  HEFT_HD Scalar slope(int i, int j) const {
    const Scalar half(0.5);
    return exponential(half * (l[i] + l[j])) * sinh_over(half * (l[i] - l[j]));
  }
};

/// The ten parameters at the coordinates gamma. L is row-major; its upper triangle is not read.
template <class Scalar>
HEFT_HD void parameters_from_exponential(const Scalar* L, const Scalar* gamma, Scalar* pi) {
  const ExponentialFactor<Scalar> factor(L, gamma);
  Scalar E[16], J[16];
  for (int i = 0; i < 16; ++i) E[i] = i % 5 == 0 ? exponential(factor.l[i / 5]) : Scalar(0);
  congruence4(factor.B, E, J);
  parameters_from_pseudo_inertia(J, pi);
}

/// Inverse. A body whose J is not positive definite gets coordinates that are not finite.
template <class Scalar>
HEFT_HD void exponential_from_parameters(const Scalar* L, const Scalar* pi, Scalar* gamma) {
  Scalar J[16], K[16], l[4], Q[16], X[16], D[16];
  pseudo_inertia_from_parameters(pi, J);
  divide_by_factor(L, J, K);
  symmetric_eigen<4>(K, l, Q);
  for (int i = 0; i < 16; ++i) D[i] = i % 5 == 0 ? logarithm(l[i / 5]) : Scalar(0);
  congruence4(Q, D, X);
  for (int k = 0; k < 10; ++k) {
    const ExponentialPlace place = exponential_place(k);
    gamma[k] = X[4 * place.row + place.column];
  }
}

/// Writes d pi / d gamma (10 x 10, row-major: one row per parameter, one column per coordinate):
///   dJ[H] = B (Phi o (Q' H Q)) B',   Phi_ij = (e^l_i - e^l_j) / (l_i - l_j)
template <class Scalar>
HEFT_HD void exponential_jacobian(const Scalar* L, const Scalar* gamma, Scalar* jacobian) {
  const ExponentialFactor<Scalar> factor(L, gamma);
  Scalar slope[16];
  for (int i = 0; i < 4; ++i)
    for (int j = i; j < 4; ++j) slope[4 * i + j] = slope[4 * j + i] = factor.slope(i, j);
  for (int k = 0; k < 10; ++k) {
    const ExponentialPlace place = exponential_place(k);
    const Scalar *r = factor.Q + 4 * place.row, *c = factor.Q + 4 * place.column;
    Scalar C[16], J[16], column[10];
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        C[4 * i + j] = slope[4 * i + j] *
                       (place.row == place.column ? r[i] * r[j] : r[i] * c[j] + c[i] * r[j]);
    congruence4(factor.B, C, J);
    parameters_from_pseudo_inertia(J, column);
    for (int i = 0; i < 10; ++i) jacobian[10 * i + k] = column[i];
  }
}

/// The symmetric G = dF / dJ of a function F with gradient g with respect to the ten parameters:
/// g_k = tr(G V_k).
template <class Scalar>
HEFT_HD void pseudo_inertia_gradient(const Scalar* g, Scalar* G) {
  const Scalar half(0.5);
  G[0] = g[kIyy] + g[kIzz];
  G[5] = g[kIxx] + g[kIzz];
  G[10] = g[kIxx] + g[kIyy];
  G[15] = g[kMass];
  G[1] = G[4] = -(half * g[kIxy]);
  G[2] = G[8] = -(half * g[kIxz]);
  G[6] = G[9] = -(half * g[kIyz]);
  G[3] = G[12] = half * g[kMcx];
  G[7] = G[13] = half * g[kMcy];
  G[11] = G[14] = half * g[kMcz];
}

/// Converts a gradient g with respect to the parameters to one with respect to the coordinates:
/// J'g, without writing the Jacobian.
template <class Scalar>
HEFT_HD void exponential_gradient(const Scalar* L, const Scalar* gamma, const Scalar* g,
                                  Scalar* gradient) {
  const ExponentialFactor<Scalar> factor(L, gamma);
  Scalar G[16], transposed[16], C[16], H[16];
  pseudo_inertia_gradient(g, G);
  for (int i = 0; i < 16; ++i) transposed[i] = factor.B[4 * (i % 4) + i / 4];
  congruence4(transposed, G, C);
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) C[4 * i + j] = C[4 * i + j] * factor.slope(i, j);
  congruence4(factor.Q, C, H);
  for (int k = 0; k < 10; ++k) {
    const ExponentialPlace place = exponential_place(k);
    const Scalar entry = H[4 * place.row + place.column];
    gradient[k] = place.row == place.column ? entry : entry + entry;
  }
}

}  // namespace heft::core
