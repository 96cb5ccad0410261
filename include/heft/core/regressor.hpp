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

#include <cstddef>

#include "heft/core/body_row.hpp"
#include "heft/core/motion.hpp"

namespace heft::core {

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
  std::ptrdiff_t angles_begin, screws_begin;

  static constexpr std::ptrdiff_t kMotionSize = 18, kAngleSize = 2, kScrewSize = 6;
  HEFT_HD explicit WorkspaceLayout(const TreeView& tree)
      : angles_begin(kMotionSize * (tree.num_bodies + 1)),
        screws_begin(angles_begin + kAngleSize * tree.num_bodies) {}
  HEFT_HD std::ptrdiff_t motion(int body) const { return kMotionSize * (body + 1); }
  HEFT_HD std::ptrdiff_t angle(int body) const { return angles_begin + kAngleSize * body; }
  HEFT_HD std::ptrdiff_t screw(int row) const { return screws_begin + kScrewSize * row; }
};

template <class Scalar, class Workspace>
HEFT_HD void store_vector(Workspace& ws, std::ptrdiff_t at, const Vector3<Scalar>& v) {
  ws(at) = v.x, ws(at + 1) = v.y, ws(at + 2) = v.z;
}

template <class Scalar, class Workspace>
HEFT_HD Vector3<Scalar> load_vector(Workspace& ws, std::ptrdiff_t at) {
  return {ws(at), ws(at + 1), ws(at + 2)};
}

template <class Scalar, class Workspace>
HEFT_HD void store_motion(Workspace& ws, std::ptrdiff_t at, const Motion<Scalar>& m) {
  store_vector(ws, at, m.w);
  store_vector(ws, at + 3, m.wd);
  store_vector(ws, at + 6, m.a);
  for (int i = 0; i < 9; ++i) ws(at + 9 + i) = m.S[i];
}

template <class Scalar, class Workspace>
HEFT_HD Motion<Scalar> load_motion(Workspace& ws, std::ptrdiff_t at) {
  Motion<Scalar> m{
      load_vector<Scalar>(ws, at), load_vector<Scalar>(ws, at + 3), load_vector<Scalar>(ws, at + 6), {}};
  for (int i = 0; i < 9; ++i) m.S[i] = ws(at + 9 + i);
  return m;
}

template <class Scalar, class Workspace>
HEFT_HD void store_screw(Workspace& ws, std::ptrdiff_t at, const Screw<Scalar>& screw) {
  store_vector(ws, at, screw.w);
  store_vector(ws, at + 3, screw.u);
}

template <class Scalar, class Workspace>
HEFT_HD Screw<Scalar> load_screw(Workspace& ws, std::ptrdiff_t at) {
  return {load_vector<Scalar>(ws, at), load_vector<Scalar>(ws, at + 3)};
}

/// Makes the rows of one body for one sample, a run at a time. Row i of the tree's is row i + to_parent of the
/// parent; the screws of a body without children are not kept.
template <class Scalar, class Workspace, class Sink>
struct BodyRows {
  const TreeView& tree;
  const BodyEntry& body;
  const Pose<Scalar>& pose;
  const Motion<Scalar>& motion;
  Workspace& ws;
  Sink& sink;
  WorkspaceLayout layout{tree};
  int to_parent = body.parent < 0 ? 0 : tree.bodies[body.parent].first_row - body.first_row;

  HEFT_HD Screw<Scalar> moved_screw(int i) const {
    return to_child(pose, load_screw<Scalar>(ws, layout.screw(i + to_parent)));
  }
  HEFT_HD void keep(int i, const Screw<Scalar>& screw) const {
    if (body.has_children) store_screw(ws, layout.screw(i), screw);
  }

  HEFT_HD void put_moved(int i) const {
    const Screw<Scalar> screw = moved_screw(i);
    keep(i, screw);
    put_general_row(ColumnSet::revolute, motion, screw, sink.row(tree.rows[i]));
  }
  HEFT_HD void put_moved_force(int i) const {
    const Scalar zero(0);
    const Vector3<Scalar> u = pose.to_child(load_vector<Scalar>(ws, layout.screw(i + to_parent) + 3));
    keep(i, {{zero, zero, zero}, u});
    if (body.columns != ColumnSet::none)
      put_force_row(tree.rows[i].columns, motion, u, sink.row(tree.rows[i]));
  }
  template <class Input>
  HEFT_HD void put_turn(int i, const Input& in) const {
    const Scalar zero(0), rate = in.weight(tree.rows[i].channel) * Scalar(body.turn);
    keep(i, {{zero, zero, rate}, {zero, zero, zero}});
    if (body.columns != ColumnSet::none)
      put_turn_row(tree.rows[i].columns, motion, rate, sink.row(tree.rows[i]));
  }
  /// The parent's screw moved here, if there is one, and the body's own that enter this row.
  template <class Input>
  HEFT_HD void put_mixed(int i, const Input& in) const {
    const RowEntry& row = tree.rows[i];
    const int own_row = i - body.first_row;
    const Scalar zero(0);
    Screw<Scalar> screw{{zero, zero, zero}, {zero, zero, zero}};
    if (own_row < body.num_parent_rows) screw = moved_screw(i);
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const ScrewEntry& own = tree.screws[s];
      if (own.row != own_row) continue;
      const Scalar weight = in.weight(row.channel);
      screw.w = screw.w + Vector3<Scalar>{weight * Scalar(own.angular[0]), weight * Scalar(own.angular[1]),
                                          weight * Scalar(own.angular[2])};
      screw.u = screw.u + Vector3<Scalar>{weight * Scalar(own.linear[0]), weight * Scalar(own.linear[1]),
                                          weight * Scalar(own.linear[2])};
    }
    keep(i, screw);
    if (body.columns == ColumnSet::none) return;
    if (row.kind == RowKind::force)
      put_force_row(row.columns, motion, screw.u, sink.row(row));
    else
      put_general_row(row.columns, motion, screw, sink.row(row));
  }

  template <class Input>
  HEFT_HD void put(const RowRun& run, const Input& in) const {
    const int begin = run.first_row, end = run.first_row + run.num_rows;
    switch (run.kind) {
      case RunKind::moved:
        for (int i = begin; i < end; ++i) put_moved(i);
        return;
      case RunKind::moved_force:
        for (int i = begin; i < end; ++i) put_moved_force(i);
        return;
      case RunKind::turn:
        put_turn(begin, in);
        return;
      case RunKind::mixed:
        for (int i = begin; i < end; ++i) put_mixed(i, in);
        return;
    }
  }
};

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

    const BodyRows<Scalar, Workspace, Sink> rows{tree, body, pose, m, ws, sink};
    for (int i = body.first_run; i < body.first_run + body.num_runs; ++i) rows.put(tree.runs[i], in);
  }

  for (int f = 0; f < tree.num_features; ++f) {
    const FeatureEntry& entry = tree.features[f];
    sink.put_feature(entry, in.weight(entry.channel) * feature_value<Scalar>(entry, in));
  }
}

/// Scalars that put_regressor_rows needs as workspace.
HEFT_HD int workspace_size(const TreeView& tree) {
  return static_cast<int>(WorkspaceLayout(tree).screw(tree.num_rows));
}

}  // namespace heft::core
