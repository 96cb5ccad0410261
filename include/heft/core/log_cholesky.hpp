// Log-Cholesky coordinates of a body: ten numbers without constraints, one to one with the bodies
// whose pseudo-inertia J is positive definite [Rucker, Wensing 2022]; FORMULAS 4.
//
//   J = U U',   U = e^a [[e^d1, s12, s13, t1], [0, e^d2, s23, t2], [0, 0, e^d3, t3], [0, 0, 0, 1]]
//
// so m = e^2a, and t is the center of mass. U is upper triangular: with a routine for J = L L',
// reverse rows and columns of J before and of L after the factorization. Threads: stateless; safe
// to call from several threads.
#pragma once

#include "heft/core/inertia.hpp"
#include "heft/core/scalar.hpp"

namespace heft::core {

/// Order of the coordinates; s23 comes before s13.
enum LogCholesky : int { kA, kD1, kD2, kD3, kS12, kS23, kS13, kT1, kT2, kT3, kNumChartCoordinates };

/// Shared by map and derivatives: e^2a and the upper triangle above, without the factor e^a.
template <class Scalar>
struct LogCholeskyFactor {
  Scalar mass, x, y, z, s12, s23, s13, t1, t2, t3;

  HEFT_HD explicit LogCholeskyFactor(const Scalar* phi)
      : mass(exponential(phi[kA] + phi[kA])),
        x(exponential(phi[kD1])),
        y(exponential(phi[kD2])),
        z(exponential(phi[kD3])),
        s12(phi[kS12]),
        s23(phi[kS23]),
        s13(phi[kS13]),
        t1(phi[kT1]),
        t2(phi[kT2]),
        t3(phi[kT3]) {}
};

/// Writes the ten parameters of U.
template <class Scalar>
HEFT_HD void parameters_from_factor(const LogCholeskyFactor<Scalar>& u, Scalar* pi) {
  const Scalar xx = u.x * u.x + u.s12 * u.s12 + u.s13 * u.s13 + u.t1 * u.t1;
  const Scalar yy = u.y * u.y + u.s23 * u.s23 + u.t2 * u.t2;
  const Scalar zz = u.z * u.z + u.t3 * u.t3;
  pi[kMass] = u.mass;
  pi[kMcx] = u.mass * u.t1;
  pi[kMcy] = u.mass * u.t2;
  pi[kMcz] = u.mass * u.t3;
  pi[kIxx] = u.mass * (yy + zz);
  pi[kIyy] = u.mass * (xx + zz);
  pi[kIzz] = u.mass * (xx + yy);
  pi[kIxy] = -(u.mass * (u.s12 * u.y + u.s13 * u.s23 + u.t1 * u.t2));
  pi[kIxz] = -(u.mass * (u.s13 * u.z + u.t1 * u.t3));
  pi[kIyz] = -(u.mass * (u.s23 * u.z + u.t2 * u.t3));
}

/// The ten parameters at the coordinates phi.
template <class Scalar>
HEFT_HD void parameters_from_log_cholesky(const Scalar* phi, Scalar* pi) {
  parameters_from_factor(LogCholeskyFactor<Scalar>(phi), pi);
}

/// Inverse. A body whose J is not positive definite gets coordinates that are not finite.
template <class Scalar>
HEFT_HD void log_cholesky_from_parameters(const Scalar* pi, Scalar* phi) {
  const Scalar half(0.5), one(1), mass = pi[kMass];
  const Scalar inverse = one / mass;
  const Scalar t1 = pi[kMcx] * inverse, t2 = pi[kMcy] * inverse, t3 = pi[kMcz] * inverse;
  const Scalar half_trace = half * (pi[kIxx] + pi[kIyy] + pi[kIzz]);
  // covariance of the mass about its center
  const Scalar xx = (half_trace - pi[kIxx]) * inverse - t1 * t1;
  const Scalar yy = (half_trace - pi[kIyy]) * inverse - t2 * t2;
  const Scalar zz = (half_trace - pi[kIzz]) * inverse - t3 * t3;
  const Scalar xy = -(pi[kIxy] * inverse) - t1 * t2;
  const Scalar xz = -(pi[kIxz] * inverse) - t1 * t3;
  const Scalar yz = -(pi[kIyz] * inverse) - t2 * t3;
  const Scalar z = square_root(zz), one_z = one / z;
  const Scalar s13 = xz * one_z, s23 = yz * one_z;
  const Scalar y2 = yy - s23 * s23, y = square_root(y2);
  const Scalar s12 = (xy - s13 * s23) / y;
  const Scalar x2 = xx - s12 * s12 - s13 * s13;
  phi[kA] = half * logarithm(mass);
  phi[kD1] = half * logarithm(x2);
  phi[kD2] = half * logarithm(y2);
  phi[kD3] = half * logarithm(zz);
  phi[kS12] = s12;
  phi[kS23] = s23;
  phi[kS13] = s13;
  phi[kT1] = t1;
  phi[kT2] = t2;
  phi[kT3] = t3;
}

/// Writes d pi / d phi (10 x 10, row-major: one row per parameter, one column per coordinate),
/// including zeros.
template <class Scalar>
HEFT_HD void log_cholesky_jacobian(const Scalar* phi, Scalar* jacobian) {
  const LogCholeskyFactor<Scalar> u(phi);
  const Scalar zero(0), m = u.mass, m2 = m + m;
  for (int i = 0; i < int(kNumParameters) * int(kNumChartCoordinates); ++i) jacobian[i] = zero;
  Scalar pi[kNumParameters];
  parameters_from_factor(u, pi);
  const auto at = [jacobian](int parameter, int coordinate) -> Scalar& {
    return jacobian[kNumChartCoordinates * parameter + coordinate];
  };
  for (int k = 0; k < kNumParameters; ++k) at(k, kA) = pi[k] + pi[k];
  at(kMcx, kT1) = at(kMcy, kT2) = at(kMcz, kT3) = m;
  // a change of the second moment about x is one of Iyy and Izz, and so on around
  at(kIyy, kD1) = at(kIzz, kD1) = m2 * u.x * u.x;
  at(kIxx, kD2) = at(kIzz, kD2) = m2 * u.y * u.y;
  at(kIxx, kD3) = at(kIyy, kD3) = m2 * u.z * u.z;
  at(kIyy, kS12) = at(kIzz, kS12) = m2 * u.s12;
  at(kIxx, kS23) = at(kIzz, kS23) = m2 * u.s23;
  at(kIyy, kS13) = at(kIzz, kS13) = m2 * u.s13;
  at(kIyy, kT1) = at(kIzz, kT1) = m2 * u.t1;
  at(kIxx, kT2) = at(kIzz, kT2) = m2 * u.t2;
  at(kIxx, kT3) = at(kIyy, kT3) = m2 * u.t3;
  // products of inertia
  at(kIxy, kD2) = -(m * u.s12 * u.y);
  at(kIxy, kS12) = -(m * u.y);
  at(kIxy, kS23) = -(m * u.s13);
  at(kIxy, kS13) = -(m * u.s23);
  at(kIxy, kT1) = -(m * u.t2);
  at(kIxy, kT2) = -(m * u.t1);
  at(kIxz, kD3) = -(m * u.s13 * u.z);
  at(kIxz, kS13) = -(m * u.z);
  at(kIxz, kT1) = -(m * u.t3);
  at(kIxz, kT3) = -(m * u.t1);
  at(kIyz, kD3) = -(m * u.s23 * u.z);
  at(kIyz, kS23) = -(m * u.z);
  at(kIyz, kT2) = -(m * u.t3);
  at(kIyz, kT3) = -(m * u.t2);
}

/// Converts a gradient g with respect to the parameters to one with respect to the coordinates:
/// J'g, without writing the Jacobian.
template <class Scalar>
HEFT_HD void log_cholesky_gradient(const Scalar* phi, const Scalar* g, Scalar* gradient) {
  const LogCholeskyFactor<Scalar> u(phi);
  const Scalar m = u.mass;
  // by the second moments; of the diagonal ones twice, since each stands in squares
  const Scalar xx = (g[kIyy] + g[kIzz]) + (g[kIyy] + g[kIzz]);
  const Scalar yy = (g[kIxx] + g[kIzz]) + (g[kIxx] + g[kIzz]);
  const Scalar zz = (g[kIxx] + g[kIyy]) + (g[kIxx] + g[kIyy]);
  const Scalar xy = -g[kIxy], xz = -g[kIxz], yz = -g[kIyz];
  // (dF / dSigma) U, column by column
  const Scalar by_x = u.x * xx;
  const Scalar by_s12 = u.s12 * xx + u.y * xy, by_y = u.y * yy + u.s12 * xy;
  const Scalar by_s13 = u.s13 * xx + u.s23 * xy + u.z * xz,
               by_s23 = u.s23 * yy + u.s13 * xy + u.z * yz;
  const Scalar by_z = u.z * zz + u.s13 * xz + u.s23 * yz;
  const Scalar by_t1 = g[kMcx] + u.t1 * xx + u.t2 * xy + u.t3 * xz;
  const Scalar by_t2 = g[kMcy] + u.t2 * yy + u.t1 * xy + u.t3 * yz;
  const Scalar by_t3 = g[kMcz] + u.t3 * zz + u.t1 * xz + u.t2 * yz;
  // d pi / d a = 2 pi, so this is 2 g'pi from the products above; first moments are linear in t and
  // count twice
  const Scalar quadratic = u.x * by_x + u.s12 * by_s12 + u.y * by_y + u.s13 * by_s13 +
                           u.s23 * by_s23 + u.z * by_z + u.t1 * (by_t1 + g[kMcx]) +
                           u.t2 * (by_t2 + g[kMcy]) + u.t3 * (by_t3 + g[kMcz]);
  gradient[kA] = m * (quadratic + g[kMass] + g[kMass]);
  gradient[kD1] = m * u.x * by_x;
  gradient[kD2] = m * u.y * by_y;
  gradient[kD3] = m * u.z * by_z;
  gradient[kS12] = m * by_s12;
  gradient[kS23] = m * by_s23;
  gradient[kS13] = m * by_s13;
  gradient[kT1] = m * by_t1;
  gradient[kT2] = m * by_t2;
  gradient[kT3] = m * by_t3;
}

}  // namespace heft::core
