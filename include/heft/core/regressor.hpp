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
//   Sink       takes the rows: row(entry).put(k, value) for column k of a body in a RowEntry,
//              put_feature(entry, value), put_torque(channel, value)
//   Workspace  holds workspace_size(tree) scalars: ws(i) is a reference to the i-th
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
/// origin minus gravity a, and S = [wd]x + [w]x^2, row-major.
template <class Scalar>
struct Motion {
  Vector3<Scalar> w, wd, a;
  Scalar S[9];

  HEFT_HD void compute_S() {
    const Scalar xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
    const Scalar xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
    S[0] = -yy - zz, S[1] = xy - wd.z, S[2] = xz + wd.y;
    S[3] = xy + wd.z, S[4] = -xx - zz, S[5] = yz - wd.x;
    S[6] = xz - wd.y, S[7] = yz + wd.x, S[8] = -xx - yy;
  }
};

template <class Scalar>
struct Screw {
  Vector3<Scalar> w, u;
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

/// Sine and cosine of a body's angle, turn q + turn_offset.
template <class Scalar, class Input>
HEFT_HD void joint_angle(const BodyEntry& body, const Input& in, Scalar& sine, Scalar& cosine) {
  sin_cos(Scalar(body.turn) * in.position(body.coordinate) + Scalar(body.turn_offset), sine, cosine);
}

/// Pose of a body in its parent, both kernel frames; R0 and p0 are the pose at angle and slide zero:
///   R = R0 Rz(turn q + turn_offset)
///   p = p0 + R0 z (slide q + slide_offset)
template <class Scalar, class Input>
HEFT_HD Pose<Scalar> joint_pose(const BodyEntry& body, const Input& in, const Scalar& sine,
                                const Scalar& cosine) {
  const double* R = body.rotation;
  Pose<Scalar> pose;
  for (int i = 0; i < 9; ++i) pose.r[i] = Scalar(R[i]);
  pose.p = {Scalar(body.translation[0]), Scalar(body.translation[1]), Scalar(body.translation[2])};
  if (body.coordinate < 0) return pose;
  if (body.turn != 0) {
    for (int row = 0; row < 9; row += 3) {
      pose.r[row] = cosine * Scalar(R[row]) + sine * Scalar(R[row + 1]);
      pose.r[row + 1] = cosine * Scalar(R[row + 1]) - sine * Scalar(R[row]);
    }
  }
  if (body.slide != 0) {
    const Scalar d = Scalar(body.slide) * in.position(body.coordinate) + Scalar(body.slide_offset);
    pose.p = pose.p + Vector3<Scalar>{d * Scalar(R[2]), d * Scalar(R[5]), d * Scalar(R[8])};
  }
  return pose;
}

/// Motion of a body from its parent's (index 0): rigid transport by the pose (R, p), then the joint's own
/// turn about z at the rate td = turn qd and slide along z at the speed sd = slide qd, with tdd = turn qdd
/// and sdd = slide qdd:
///   w  = R' w_0 + z td
///   wd = R' wd_0 + w x z td + z tdd
///   a  = R' (a_0 + S_0 p) + 2 w x z sd + z sdd
template <class Scalar, class Input>
HEFT_HD Motion<Scalar> joint_motion(const BodyEntry& body, const Pose<Scalar>& pose,
                                    const Motion<Scalar>& parent, const Input& in) {
  const Scalar* S = parent.S;
  const Vector3<Scalar>& p = pose.p;
  const Vector3<Scalar> carried{parent.a.x + S[0] * p.x + S[1] * p.y + S[2] * p.z,
                                parent.a.y + S[3] * p.x + S[4] * p.y + S[5] * p.z,
                                parent.a.z + S[6] * p.x + S[7] * p.y + S[8] * p.z};
  Motion<Scalar> m{pose.to_child(parent.w), pose.to_child(parent.wd), pose.to_child(carried), {}};
  if (body.coordinate < 0) {
    m.compute_S();
    return m;
  }
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
  m.compute_S();
  return m;
}

/// Writes one body's part of one channel's row: the derivatives of tr(J sym(M)), M = [[w]x | u]' [S | a], by
/// the kept entries of the symmetric J, each of which stands in two places unless it is on the diagonal:
///   J_kk:          M_kk
///   J_kl, k != l:  M_kl + M_lk
/// (w, u) is the channel's screw in this frame. What the row's kind says is zero is not computed.
template <class Scalar, class RowSink>
HEFT_HD void put_body_row(const RowEntry& row, const Motion<Scalar>& m, const Screw<Scalar>& screw,
                          RowSink out) {
  const Scalar* S = m.S;
  const Vector3<Scalar>&w = screw.w, &u = screw.u, &a = m.a;
  if (row.kind == RowKind::turn) {
    out.put(kHx, w.z * a.y);
    out.put(kHy, -(w.z * a.x));
    out.put(kSxy, w.z * (S[4] - S[0]));
    out.put(kSxz, w.z * S[5]);
    out.put(kSyz, -(w.z * S[2]));
    out.put(kSxx, w.z * S[3]);
    out.put(kSyy, -(w.z * S[1]));
    for (int k = kHz; k < static_cast<int>(row.columns); ++k) out.put(k, Scalar(0));
    return;
  }
  Scalar hx = u.x * S[0] + u.y * S[3] + u.z * S[6];
  Scalar hy = u.x * S[1] + u.y * S[4] + u.z * S[7];
  if (row.kind == RowKind::force) {
    out.put(0, hx);
    out.put(1, hy);
    if (row.columns == ColumnSet::force) return;
    out.put(2, u.x * S[2] + u.y * S[5] + u.z * S[8]);
    out.put(3, u.x * a.x + u.y * a.y + u.z * a.z);
    return;
  }
  hx = hx + w.z * a.y - w.y * a.z;
  hy = hy + w.x * a.z - w.z * a.x;
  const Scalar hz = w.y * a.x - w.x * a.y + u.x * S[2] + u.y * S[5] + u.z * S[8];
  const Scalar mass = u.x * a.x + u.y * a.y + u.z * a.z;
  out.put(0, hx);
  out.put(1, hy);
  if (row.columns == ColumnSet::prismatic) {
    out.put(2, hz);
    out.put(3, mass);
    return;
  }
  out.put(kSxy, w.z * (S[4] - S[0]) - w.y * S[7] + w.x * S[6]);
  out.put(kSxz, w.y * (S[0] - S[8]) + w.z * S[5] - w.x * S[3]);
  out.put(kSyz, w.x * (S[8] - S[4]) - w.z * S[2] + w.y * S[1]);
  out.put(kSxx, w.z * S[3] - w.y * S[6]);
  out.put(kSyy, w.x * S[7] - w.z * S[1]);
  if (row.columns == ColumnSet::revolute) return;
  out.put(kHz, hz);
  out.put(kM, mass);
  if (row.columns == ColumnSet::all) out.put(kSzz, w.y * S[2] - w.x * S[5]);
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

/// Where a sample's intermediate results lie in a workspace: the motion of the base, those of the bodies, the
/// sines and cosines of their angles, the screws of all rows.
struct WorkspaceLayout {
  int angles_begin, screws_begin;

  static constexpr int kMotionSize = 18, kAngleSize = 2, kScrewSize = 6;
  HEFT_HD explicit WorkspaceLayout(const TreeView& tree)
      : angles_begin(kMotionSize * (tree.num_bodies + 1)),
        screws_begin(angles_begin + kAngleSize * tree.num_bodies) {}
  HEFT_HD int motion(int body) const { return kMotionSize * (body + 1); }
  HEFT_HD int angle(int body) const { return angles_begin + kAngleSize * body; }
  HEFT_HD int screw(int row) const { return screws_begin + kScrewSize * row; }
};

template <class Scalar, class Workspace>
HEFT_HD void store_vector(Workspace& ws, int at, const Vector3<Scalar>& v) {
  ws(at) = v.x, ws(at + 1) = v.y, ws(at + 2) = v.z;
}

template <class Scalar, class Workspace>
HEFT_HD Vector3<Scalar> load_vector(Workspace& ws, int at) {
  return {ws(at), ws(at + 1), ws(at + 2)};
}

template <class Scalar, class Workspace>
HEFT_HD void store_motion(Workspace& ws, int at, const Motion<Scalar>& m) {
  store_vector(ws, at, m.w);
  store_vector(ws, at + 3, m.wd);
  store_vector(ws, at + 6, m.a);
  for (int i = 0; i < 9; ++i) ws(at + 9 + i) = m.S[i];
}

template <class Scalar, class Workspace>
HEFT_HD Motion<Scalar> load_motion(Workspace& ws, int at) {
  Motion<Scalar> m{
      load_vector<Scalar>(ws, at), load_vector<Scalar>(ws, at + 3), load_vector<Scalar>(ws, at + 6), {}};
  for (int i = 0; i < 9; ++i) m.S[i] = ws(at + 9 + i);
  return m;
}

/// Keeps of a screw what its kind does not tell.
template <class Scalar, class Workspace>
HEFT_HD void store_screw(Workspace& ws, int at, RowKind kind, const Screw<Scalar>& screw) {
  if (kind == RowKind::turn) {
    ws(at + 2) = screw.w.z;
    return;
  }
  if (kind == RowKind::general) store_vector(ws, at, screw.w);
  store_vector(ws, at + 3, screw.u);
}

/// A screw of the parent's kernel frame, in the child's:
///   w = R' w_0
///   u = R' (u_0 + w_0 x p)
template <class Scalar, class Workspace>
HEFT_HD Screw<Scalar> moved_screw(RowKind kind, const Pose<Scalar>& pose, Workspace& ws, int at) {
  const Scalar zero(0);
  if (kind == RowKind::force) return {{zero, zero, zero}, pose.to_child(load_vector<Scalar>(ws, at + 3))};
  if (kind == RowKind::turn) {
    const Scalar k = ws(at + 2);
    const Scalar x = k * pose.p.x, y = -(k * pose.p.y);
    return {{k * pose.r[6], k * pose.r[7], k * pose.r[8]},
            {pose.r[0] * y + pose.r[3] * x, pose.r[1] * y + pose.r[4] * x, pose.r[2] * y + pose.r[5] * x}};
  }
  const Vector3<Scalar> w = load_vector<Scalar>(ws, at);
  return {pose.to_child(w), pose.to_child(load_vector<Scalar>(ws, at + 3) + cross(w, pose.p))};
}

/// Writes the rows of all channels for one sample: the measured torque, then bodies, then extra columns.
template <class Scalar, class Input, class Workspace, class Sink>
HEFT_HD void put_regressor_rows(const TreeView& tree, const Input& in, Workspace& ws, Sink& sink) {
  for (int c = 0; c < tree.num_channels; ++c) sink.put_torque(c, in.weight(c) * in.torque(c));

  const WorkspaceLayout layout(tree);
  Motion<Scalar> base{{in.base_motion(0), in.base_motion(1), in.base_motion(2)},
                      {in.base_motion(3), in.base_motion(4), in.base_motion(5)},
                      {in.base_motion(6), in.base_motion(7), in.base_motion(8)},
                      {}};
  base.compute_S();
  store_motion(ws, layout.motion(-1), base);

  // all angles first: they depend on nothing, so that their long chains of operations overlap
  for (int b = 0; b < tree.num_bodies; ++b)
    if (tree.bodies[b].turn != 0)
      joint_angle<Scalar>(tree.bodies[b], in, ws(layout.angle(b)), ws(layout.angle(b) + 1));

  for (int b = 0; b < tree.num_bodies; ++b) {
    const BodyEntry& body = tree.bodies[b];
    const Pose<Scalar> pose = joint_pose<Scalar>(body, in, ws(layout.angle(b)), ws(layout.angle(b) + 1));
    const Motion<Scalar> m =
        joint_motion<Scalar>(body, pose, load_motion<Scalar>(ws, layout.motion(body.parent)), in);
    if (body.has_children) store_motion(ws, layout.motion(b), m);

    // rows: the parent's screws moved here, then the body's own
    const int parent_rows = body.parent < 0 ? 0 : tree.bodies[body.parent].first_row;
    int next_screw = body.first_screw;
    const int end_screw = body.first_screw + body.num_screws;
    for (int r = 0; r < body.num_rows; ++r) {
      const RowEntry& row = tree.rows[body.first_row + r];
      const Scalar zero(0);
      Screw<Scalar> screw{{zero, zero, zero}, {zero, zero, zero}};
      if (r < body.num_parent_rows)
        screw = moved_screw<Scalar>(tree.rows[parent_rows + r].kind, pose, ws, layout.screw(parent_rows + r));
      for (; next_screw < end_screw && tree.screws[next_screw].row == r; ++next_screw) {
        const ScrewEntry& own = tree.screws[next_screw];
        const Scalar weight = in.weight(row.channel);
        screw.w = screw.w + Vector3<Scalar>{weight * Scalar(own.angular[0]), weight * Scalar(own.angular[1]),
                                            weight * Scalar(own.angular[2])};
        screw.u = screw.u + Vector3<Scalar>{weight * Scalar(own.linear[0]), weight * Scalar(own.linear[1]),
                                            weight * Scalar(own.linear[2])};
      }
      if (body.has_children) store_screw(ws, layout.screw(body.first_row + r), row.kind, screw);
      if (row.columns != ColumnSet::none) put_body_row(row, m, screw, sink.row(row));
    }
  }

  for (int f = 0; f < tree.num_features; ++f) {
    const FeatureEntry& entry = tree.features[f];
    sink.put_feature(entry, in.weight(entry.channel) * feature_value<Scalar>(entry, in));
  }
}

/// Scalars that put_regressor_rows needs as workspace.
HEFT_HD int workspace_size(const TreeView& tree) {
  return WorkspaceLayout(tree).screw(tree.num_rows);
}

}  // namespace heft::core
