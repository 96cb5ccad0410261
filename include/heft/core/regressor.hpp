// Rows of the torque regressor in pseudo-inertia coordinates, one sample per Scalar (a number or a pack of
// lanes). For channel c with the screw (w_c, u_c), moved into the frame of body j (FORMULAS 1):
//
//   tau_c = sum_j tr(J_j sym(M_cj))
//   M_cj  = [[w_c]x | u_c]' [S_j | a_j]
//   S_j   = [wd_j]x + [w_j]x^2
//   a_j   = classical acceleration of the frame's origin minus gravity, in the frame
//
// A body's part of a row is written as the coefficients of the distinct entries of J_j (KernelEntry) that
// its joint keeps (ColumnSet). The weight of a row is applied to its screw when the screw starts: everything
// after that is linear in it.
//
//   Input      gives the sample: position(k), velocity(k), acceleration(k), base_motion(i), weight(c),
//              torque(c), signal(s)
//   Sink       takes the row: put(channel, column, value)
//   Workspace  holds 9 num_bodies + 6 num_rows scalars: ws(i) is a reference to the i-th
#pragma once

#include "heft/core/platform.hpp"
#include "heft/core/scalar.hpp"
#include "heft/core/tree.hpp"

namespace heft::core {

template <class Scalar>
struct Vector3 {
  Scalar x, y, z;
};

template <class Scalar>
HEFT_HD Vector3<Scalar> cross(const Vector3<Scalar>& a, const Vector3<Scalar>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

template <class Scalar>
HEFT_HD Vector3<Scalar> operator+(const Vector3<Scalar>& a, const Vector3<Scalar>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}

/// Motion of a body, in its kernel frame: angular velocity w, angular acceleration wd, acceleration of the
/// origin minus gravity a.
template <class Scalar>
struct Motion {
  Vector3<Scalar> w, wd, a;
};

/// Pose of a kernel frame in the parent's: columns of the rotation are the frame's axes.
template <class Scalar>
struct Pose {
  Scalar r[9];
  Vector3<Scalar> p;

  /// R' v: a vector of the parent's frame, in this frame.
  HEFT_HD Vector3<Scalar> to_child(const Vector3<Scalar>& v) const {
    return {r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
            r[2] * v.x + r[5] * v.y + r[8] * v.z};
  }
};

/// Pose of a body in its parent, both kernel frames; R0 and p0 are the pose at angle and slide zero:
///   R = R0 Rz(turn q + turn_offset)
///   p = p0 + R0 z (slide q + slide_offset)
template <class Scalar, class Input>
HEFT_HD Pose<Scalar> joint_pose(const BodyEntry& body, const Input& in) {
  const double* R = body.rotation;
  Pose<Scalar> pose;
  for (int i = 0; i < 9; ++i) pose.r[i] = Scalar(R[i]);
  pose.p = {Scalar(body.translation[0]), Scalar(body.translation[1]), Scalar(body.translation[2])};
  if (body.coordinate < 0) return pose;
  const Scalar q = in.position(body.coordinate);
  if (body.turn != 0) {
    Scalar s, c;
    sin_cos(Scalar(body.turn) * q + Scalar(body.turn_offset), s, c);
    for (int row = 0; row < 9; row += 3) {
      pose.r[row] = c * Scalar(R[row]) + s * Scalar(R[row + 1]);
      pose.r[row + 1] = c * Scalar(R[row + 1]) - s * Scalar(R[row]);
    }
  }
  if (body.slide != 0) {
    const Scalar d = Scalar(body.slide) * q + Scalar(body.slide_offset);
    pose.p = pose.p + Vector3<Scalar>{d * Scalar(R[2]), d * Scalar(R[5]), d * Scalar(R[8])};
  }
  return pose;
}

/// Motion of a body from its parent's (index 0): rigid transport by the pose (R, p), then the joint's own
/// turn about z at the rate td = turn qd and slide along z at the speed sd = slide qd, with tdd = turn qdd
/// and sdd = slide qdd:
///   w  = R' w_0 + z td
///   wd = R' wd_0 + w x z td + z tdd
///   a  = R' (a_0 + wd_0 x p + w_0 x (w_0 x p)) + 2 w x z sd + z sdd
template <class Scalar, class Input>
HEFT_HD Motion<Scalar> joint_motion(const BodyEntry& body, const Pose<Scalar>& pose,
                                    const Motion<Scalar>& parent, const Input& in) {
  const Vector3<Scalar> carried =
      parent.a + cross(parent.wd, pose.p) + cross(parent.w, cross(parent.w, pose.p));
  Motion<Scalar> m{pose.to_child(parent.w), pose.to_child(parent.wd), pose.to_child(carried)};
  if (body.coordinate < 0) return m;
  const Scalar qd = in.velocity(body.coordinate);
  const Scalar qdd = in.acceleration(body.coordinate);
  if (body.slide != 0) {
    const Scalar speed = Scalar(body.slide) * qd;
    m.a.x = m.a.x + Scalar(2) * speed * m.w.y;
    m.a.y = m.a.y - Scalar(2) * speed * m.w.x;
    m.a.z = m.a.z + Scalar(body.slide) * qdd;
  }
  if (body.turn != 0) {
    const Scalar rate = Scalar(body.turn) * qd;
    m.wd.x = m.wd.x + m.w.y * rate;
    m.wd.y = m.wd.y - m.w.x * rate;
    m.wd.z = m.wd.z + Scalar(body.turn) * qdd;
    m.w.z = m.w.z + rate;
  }
  return m;
}

/// Writes one body's part of one channel's row: the derivatives of tr(J sym(M)), M = [[w]x | u]' [S | a], by
/// the kept entries of the symmetric J, each of which stands in two places unless it is on the diagonal:
///   J_kk:          M_kk
///   J_kl, k != l:  M_kl + M_lk
/// S is row-major, (w, u) the channel's screw in this frame.
template <class Scalar, class Sink>
HEFT_HD void put_body_row(ColumnSet columns, const Scalar (&S)[9], const Vector3<Scalar>& a,
                          const Vector3<Scalar>& w, const Vector3<Scalar>& u, int channel, int column,
                          Sink& sink) {
  const Scalar hx = w.z * a.y - w.y * a.z + u.x * S[0] + u.y * S[3] + u.z * S[6];
  const Scalar hy = w.x * a.z - w.z * a.x + u.x * S[1] + u.y * S[4] + u.z * S[7];
  sink.put(channel, column, hx);
  sink.put(channel, column + 1, hy);
  if (columns == ColumnSet::prismatic) {
    sink.put(channel, column + 2, w.y * a.x - w.x * a.y + u.x * S[2] + u.y * S[5] + u.z * S[8]);
    sink.put(channel, column + 3, u.x * a.x + u.y * a.y + u.z * a.z);
    return;
  }
  sink.put(channel, column + kSxy, w.z * (S[4] - S[0]) - w.y * S[7] + w.x * S[6]);
  sink.put(channel, column + kSxz, w.y * (S[0] - S[8]) + w.z * S[5] - w.x * S[3]);
  sink.put(channel, column + kSyz, w.x * (S[8] - S[4]) - w.z * S[2] + w.y * S[1]);
  sink.put(channel, column + kSxx, w.z * S[3] - w.y * S[6]);
  sink.put(channel, column + kSyy, w.x * S[7] - w.z * S[1]);
  if (columns == ColumnSet::revolute) return;
  sink.put(channel, column + kHz, w.y * a.x - w.x * a.y + u.x * S[2] + u.y * S[5] + u.z * S[8]);
  sink.put(channel, column + kM, u.x * a.x + u.y * a.y + u.z * a.z);
  if (columns == ColumnSet::all) sink.put(channel, column + kSzz, w.y * S[2] - w.x * S[5]);
}

/// What one unit of an extra column's unknown adds to a torque: 1, q, qd, qdd, sign(qd), tanh(scale qd) or a
/// sample signal, as the entry says.
template <class Scalar, class Input>
HEFT_HD Scalar feature_value(const FeatureEntry& entry, const Input& in) {
  switch (entry.feature) {
    case Feature::one:
      return Scalar(1);
    case Feature::position:
      return in.position(entry.source);
    case Feature::velocity:
      return in.velocity(entry.source);
    case Feature::acceleration:
      return in.acceleration(entry.source);
    case Feature::sign_velocity:
      return sign(in.velocity(entry.source));
    case Feature::tanh_velocity:
      return hyperbolic_tangent(in.velocity(entry.source) * Scalar(entry.scale));
    case Feature::signal:
      return in.signal(entry.source);
  }
  return Scalar(0);
}

/// Writes the rows of all channels for one sample: bodies, then extra columns, then the measured torque.
template <class Scalar, class Input, class Workspace, class Sink>
HEFT_HD void put_regressor_rows(const TreeView& tree, const Input& in, Workspace& ws, Sink& sink) {
  const int screws_begin = 9 * tree.num_bodies;
  auto load_vector = [&](int at) { return Vector3<Scalar>{ws(at), ws(at + 1), ws(at + 2)}; };
  auto store_vector = [&](int at, const Vector3<Scalar>& v) {
    ws(at) = v.x, ws(at + 1) = v.y, ws(at + 2) = v.z;
  };

  for (int b = 0; b < tree.num_bodies; ++b) {
    const BodyEntry& body = tree.bodies[b];
    const Pose<Scalar> pose = joint_pose<Scalar>(body, in);

    // motion, outward from the parent or from the base
    Motion<Scalar> parent;
    if (body.parent < 0)
      parent = {{in.base_motion(0), in.base_motion(1), in.base_motion(2)},
                {in.base_motion(3), in.base_motion(4), in.base_motion(5)},
                {in.base_motion(6), in.base_motion(7), in.base_motion(8)}};
    else
      parent = {load_vector(9 * body.parent), load_vector(9 * body.parent + 3),
                load_vector(9 * body.parent + 6)};
    const Motion<Scalar> m = joint_motion<Scalar>(body, pose, parent, in);
    store_vector(9 * b, m.w);
    store_vector(9 * b + 3, m.wd);
    store_vector(9 * b + 6, m.a);

    // screws: the parent's moved here, then the body's own
    const int rows_begin = screws_begin + 6 * body.first_row;
    if (body.parent >= 0) {
      const int parent_rows = screws_begin + 6 * tree.bodies[body.parent].first_row;
      for (int r = 0; r < body.num_parent_rows; ++r) {
        const Vector3<Scalar> w = load_vector(parent_rows + 6 * r);
        const Vector3<Scalar> u = load_vector(parent_rows + 6 * r + 3);
        store_vector(rows_begin + 6 * r, pose.to_child(w));
        store_vector(rows_begin + 6 * r + 3, pose.to_child(u + cross(w, pose.p)));
      }
    }
    for (int r = 6 * body.num_parent_rows; r < 6 * body.num_rows; ++r) ws(rows_begin + r) = Scalar(0);
    for (int k = 0; k < body.num_screws; ++k) {
      const ScrewEntry& screw = tree.screws[body.first_screw + k];
      const Scalar weight = in.weight(tree.rows[body.first_row + screw.row].channel);
      for (int i = 0; i < 3; ++i) {
        const int at = rows_begin + 6 * screw.row + i;
        ws(at) = ws(at) + weight * Scalar(screw.angular[i]);
        ws(at + 3) = ws(at + 3) + weight * Scalar(screw.linear[i]);
      }
    }
    if (body.columns == ColumnSet::none) continue;

    // S = [wd]x + [w]x^2, row-major
    const Scalar xx = m.w.x * m.w.x, yy = m.w.y * m.w.y, zz = m.w.z * m.w.z;
    const Scalar xy = m.w.x * m.w.y, xz = m.w.x * m.w.z, yz = m.w.y * m.w.z;
    const Scalar S[9] = {-yy - zz,    xy - m.wd.z, xz + m.wd.y, xy + m.wd.z, -xx - zz,
                         yz - m.wd.x, xz - m.wd.y, yz + m.wd.x, -xx - yy};
    for (int r = 0; r < body.num_rows; ++r) {
      const RowEntry& row = tree.rows[body.first_row + r];
      const int at = rows_begin + 6 * r;
      put_body_row(body.columns, S, m.a, load_vector(at), load_vector(at + 3), row.channel, row.column, sink);
    }
  }

  for (int f = 0; f < tree.num_features; ++f) {
    const FeatureEntry& entry = tree.features[f];
    sink.put(entry.channel, entry.column, in.weight(entry.channel) * feature_value<Scalar>(entry, in));
  }
  for (int c = 0; c < tree.num_channels; ++c)
    sink.put(c, tree.channels[c].width - 1, in.weight(c) * in.torque(c));
}

/// Scalars that put_regressor_rows needs as workspace.
HEFT_HD int workspace_size(const TreeView& tree) {
  return 9 * tree.num_bodies + 6 * tree.num_rows;
}

}  // namespace heft::core
