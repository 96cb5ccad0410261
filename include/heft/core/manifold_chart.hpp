// The manifold of physically consistent bodies [Traversaro et al. 2016]: mass, center of mass, a
// rotation and three second moments. Unlike the other charts it includes the boundary (rods,
// plates, points), and it is not one to one. FORMULAS 4.
//
//   h = m c,   Sigma = R diag(L) R' + m c c',   m >= 0,   L >= 0
//
// A point is 11 numbers, (m, c, unit quaternion w x y z of R, L); derivatives are by ten: (dm, dc,
// db, dL), R <- R exp([db]x). Where two of L are equal R is not unique, and the column of the turn
// between them is zero. Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/inertia.hpp"
#include "heft/core/symmetric_eigen.hpp"

namespace heft::core {

inline constexpr int kManifoldNumbers = 11;

/// R (row-major) of a unit quaternion w x y z.
template <class Scalar>
HEFT_HD void rotation_from_quaternion(const Scalar* q, Scalar* R) {
  const Scalar one(1), two(2), w = q[0], x = q[1], y = q[2], z = q[3];
  R[0] = one - two * (y * y + z * z);
  R[1] = two * (x * y - w * z);
  R[2] = two * (x * z + w * y);
  R[3] = two * (x * y + w * z);
  R[4] = one - two * (x * x + z * z);
  R[5] = two * (y * z - w * x);
  R[6] = two * (x * z - w * y);
  R[7] = two * (y * z + w * x);
  R[8] = one - two * (x * x + y * y);
}

/// The unit quaternion, w x y z with w >= 0, of a rotation: the column of the 4x4 matrix of
/// products q q' with the largest diagonal, normalized.
template <class Scalar>
HEFT_HD void quaternion_from_rotation(const Scalar* R, Scalar* q) {
  const Scalar zero(0), one(1);
  // 4 q q'
  const Scalar products[4][4] = {{one + R[0] + R[4] + R[8], R[7] - R[5], R[2] - R[6], R[3] - R[1]},
                                 {R[7] - R[5], one + R[0] - R[4] - R[8], R[1] + R[3], R[2] + R[6]},
                                 {R[2] - R[6], R[1] + R[3], one - R[0] + R[4] - R[8], R[5] + R[7]},
                                 {R[3] - R[1], R[2] + R[6], R[5] + R[7], one - R[0] - R[4] + R[8]}};
  Scalar best = products[0][0];
  for (int i = 0; i < 4; ++i) q[i] = products[0][i];
  for (int k = 1; k < 4; ++k) {
    const Scalar less = best - products[k][k];
    best = if_negative(less, products[k][k], best);
    for (int i = 0; i < 4; ++i) q[i] = if_negative(less, products[k][i], q[i]);
  }
  const Scalar norm = square_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const Scalar factor = if_negative(q[0], zero - one, one) / norm;
  for (int i = 0; i < 4; ++i) q[i] = q[i] * factor;
}

/// q <- q exp([db]x / 2), normalized to the last bit.
template <class Scalar>
HEFT_HD void turn_quaternion(const Scalar* db, Scalar* q) {
  const Scalar half(0.5), one(1), nothing(1e-30);
  const Scalar angle = square_root(db[0] * db[0] + db[1] * db[1] + db[2] * db[2]);
  Scalar sine, cosine;
  sin_cos(half * angle, sine, cosine);
  const Scalar share = if_negative(angle - nothing, half, sine / (angle + nothing));
  const Scalar w = q[0], x = q[1], y = q[2], z = q[3], a = share * db[0], b = share * db[1],
               c = share * db[2];
  q[0] = w * cosine - x * a - y * b - z * c;
  q[1] = x * cosine + w * a + y * c - z * b;
  q[2] = y * cosine + w * b + z * a - x * c;
  q[3] = z * cosine + w * c + x * b - y * a;
  const Scalar factor = one / square_root(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  for (int i = 0; i < 4; ++i) q[i] = q[i] * factor;
}

/// Adds s (u v' + v u') / 2 to the upper-left block of a 4x4 matrix.
template <class Scalar>
HEFT_HD void add_symmetric(const Scalar& s, const Scalar* u, const Scalar* v, int stride,
                           Scalar* J) {
  const Scalar half = Scalar(0.5) * s;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j)
      J[4 * i + j] =
          J[4 * i + j] + half * (u[stride * i] * v[stride * j] + v[stride * i] * u[stride * j]);
}

/// The ten parameters at a point.
template <class Scalar>
HEFT_HD void parameters_from_manifold(const Scalar* point, Scalar* pi) {
  const Scalar m = point[0], *c = point + 1, *L = point + 8;
  Scalar R[9], J[16];
  rotation_from_quaternion(point + 4, R);
  for (int i = 0; i < 16; ++i) J[i] = Scalar(0);
  for (int k = 0; k < 3; ++k) add_symmetric(L[k], R + k, R + k, 3, J);
  add_symmetric(m, c, c, 1, J);
  for (int i = 0; i < 3; ++i) J[4 * i + 3] = J[12 + i] = m * c[i];
  J[15] = m;
  parameters_from_pseudo_inertia(J, pi);
}

/// A point of a body with positive mass; L may be negative if the body is impossible. R is a proper
/// rotation.
template <class Scalar>
HEFT_HD void manifold_from_parameters(const Scalar* pi, Scalar* point) {
  const Scalar zero(0), one(1);
  Scalar J[16], sigma[9], R[9];
  pseudo_inertia_from_parameters(pi, J);
  const Scalar inverse = one / pi[kMass];
  point[0] = pi[kMass];
  for (int i = 0; i < 3; ++i) point[1 + i] = J[4 * i + 3] * inverse;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) sigma[3 * i + j] = J[4 * i + j] - J[4 * i + 3] * point[1 + j];
  symmetric_eigen<3>(sigma, point + 8, R);
  const Scalar determinant = R[0] * (R[4] * R[8] - R[5] * R[7]) -
                             R[1] * (R[3] * R[8] - R[5] * R[6]) +
                             R[2] * (R[3] * R[7] - R[4] * R[6]);
  const Scalar hand = if_negative(determinant, zero - one, one);
  for (int i = 0; i < 3; ++i) R[3 * i + 2] = R[3 * i + 2] * hand;
  quaternion_from_rotation(R, point + 4);
}

/// Writes d pi / d(m, c, b, L) (10 x 10, row-major: one row per parameter, one column per
/// increment).
template <class Scalar>
HEFT_HD void manifold_jacobian(const Scalar* point, Scalar* jacobian) {
  const Scalar m = point[0], *c = point + 1, *L = point + 8, zero(0), one(1), two(2);
  Scalar R[9];
  rotation_from_quaternion(point + 4, R);
  for (int k = 0; k < 10; ++k) {
    Scalar J[16], column[10];
    for (int i = 0; i < 16; ++i) J[i] = zero;
    if (k == 0) {
      add_symmetric(one, c, c, 1, J);
      for (int i = 0; i < 3; ++i) J[4 * i + 3] = c[i];
      J[15] = one;
    } else if (k < 4) {
      Scalar axis[3];
      for (int i = 0; i < 3; ++i) axis[i] = i == k - 1 ? one : zero;
      add_symmetric(two * m, axis, c, 1, J);
      J[4 * (k - 1) + 3] = m;
    } else if (k < 7) {
      // of [e_k]x diag(L) - diag(L) [e_k]x only the entries of the two other axes are not zero
      const int i = (k - 3) % 3, j = (k - 2) % 3;
      add_symmetric(two * (L[i] - L[j]), R + i, R + j, 3, J);
    } else {
      add_symmetric(one, R + (k - 7), R + (k - 7), 3, J);
    }
    parameters_from_pseudo_inertia(J, column);
    for (int i = 0; i < 10; ++i) jacobian[10 * i + k] = column[i];
  }
}

/// Converts a gradient g with respect to the parameters to one with respect to (m, c, b, L): J'g.
template <class Scalar>
HEFT_HD void manifold_gradient(const Scalar* point, const Scalar* g, Scalar* gradient) {
  const Scalar m = point[0], *c = point + 1, *L = point + 8, two(2);
  const Scalar half(0.5);
  // symmetric G of dF = tr(G dSigma) + g_h'dh + g_m dm
  const Scalar G[9] = {g[kIyy] + g[kIzz], -(half * g[kIxy]), -(half * g[kIxz]),
                       -(half * g[kIxy]), g[kIxx] + g[kIzz], -(half * g[kIyz]),
                       -(half * g[kIxz]), -(half * g[kIyz]), g[kIxx] + g[kIyy]};
  Scalar R[9], GR[9], Gc[3];
  rotation_from_quaternion(point + 4, R);
  for (int i = 0; i < 3; ++i) {
    Gc[i] = G[3 * i] * c[0] + G[3 * i + 1] * c[1] + G[3 * i + 2] * c[2];
    for (int j = 0; j < 3; ++j)
      GR[3 * i + j] = G[3 * i] * R[j] + G[3 * i + 1] * R[3 + j] + G[3 * i + 2] * R[6 + j];
  }
  const auto entry = [&](int i, int j) {
    return R[i] * GR[j] + R[3 + i] * GR[3 + j] + R[6 + i] * GR[6 + j];
  };
  gradient[0] = g[kMass];
  for (int k = 0; k < 3; ++k) {
    gradient[0] = gradient[0] + c[k] * (g[kMcx + k] + Gc[k]);
    gradient[1 + k] = m * (g[kMcx + k] + two * Gc[k]);
    const int i = (k + 1) % 3, j = (k + 2) % 3;
    gradient[4 + k] = two * (L[i] - L[j]) * entry(i, j);
    gradient[7 + k] = entry(k, k);
  }
}

}  // namespace heft::core
