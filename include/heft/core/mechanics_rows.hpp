// Rows of a robot's mechanics in all ten parameters of every body: torque, gravity, momentum, C'v,
// energies, power, one state per Scalar. All ten parameters of every body have a column, so no
// regrouping is needed; regressor.hpp is for sums over many samples. FORMULAS 4.
//
//   kinetic     1/2 tr(N'N J),  N = [[w]x | v]                potential  -g'(m p + R h)
//   wrench      f = m a + W h,  n = h x a + I wd + w x I w,   W = [wd]x + [w]x^2,
//               a the acceleration minus gravity
//   momentum    p = m v + w x h,  l = h x v + I w
//
// A channel's screw (ws, us), moved to body j, takes its share of a wrench or a momentum: us'f +
// ws'n. C'v is the momentum's share of the screw v_k x s_k, moved, where v_k is the twist of the
// body k on which the channel's screw s_k is constant: for C with dM/dt = C + C'. All quantities of
// a body are in its own frame.
//
// Rows of the world are those of the whole robot on the world's six unit screws, (0, e_k) then
// (e_k, 0) about its origin: the external load on the robot. The screws are constant, so there is
// no C'v: d/dt world_momentum = world_wrench - world_gravity. For a robot of one floating body
// these are the six channels of a payload.
//
//   Input      gives the state: position(k), velocity(k), acceleration(k)
//   Sink       takes the rows: channel_row(channel, body, row) and body_row(body, row), row ten
//              numbers
//   Workspace  holds mechanics_workspace_size(tree) scalars: ws(i) is a reference to the i-th
// Threads: stateless; safe to call from several threads.
#pragma once

#include "heft/core/inertia.hpp"
#include "heft/core/motion.hpp"
#include "heft/core/regressor.hpp"

namespace heft::core {

/// Pose and motion of a body. R and p: its axes and its origin in the world; the rest is in its own
/// axes: angular velocity and acceleration, velocity of the origin, acceleration of the origin
/// minus gravity, gravity.
template <class Scalar>
struct BodyState {
  Matrix3<Scalar> R;
  Vector3<Scalar> p, w, wd, v, a, g;
};

template <class Scalar>
HEFT_HD Matrix3<Scalar> product(const Matrix3<Scalar>& a, const Matrix3<Scalar>& b) {
  const Vector3<Scalar> x = a * Vector3<Scalar>{b.xx, b.yx, b.zx},
                        y = a * Vector3<Scalar>{b.xy, b.yy, b.zy},
                        z = a * Vector3<Scalar>{b.xz, b.yz, b.zz};
  return {x.x, y.x, z.x, x.y, y.y, z.y, x.z, y.z, z.z};
}

/// Adds the coefficients of x'I y by the six entries of I.
template <class Scalar>
HEFT_HD void add_tensor_form(const Vector3<Scalar>& x, const Vector3<Scalar>& y, Scalar* row) {
  row[kIxx] = row[kIxx] + x.x * y.x;
  row[kIxy] = row[kIxy] + x.x * y.y + x.y * y.x;
  row[kIyy] = row[kIyy] + x.y * y.y;
  row[kIxz] = row[kIxz] + x.x * y.z + x.z * y.x;
  row[kIyz] = row[kIyz] + x.y * y.z + x.z * y.y;
  row[kIzz] = row[kIzz] + x.z * y.z;
}

/// Sets the coefficients of m and h; those of the tensor become zero.
template <class Scalar>
HEFT_HD void start_row(const Scalar& mass, const Vector3<Scalar>& first_moments, Scalar* row) {
  row[kMass] = mass;
  row[kMcx] = first_moments.x, row[kMcy] = first_moments.y, row[kMcz] = first_moments.z;
  for (int k = kIxx; k <= kIzz; ++k) row[k] = Scalar(0);
}

/// us'f + ws'n for the wrench that moves the body.
template <class Scalar>
HEFT_HD void wrench_row(const BodyState<Scalar>& s, const Screw<Scalar>& screw, Scalar* row) {
  // W'us = us x wd + (us x w) x w
  const Vector3<Scalar> turned = cross(screw.u, s.w);
  const Vector3<Scalar> h = cross(screw.u, s.wd) + cross(turned, s.w) + cross(s.a, screw.w);
  start_row(dot(screw.u, s.a), h, row);
  add_tensor_form(screw.w, s.wd, row);
  add_tensor_form(cross(screw.w, s.w), s.w, row);
}

/// The same for a body at rest.
template <class Scalar>
HEFT_HD void gravity_row(const BodyState<Scalar>& s, const Screw<Scalar>& screw, Scalar* row) {
  start_row(-dot(screw.u, s.g), cross(screw.w, s.g), row);
}

/// us'p + ws'l for the body's momentum.
template <class Scalar>
HEFT_HD void momentum_row(const BodyState<Scalar>& s, const Screw<Scalar>& screw, Scalar* row) {
  start_row(dot(screw.u, s.v), cross(screw.u, s.w) + cross(s.v, screw.w), row);
  add_tensor_form(screw.w, s.w, row);
}

template <class Scalar>
HEFT_HD void kinetic_row(const BodyState<Scalar>& s, Scalar* row) {
  const Scalar half(0.5);
  start_row(half * dot(s.v, s.v), cross(s.v, s.w), row);
  add_tensor_form(half * s.w, s.w, row);
}

template <class Scalar>
HEFT_HD void potential_row(const BodyState<Scalar>& s, Scalar* row) {
  const Scalar minus(-1);
  start_row(-dot(s.g, transposed_times(s.R, s.p)), minus * s.g, row);
}

/// The motion cross product v x s of twists (angular, linear).
template <class Scalar>
HEFT_HD Screw<Scalar> motion_cross(const Screw<Scalar>& v, const Screw<Scalar>& s) {
  return {cross(v.w, s.w), cross(v.w, s.u) + cross(v.u, s.w)};
}

/// A robot's tables, and for every body the axes of its kernel frame in its own frame, nine
/// numbers, row by row.
struct MechanicsTree {
  TreeView tree;
  const double* body_axes;
};

inline constexpr std::ptrdiff_t kStateSize = 27, kScrewSize = 6;

/// Returns the number of scalars that MechanicsRows needs as workspace.
HEFT_HD std::ptrdiff_t mechanics_workspace_size(const TreeView& tree) {
  return kStateSize * (tree.num_bodies + 1) + kScrewSize * tree.num_rows;
}

/// Parts of the bodies' states that a kind of rows needs; others are not evaluated.
struct StateNeeds {
  bool place, acceleration, velocity, gravity;  ///< R and p; wd and a; v; g
};

HEFT_HD constexpr StateNeeds needs_of(MechanicsRow kind) {
  using Row = MechanicsRow;
  const bool place = kind == Row::potential || is_of_world(kind),
             acceleration = kind == Row::torque || kind == Row::power || kind == Row::world_wrench,
             gravity = kind == Row::gravity || kind == Row::potential || kind == Row::world_gravity,
             velocity = !gravity && kind != Row::torque && kind != Row::world_wrench;
  return {place, acceleration, velocity, gravity};
}

/// Computes the rows of one state, one body at a time. Recursions are in kernel frames (tree.hpp),
/// rows in the bodies' own frames.
template <MechanicsRow kKind, class Scalar, class Input, class Workspace, class Sink>
class MechanicsRows {
 public:
  HEFT_HD MechanicsRows(const MechanicsTree& tree, const Input& in, Workspace& ws, Sink& sink)
      : tree_(tree.tree), axes_(tree.body_axes), in_(in), ws_(ws), sink_(sink) {}

  /// `base`: motion of the frame that carries the robot's first bodies.
  HEFT_HD void put(const BodyState<Scalar>& base) const {
    store_state(-1, base);
    for (int b = 0; b < tree_.num_bodies; ++b) put_body(b);
  }

 private:
  static constexpr StateNeeds kNeeds = needs_of(kKind);
  static constexpr bool kTurns = kNeeds.acceleration || kNeeds.velocity;  ///< w is needed
  static constexpr bool kIsRate = kKind == MechanicsRow::coriolis_transpose;

  HEFT_HD void put_body(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    Scalar sine(0), cosine(1);
    if (body.turn != 0) joint_angle<Scalar>(body, in_, sine, cosine);
    const auto pose = joint_pose<PoseKind::general, Scalar>(body, in_, sine, cosine);
    const BodyState<Scalar> state = next_state(body, pose, load_state(body.parent));
    store_state(b, state);
    const double* const E = axes_ + 9 * b;
    const Matrix3<Scalar> axes = {Scalar(E[0]), Scalar(E[1]), Scalar(E[2]),
                                  Scalar(E[3]), Scalar(E[4]), Scalar(E[5]),
                                  Scalar(E[6]), Scalar(E[7]), Scalar(E[8])};
    // in the body's own frame, which has the same origin
    BodyState<Scalar> own = state;
    if constexpr (kNeeds.place)
      own.R = product(state.R, {axes.xx, axes.yx, axes.zx, axes.xy, axes.yy, axes.zy, axes.xz,
                                axes.yz, axes.zz});
    if constexpr (kTurns) own.w = axes * state.w;
    if constexpr (kNeeds.velocity) own.v = axes * state.v;
    if constexpr (kNeeds.acceleration) own.wd = axes * state.wd, own.a = axes * state.a;
    if constexpr (kNeeds.gravity) own.g = axes * state.g;
    if constexpr (is_of_channels(kKind))
      for (int r = 0; r < body.num_rows; ++r) put_of_channel(b, r, pose, state, axes, own);
    else if constexpr (is_of_world(kKind))
      put_of_world(b, own);
    else
      put_of_body(b, own);
  }

  /// A rotation about an axis through the world's origin moves the body's origin by axis x p.
  HEFT_HD void put_of_world(int b, const BodyState<Scalar>& own) const {
    const Scalar zero(0), one(1);
    const Vector3<Scalar> nothing{zero, zero, zero};
    for (int k = 0; k < 3; ++k) {
      const Vector3<Scalar> axis{k == 0 ? one : zero, k == 1 ? one : zero, k == 2 ? one : zero};
      const Vector3<Scalar> along = transposed_times(own.R, axis);
      put_on_screw(k, b, own, {nothing, along});
      put_on_screw(3 + k, b, own, {along, transposed_times(own.R, cross(axis, own.p))});
    }
  }

  HEFT_HD void put_on_screw(int channel, int b, const BodyState<Scalar>& own,
                            const Screw<Scalar>& in_body) const {
    Scalar row[kNumParameters];
    if constexpr (kKind == MechanicsRow::torque || kKind == MechanicsRow::world_wrench)
      wrench_row(own, in_body, row);
    else if constexpr (kKind == MechanicsRow::gravity || kKind == MechanicsRow::world_gravity)
      gravity_row(own, in_body, row);
    else
      momentum_row(own, in_body, row);
    sink_.channel_row(channel, b, row);
  }

  HEFT_HD void put_of_body(int b, const BodyState<Scalar>& own) const {
    Scalar row[kNumParameters];
    if constexpr (kKind == MechanicsRow::kinetic) kinetic_row(own, row);
    if constexpr (kKind == MechanicsRow::potential) potential_row(own, row);
    if constexpr (kKind == MechanicsRow::power) wrench_row(own, {own.w, own.v}, row);
    sink_.body_row(b, row);
  }

  /// Row r of body b: the screw of its channel, or for C'v the screw v x s, comes from the parent;
  /// the body's own screws start here.
  HEFT_HD void put_of_channel(int b, int r, const Pose<Scalar, PoseKind::general>& pose,
                              const BodyState<Scalar>& state, const Matrix3<Scalar>& axes,
                              const BodyState<Scalar>& own) const {
    const BodyEntry& body = tree_.bodies[b];
    const int i = body.first_row + r;
    const Scalar zero(0);
    Screw<Scalar> screw{{zero, zero, zero}, {zero, zero, zero}};
    if (r < body.num_parent_rows)
      screw = to_child(pose, load_screw<Scalar>(ws_, screw_place(i + body.to_parent_row)));
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const ScrewEntry& entry = tree_.screws[s];
      if (entry.row != r) continue;
      Screw<Scalar> starts{
          {Scalar(entry.angular[0]), Scalar(entry.angular[1]), Scalar(entry.angular[2])},
          {Scalar(entry.linear[0]), Scalar(entry.linear[1]), Scalar(entry.linear[2])}};
      if constexpr (kIsRate) starts = motion_cross({state.w, state.v}, starts);
      screw = {screw.w + starts.w, screw.u + starts.u};
    }
    store_screw(ws_, screw_place(i), screw);
    put_on_screw(tree_.rows[i].channel, b, own, {axes * screw.w, axes * screw.u});
  }

  HEFT_HD BodyState<Scalar> next_state(const BodyEntry& body,
                                       const Pose<Scalar, PoseKind::general>& pose,
                                       const BodyState<Scalar>& parent) const {
    BodyState<Scalar> state = parent;
    if constexpr (kNeeds.place) {
      state.R = product(parent.R, pose.R);
      state.p = parent.p + parent.R * pose.p;
    }
    if constexpr (kTurns) {
      const Motion<Scalar> motion =
          joint_motion(body, pose, Motion<Scalar>{parent.w, parent.wd, parent.a}, in_);
      state.w = motion.w;
      if constexpr (kNeeds.acceleration) state.wd = motion.wd, state.a = motion.a;
    }
    if constexpr (kNeeds.velocity) {
      state.v = pose.to_child(plus_cross(parent.v, parent.w, pose.p));
      if (body.coordinate >= 0)
        state.v.z = state.v.z + Scalar(body.slide) * in_.velocity(body.coordinate);
    }
    if constexpr (kNeeds.gravity) state.g = pose.to_child(parent.g);
    return state;
  }

  HEFT_HD std::ptrdiff_t state_place(int body) const { return kStateSize * (body + 1); }
  HEFT_HD std::ptrdiff_t screw_place(int row) const {
    return kStateSize * (tree_.num_bodies + 1) + kScrewSize * row;
  }
  HEFT_HD void store_state(int body, const BodyState<Scalar>& s) const {
    const std::ptrdiff_t at = state_place(body);
    if constexpr (kNeeds.place) {
      store_vector(ws_, at, Vector3<Scalar>{s.R.xx, s.R.xy, s.R.xz});
      store_vector(ws_, at + 3, Vector3<Scalar>{s.R.yx, s.R.yy, s.R.yz});
      store_vector(ws_, at + 6, Vector3<Scalar>{s.R.zx, s.R.zy, s.R.zz});
      store_vector(ws_, at + 9, s.p);
    }
    if constexpr (kTurns) store_vector(ws_, at + 12, s.w);
    if constexpr (kNeeds.acceleration)
      store_vector(ws_, at + 15, s.wd), store_vector(ws_, at + 21, s.a);
    if constexpr (kNeeds.velocity) store_vector(ws_, at + 18, s.v);
    if constexpr (kNeeds.gravity) store_vector(ws_, at + 24, s.g);
  }
  /// Quantities that the kind does not need are zero.
  HEFT_HD BodyState<Scalar> load_state(int body) const {
    const std::ptrdiff_t at = state_place(body);
    const auto vector = [&](bool is_needed, int i) {
      const Scalar zero(0);
      return is_needed ? load_vector<Scalar>(ws_, at + i) : Vector3<Scalar>{zero, zero, zero};
    };
    const Vector3<Scalar> x = vector(kNeeds.place, 0), y = vector(kNeeds.place, 3),
                          z = vector(kNeeds.place, 6);
    return {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z},
            vector(kNeeds.place, 9),
            vector(kTurns, 12),
            vector(kNeeds.acceleration, 15),
            vector(kNeeds.velocity, 18),
            vector(kNeeds.acceleration, 21),
            vector(kNeeds.gravity, 24)};
  }

  const TreeView tree_;
  const double* axes_;
  const Input& in_;
  Workspace& ws_;
  Sink& sink_;
};

template <MechanicsRow kKind, class Scalar, class Input, class Workspace, class Sink>
HEFT_HD void put_rows_of(const MechanicsTree& tree, const BodyState<Scalar>& base, const Input& in,
                         Workspace& ws, Sink& sink) {
  MechanicsRows<kKind, Scalar, Input, Workspace, Sink>(tree, in, ws, sink).put(base);
}

/// Computes the rows of one state. `base`: motion of the frame that carries the robot's first
/// bodies.
template <class Scalar, class Input, class Workspace, class Sink>
HEFT_HD void put_mechanics_rows(const MechanicsTree& tree, MechanicsRow kind,
                                const BodyState<Scalar>& base, const Input& in, Workspace& ws,
                                Sink& sink) {
  using Row = MechanicsRow;
  switch (kind) {
    case Row::torque:
      return put_rows_of<Row::torque>(tree, base, in, ws, sink);
    case Row::gravity:
      return put_rows_of<Row::gravity>(tree, base, in, ws, sink);
    case Row::momentum:
      return put_rows_of<Row::momentum>(tree, base, in, ws, sink);
    case Row::coriolis_transpose:
      return put_rows_of<Row::coriolis_transpose>(tree, base, in, ws, sink);
    case Row::kinetic:
      return put_rows_of<Row::kinetic>(tree, base, in, ws, sink);
    case Row::potential:
      return put_rows_of<Row::potential>(tree, base, in, ws, sink);
    case Row::power:
      return put_rows_of<Row::power>(tree, base, in, ws, sink);
    case Row::world_wrench:
      return put_rows_of<Row::world_wrench>(tree, base, in, ws, sink);
    case Row::world_gravity:
      return put_rows_of<Row::world_gravity>(tree, base, in, ws, sink);
    case Row::world_momentum:
      return put_rows_of<Row::world_momentum>(tree, base, in, ws, sink);
  }
}

}  // namespace heft::core
