// One body's part of one channel's row: the derivatives of tr(J sym(M)), M = [[w]x | u]' [S | a],
// by the kept entries of the symmetric J, each of which occurs twice unless it is on the diagonal:
//
//   J_kk:          M_kk
//   J_kl, k != l:  M_kl + M_lk
//
// (w, u) is the channel's screw and (S, a) the body's acceleration, both in the body's kernel frame
// (FORMULAS 1). `out` takes the coefficient of entry k as out.put(k, value). Threads: stateless;
// safe to call from several threads.
#pragma once

#include "heft/core/motion.hpp"

namespace heft::core {

template <class Scalar>
HEFT_HD Scalar hz_coefficient(const Acceleration<Scalar>& acceleration,
                              const Screw<Scalar>& screw) {
  const Matrix3<Scalar>& S = acceleration.S;
  const Vector3<Scalar>&w = screw.w, &u = screw.u, &a = acceleration.a;
  return w.y * a.x - w.x * a.y + u.x * S.xz + u.y * S.yz + u.z * S.zz;
}

template <class Scalar>
HEFT_HD Scalar mass_coefficient(const Acceleration<Scalar>& acceleration,
                                const Vector3<Scalar>& u) {
  const Vector3<Scalar>& a = acceleration.a;
  return u.x * a.x + u.y * a.y + u.z * a.z;
}

/// A general screw.
template <class Scalar, class RowSink>
HEFT_HD void put_general_row(ColumnSet columns, const Acceleration<Scalar>& acceleration,
                             const Screw<Scalar>& screw, RowSink out) {
  const Matrix3<Scalar>& S = acceleration.S;
  const Vector3<Scalar>&w = screw.w, &u = screw.u, &a = acceleration.a;
  out.put(kHx, u.x * S.xx + u.y * S.yx + u.z * S.zx + w.z * a.y - w.y * a.z);
  out.put(kHy, u.x * S.xy + u.y * S.yy + u.z * S.zy + w.x * a.z - w.z * a.x);
  if (columns == ColumnSet::prismatic) {
    out.put(2, hz_coefficient(acceleration, screw));
    out.put(3, mass_coefficient(acceleration, u));
    return;
  }
  out.put(kSxy, w.z * (S.yy - S.xx) - w.y * S.zy + w.x * S.zx);
  out.put(kSxz, w.y * (S.xx - S.zz) + w.z * S.yz - w.x * S.yx);
  out.put(kSyz, w.x * (S.zz - S.yy) - w.z * S.xz + w.y * S.xy);
  out.put(kSxx, w.z * S.yx - w.y * S.zx);
  out.put(kSyy, w.x * S.zy - w.z * S.xy);
  if (columns == ColumnSet::revolute) return;
  out.put(kHz, hz_coefficient(acceleration, screw));
  out.put(kM, mass_coefficient(acceleration, u));
  if (columns == ColumnSet::all) out.put(kSzz, w.y * S.xz - w.x * S.yz);
}

/// A pure force u: no rotational columns.
template <class Scalar, class RowSink>
HEFT_HD void put_force_row(ColumnSet columns, const Acceleration<Scalar>& acceleration,
                           const Vector3<Scalar>& u, RowSink out) {
  const Matrix3<Scalar>& S = acceleration.S;
  out.put(0, u.x * S.xx + u.y * S.yx + u.z * S.zx);
  out.put(1, u.x * S.xy + u.y * S.yy + u.z * S.zy);
  if (columns == ColumnSet::force) return;
  out.put(2, u.x * S.xz + u.y * S.yz + u.z * S.zz);
  out.put(3, mass_coefficient(acceleration, u));
}

/// The body's own revolute joint: w = (0, 0, rate), u = 0.
template <class Scalar, class RowSink>
HEFT_HD void put_turn_row(ColumnSet columns, const Acceleration<Scalar>& acceleration,
                          const Scalar& rate, RowSink out) {
  const Matrix3<Scalar>& S = acceleration.S;
  out.put(kHx, rate * acceleration.a.y);
  out.put(kHy, -(rate * acceleration.a.x));
  if (columns == ColumnSet::first) {  // nothing else turns the body: S.yx = -S.xy, one coefficient
                                      // for Sxx and Syy
    out.put(2, rate * S.yx);
    return;
  }
  out.put(kSxy, rate * (S.yy - S.xx));
  out.put(kSxz, rate * S.yz);
  out.put(kSyz, -(rate * S.xz));
  out.put(kSxx, rate * S.yx);
  out.put(kSyy, -(rate * S.xy));
  for (int k = kHz; k < static_cast<int>(columns); ++k) out.put(k, Scalar(0));
}

}  // namespace heft::core
