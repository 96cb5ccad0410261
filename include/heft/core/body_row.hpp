// One body's part of one channel's row: the derivatives of tr(J sym(M)), M = [[w]x | u]' [S | a], by the kept entries
// of the symmetric J, each of which stands in two places unless it is on the diagonal:
//
//   J_kk:          M_kk
//   J_kl, k != l:  M_kl + M_lk
//
// (w, u) is the channel's screw and (S, a) the body's motion, both in the body's kernel frame (FORMULAS 1). `out`
// takes the coefficient of entry k as out.put(k, value).
#pragma once

#include "heft/core/motion.hpp"

namespace heft::core {

/// A screw of which nothing is known.
template <class Scalar, class RowSink>
HEFT_HD void put_general_row(ColumnSet columns, const Motion<Scalar>& m, const Screw<Scalar>& screw,
                             RowSink out) {
  const Scalar* S = m.S;
  const Vector3<Scalar>&w = screw.w, &u = screw.u, &a = m.a;
  out.put(kHx, u.x * S[0] + u.y * S[3] + u.z * S[6] + w.z * a.y - w.y * a.z);
  out.put(kHy, u.x * S[1] + u.y * S[4] + u.z * S[7] + w.x * a.z - w.z * a.x);
  const auto hz = [&] { return w.y * a.x - w.x * a.y + u.x * S[2] + u.y * S[5] + u.z * S[8]; };
  const auto mass = [&] { return u.x * a.x + u.y * a.y + u.z * a.z; };
  if (columns == ColumnSet::prismatic) {
    out.put(2, hz());
    out.put(3, mass());
    return;
  }
  out.put(kSxy, w.z * (S[4] - S[0]) - w.y * S[7] + w.x * S[6]);
  out.put(kSxz, w.y * (S[0] - S[8]) + w.z * S[5] - w.x * S[3]);
  out.put(kSyz, w.x * (S[8] - S[4]) - w.z * S[2] + w.y * S[1]);
  out.put(kSxx, w.z * S[3] - w.y * S[6]);
  out.put(kSyy, w.x * S[7] - w.z * S[1]);
  if (columns == ColumnSet::revolute) return;
  out.put(kHz, hz());
  out.put(kM, mass());
  if (columns == ColumnSet::all) out.put(kSzz, w.y * S[2] - w.x * S[5]);
}

/// A pure force u: no rotational columns.
template <class Scalar, class RowSink>
HEFT_HD void put_force_row(ColumnSet columns, const Motion<Scalar>& m, const Vector3<Scalar>& u,
                           RowSink out) {
  const Scalar* S = m.S;
  out.put(0, u.x * S[0] + u.y * S[3] + u.z * S[6]);
  out.put(1, u.x * S[1] + u.y * S[4] + u.z * S[7]);
  if (columns == ColumnSet::force) return;
  out.put(2, u.x * S[2] + u.y * S[5] + u.z * S[8]);
  out.put(3, u.x * m.a.x + u.y * m.a.y + u.z * m.a.z);
}

/// The body's own revolute joint: w = (0, 0, rate), u = 0.
template <class Scalar, class RowSink>
HEFT_HD void put_turn_row(ColumnSet columns, const Motion<Scalar>& m, const Scalar& rate, RowSink out) {
  const Scalar* S = m.S;
  out.put(kHx, rate * m.a.y);
  out.put(kHy, -(rate * m.a.x));
  out.put(kSxy, rate * (S[4] - S[0]));
  out.put(kSxz, rate * S[5]);
  out.put(kSyz, -(rate * S[2]));
  out.put(kSxx, rate * S[3]);
  out.put(kSyy, -(rate * S[1]));
  for (int k = kHz; k < static_cast<int>(columns); ++k) out.put(k, Scalar(0));
}

}  // namespace heft::core
