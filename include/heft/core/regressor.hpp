// Rows of the torque regressor in pseudo-inertia coordinates, one sample per Scalar (a number or a
// pack of lanes). For channel c with the screw (w_c, u_c), moved into the frame of body j (FORMULAS
// 1):
//
//   tau_c = sum_j tr(J_j sym(M_cj))
//   M_cj  = [[w_c]x | u_c]' [S_j | a_j]
//   S_j   = [wd_j]x + [w_j]x^2
//   a_j   = classical acceleration of the frame's origin minus gravity, in the frame
//
// A body's part of a row is written as the coefficients of the columns that its joint keeps
// (ColumnSet): distinct entries of J_j (KernelEntry), or the sum of two. The weight of a row is
// applied to its screw at the start; all later steps are linear in the screw.
//
//   Input      gives the sample: position(k), velocity(k), acceleration(k), base_motion(i),
//              weight(c),
//              torque(c), signal(s)
//   Sink       takes the rows: row(entry).put(k, value) for column k of a body in a RowEntry,
//              put_feature(entry, value), put_torque(channel, value)
//   Workspace  holds workspace_size(tree) scalars: ws(i) is a reference to the i-th
// Threads: stateless; safe to call from several threads.
#pragma once

#include <cstddef>

#include "heft/core/body_row.hpp"
#include "heft/core/motion.hpp"

namespace heft::core {

/// Contribution of one unit of an extra column's unknown to a torque: 1, q, qd, qdd, sign(qd),
/// tanh(scale qd) or a sample signal, selected by the entry.
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

/// Layout of a sample's intermediate results in a workspace: motions of the base and of the bodies,
/// weights of the channels, screws of all rows.
struct WorkspaceLayout {
  std::ptrdiff_t weights_begin, screws_begin;

  static constexpr std::ptrdiff_t kMotionSize = 9, kScrewSize = 6;
  HEFT_HD explicit WorkspaceLayout(const TreeView& tree)
      : weights_begin(kMotionSize * (tree.num_bodies + 1)),
        screws_begin(weights_begin + tree.num_channels) {}
  HEFT_HD std::ptrdiff_t motion(int body) const { return kMotionSize * (body + 1); }
  HEFT_HD std::ptrdiff_t weight(int channel) const { return weights_begin + channel; }
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
}

template <class Scalar, class Workspace>
HEFT_HD Motion<Scalar> load_motion(Workspace& ws, std::ptrdiff_t at) {
  return {load_vector<Scalar>(ws, at), load_vector<Scalar>(ws, at + 3),
          load_vector<Scalar>(ws, at + 6)};
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

/// Computes the rows of all channels for one sample, one body at a time. The layout of intermediate
/// results is a type such as WorkspaceLayout.
template <class Scalar, class Input, class Workspace, class Sink, class Layout = WorkspaceLayout>
class RowMaker {
 public:
  HEFT_HD RowMaker(const TreeView& tree, const Input& in, Workspace& ws, Sink& sink,
                   const Layout& layout)
      : tree_(tree), in_(in), ws_(ws), sink_(sink), layout_(layout) {}

  /// The steps before the bodies: weights and the measured torque, then the base's motion.
  HEFT_HD void begin() const {
    for (int c = 0; c < tree_.num_channels; ++c) {
      const Scalar weight = in_.weight(c);
      ws_(layout_.weight(c)) = weight;
      sink_.put_torque(c, weight * in_.torque(c));
    }
    const Motion<Scalar> base{{in_.base_motion(0), in_.base_motion(1), in_.base_motion(2)},
                              {in_.base_motion(3), in_.base_motion(4), in_.base_motion(5)},
                              {in_.base_motion(6), in_.base_motion(7), in_.base_motion(8)}};
    store_motion(ws_, layout_.motion(-1), base);
  }

  /// Computes the rows of a body after those of its parent.
  HEFT_HD void put_body(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    Scalar sine(0), cosine(1);
    if (body.turn != 0) joint_angle<Scalar>(body, in_, sine, cosine);
    switch (body.pose) {
      case PoseKind::general:
        return put_body_at<PoseKind::general>(b, sine, cosine);
      case PoseKind::twist:
        return put_body_at<PoseKind::twist>(b, sine, cosine);
      case PoseKind::perpendicular:
        return put_body_at<PoseKind::perpendicular>(b, sine, cosine);
      case PoseKind::parallel:
        return put_body_at<PoseKind::parallel>(b, sine, cosine);
    }
  }

  HEFT_HD void put_features() const {
    for (int f = 0; f < tree_.num_features; ++f) {
      const FeatureEntry& entry = tree_.features[f];
      sink_.put_feature(entry, weight(entry.channel) * feature_value<Scalar>(entry, in_));
    }
  }

 private:
  template <PoseKind kKind>
  HEFT_HD void put_body_at(int b, const Scalar& sine, const Scalar& cosine) const {
    const BodyEntry& body = tree_.bodies[b];
    const Pose<Scalar, kKind> pose = joint_pose<kKind, Scalar>(body, in_, sine, cosine);
    const Motion<Scalar> motion =
        joint_motion(body, pose, load_motion<Scalar>(ws_, layout_.motion(body.parent)), in_);
    if (body.has_children) store_motion(ws_, layout_.motion(b), motion);
    const Acceleration<Scalar> acceleration = acceleration_of(motion);
    for (int r = body.first_run; r < body.first_run + body.num_runs; ++r) {
      const RowRun& run = tree_.runs[r];
      const int begin = run.first_row, end = run.first_row + run.num_rows;
      switch (run.kind) {
        case RunKind::moved:
          if (body.has_children)
            for (int i = begin; i < end; ++i) put_moved<true>(body, pose, acceleration, i);
          else
            for (int i = begin; i < end; ++i) put_moved<false>(body, pose, acceleration, i);
          break;
        case RunKind::moved_turn:
          put_moved_turn(body, pose, acceleration, begin);
          break;
        case RunKind::moved_force:
          for (int i = begin; i < end; ++i) put_moved_force(body, pose, acceleration, i);
          break;
        case RunKind::turn:
          put_turn(body, acceleration, begin);
          break;
        case RunKind::mixed:
          for (int i = begin; i < end; ++i) put_mixed(body, pose, acceleration, i);
          break;
      }
    }
  }

  HEFT_HD Scalar weight(int channel) const { return ws_(layout_.weight(channel)); }

  /// The rate of a screw (0, 0, rate).
  HEFT_HD decltype(auto) turn_rate(int i) const { return ws_(layout_.screw(i) + 2); }
  HEFT_HD Screw<Scalar> parent_screw(const BodyEntry& body, int i) const {
    return load_screw<Scalar>(ws_, layout_.screw(i + body.to_parent_row));
  }
  HEFT_HD void keep(int i, const Screw<Scalar>& screw) const {
    store_screw(ws_, layout_.screw(i), screw);
  }

  template <PoseKind kKind>
  HEFT_HD void put_moved_turn(const BodyEntry& body, const Pose<Scalar, kKind>& pose,
                              const Acceleration<Scalar>& acceleration, int i) const {
    const Screw<Scalar> screw = turn_to_child(pose, turn_rate(i + body.to_parent_row));
    keep(i, screw);
    put_general_row(ColumnSet::revolute, acceleration, screw, sink_.row(tree_.rows[i]));
  }
  /// Keeps its screw for children, if there are any.
  template <bool kKeep, PoseKind kKind>
  HEFT_HD void put_moved(const BodyEntry& body, const Pose<Scalar, kKind>& pose,
                         const Acceleration<Scalar>& acceleration, int i) const {
    const Screw<Scalar> screw = to_child(pose, parent_screw(body, i));
    if constexpr (kKeep) keep(i, screw);
    put_general_row(ColumnSet::revolute, acceleration, screw, sink_.row(tree_.rows[i]));
  }
  template <PoseKind kKind>
  HEFT_HD void put_moved_force(const BodyEntry& body, const Pose<Scalar, kKind>& pose,
                               const Acceleration<Scalar>& acceleration, int i) const {
    const Scalar zero(0);
    const Vector3<Scalar> u = pose.to_child(parent_screw(body, i).u);
    keep(i, {{zero, zero, zero}, u});
    if (body.columns != ColumnSet::none)
      put_force_row(tree_.rows[i].columns, acceleration, u, sink_.row(tree_.rows[i]));
  }
  /// Keeps only the rate of its screw.
  HEFT_HD void put_turn(const BodyEntry& body, const Acceleration<Scalar>& acceleration,
                        int i) const {
    const Scalar rate = weight(tree_.rows[i].channel) * Scalar(body.turn);
    if (body.has_children) turn_rate(i) = rate;
    if (body.columns != ColumnSet::none)
      put_turn_row(tree_.rows[i].columns, acceleration, rate, sink_.row(tree_.rows[i]));
  }
  /// Sum of the parent's screw, moved to this body if there is one, and the body's own screws of
  /// this row.
  template <PoseKind kKind>
  HEFT_HD void put_mixed(const BodyEntry& body, const Pose<Scalar, kKind>& pose,
                         const Acceleration<Scalar>& acceleration, int i) const {
    const RowEntry& row = tree_.rows[i];
    const int own_row = i - body.first_row;
    const Scalar zero(0);
    Screw<Scalar> screw{{zero, zero, zero}, {zero, zero, zero}};
    if (own_row < body.num_parent_rows) screw = to_child(pose, parent_screw(body, i));
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const ScrewEntry& own = tree_.screws[s];
      if (own.row != own_row) continue;
      const Scalar w = weight(row.channel);
      screw.w = screw.w + Vector3<Scalar>{w * Scalar(own.angular[0]), w * Scalar(own.angular[1]),
                                          w * Scalar(own.angular[2])};
      screw.u = screw.u + Vector3<Scalar>{w * Scalar(own.linear[0]), w * Scalar(own.linear[1]),
                                          w * Scalar(own.linear[2])};
    }
    keep(i, screw);
    if (body.columns == ColumnSet::none) return;
    if (row.kind == ScrewKind::force)
      put_force_row(row.columns, acceleration, screw.u, sink_.row(row));
    else if (row.kind == ScrewKind::turn)
      put_turn_row(row.columns, acceleration, screw.w.z, sink_.row(row));
    else
      put_general_row(row.columns, acceleration, screw, sink_.row(row));
  }

  const TreeView tree_;  // a copy: no store through a sink can change it
  const Input& in_;
  Workspace& ws_;
  Sink& sink_;
  const Layout layout_;
};

/// Writes the rows of all channels for one sample: the measured torque, then bodies, then extra
/// columns.
template <class Scalar, class Input, class Workspace, class Sink, class Layout>
HEFT_HD void put_regressor_rows(const TreeView& tree, const Input& in, Workspace& ws, Sink& sink,
                                const Layout& layout) {
  const RowMaker<Scalar, Input, Workspace, Sink, Layout> maker(tree, in, ws, sink, layout);
  maker.begin();
  for (int b = 0; b < tree.num_bodies; ++b) maker.put_body(b);
  maker.put_features();
}

template <class Scalar, class Input, class Workspace, class Sink>
HEFT_HD void put_regressor_rows(const TreeView& tree, const Input& in, Workspace& ws, Sink& sink) {
  put_regressor_rows<Scalar>(tree, in, ws, sink, WorkspaceLayout(tree));
}

/// Returns the number of scalars that put_regressor_rows needs as workspace.
HEFT_HD int workspace_size(const TreeView& tree) {
  return static_cast<int>(WorkspaceLayout(tree).screw(tree.num_rows));
}

}  // namespace heft::core
