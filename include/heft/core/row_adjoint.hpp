// Derivatives with respect to the motion of any number that depends on the rows of regressor.hpp,
// by one sweep outward and one back. With y_c the row of channel c and y-bar_c the number's
// derivatives by it, the entries of y-bar_c at a body are the parameters of a fictitious body (m,
// h, I), and the row multiplies its wrench with the screw (s, u) of the channel (FORMULAS 9):
//
//   u-bar  = m a + wd x h + w x (w x h)        s-bar  = I wd + w x I w + h x a
//   a-bar  = m u + s x h                       wd-bar = h x u + I s
//   w-bar  = (w.h) u + (u.w) h - 2 (u.h) w + (I w) x s + I (s x w)
//
// Swept from the leaves to the base; every x' = R'x that a joint turns gives its angle x-bar' . (x'
// x z).
//
//   Input      as in regressor.hpp: position(k), velocity(k), acceleration(k), base_motion(i)
//   Bars       bar(entry, k): derivative by column k of a body in a RowEntry; bar(feature): by a
//              feature's value
//   Gradient   add_position(k, value), add_velocity(k, value), add_acceleration(k, value)
//   Workspace  holds adjoint_workspace_size(tree) scalars: ws(i) is a reference to the i-th
// Threads: stateless; safe to call from several threads.
#pragma once

#include <cstddef>

#include "heft/core/regressor.hpp"

namespace heft::core {

/// The ten numbers in place of a body's inertia; I is symmetric.
template <class Scalar>
struct FakeBody {
  Scalar m;
  Vector3<Scalar> h;
  Scalar xx, xy, yy, xz, yz, zz;

  HEFT_HD Vector3<Scalar> turned(const Vector3<Scalar>& v) const {
    return {xx * v.x + xy * v.y + xz * v.z, xy * v.x + yy * v.y + yz * v.z,
            xz * v.x + yz * v.y + zz * v.z};
  }
};

/// From the columns that a row keeps, in the order of KernelEntry except for forces and prismatic
/// joints. `bar(k)` is the derivative with respect to column k.
template <class Scalar, class Bar>
HEFT_HD FakeBody<Scalar> fake_body(const RowEntry& row, const Bar& bar) {
  const Scalar zero(0);
  FakeBody<Scalar> body{zero, {bar(kHx), bar(kHy), zero}, zero, zero, zero, zero, zero, zero};
  if (row.columns == ColumnSet::force) return body;
  if (row.columns == ColumnSet::prismatic || row.kind == ScrewKind::force) {
    body.h.z = bar(2), body.m = bar(3);
    return body;
  }
  if (row.columns == ColumnSet::first) {  // Sxx and Syy have one coefficient
    body.yy = body.zz = bar(2);
    return body;
  }
  const int columns = static_cast<int>(row.columns);
  const Scalar sxx = bar(kSxx), syy = bar(kSyy), szz = columns > kSzz ? bar(kSzz) : zero;
  body.xx = syy + szz, body.yy = sxx + szz, body.zz = sxx + syy;
  body.xy = -bar(kSxy), body.xz = -bar(kSxz), body.yz = -bar(kSyz);
  if (columns > kM) body.h.z = bar(kHz), body.m = bar(kM);
  return body;
}

/// Intermediate results of one sample: for the base and every body, its pose, its motion and the
/// derivatives with respect to them; for every row, its screw and the derivative with respect to
/// it.
struct AdjointLayout {
  std::ptrdiff_t rows_begin;

  static constexpr std::ptrdiff_t kBodySize = 30, kRowSize = 12;
  HEFT_HD explicit AdjointLayout(const TreeView& tree)
      : rows_begin(kBodySize * (tree.num_bodies + 1)) {}
  HEFT_HD std::ptrdiff_t pose(int body) const { return kBodySize * (body + 1); }
  HEFT_HD std::ptrdiff_t motion(int body) const { return pose(body) + 12; }
  HEFT_HD std::ptrdiff_t motion_bar(int body) const { return pose(body) + 21; }
  HEFT_HD std::ptrdiff_t screw(int row) const { return rows_begin + kRowSize * row; }
  HEFT_HD std::ptrdiff_t screw_bar(int row) const { return screw(row) + 6; }
};

HEFT_HD std::ptrdiff_t adjoint_workspace_size(const TreeView& tree) {
  return AdjointLayout(tree).screw(tree.num_rows);
}

template <class Scalar, class Input, class Workspace, class Bars, class Gradient>
class RowAdjoint {
 public:
  HEFT_HD RowAdjoint(const TreeView& tree, const Input& in, Workspace& ws, const Bars& bars,
                     Gradient& gradient)
      : tree_(tree), in_(in), ws_(ws), bars_(bars), gradient_(gradient), layout_(tree) {}

  HEFT_HD void put() const {
    const Motion<Scalar> base{{in_.base_motion(0), in_.base_motion(1), in_.base_motion(2)},
                              {in_.base_motion(3), in_.base_motion(4), in_.base_motion(5)},
                              {in_.base_motion(6), in_.base_motion(7), in_.base_motion(8)}};
    store_motion(ws_, layout_.motion(-1), base);
    store_motion(ws_, layout_.motion_bar(-1), nothing());
    for (int b = 0; b < tree_.num_bodies; ++b) outward(b);
    for (int b = tree_.num_bodies - 1; b >= 0; --b) inward(b);
    for (int f = 0; f < tree_.num_features; ++f) put_feature(tree_.features[f]);
  }

 private:
  using V = Vector3<Scalar>;
  using GeneralPose = Pose<Scalar, PoseKind::general>;

  static HEFT_HD Motion<Scalar> nothing() {
    const Scalar zero(0);
    const V none{zero, zero, zero};
    return {none, none, none};
  }

  /// Computes and keeps poses, motions and screws; all derivatives are still zero.
  HEFT_HD void outward(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    Scalar sine(0), cosine(1);
    if (body.turn != 0) joint_angle<Scalar>(body, in_, sine, cosine);
    const GeneralPose pose = joint_pose<PoseKind::general, Scalar>(body, in_, sine, cosine);
    store_pose(b, pose);
    store_motion(
        ws_, layout_.motion(b),
        joint_motion(body, pose, load_motion<Scalar>(ws_, layout_.motion(body.parent)), in_));
    store_motion(ws_, layout_.motion_bar(b), nothing());
    for (int r = 0; r < body.num_rows; ++r) {
      const int i = body.first_row + r;
      Screw<Scalar> screw{nothing().w, nothing().w};
      if (r < body.num_parent_rows)
        screw = to_child(pose, load_screw<Scalar>(ws_, layout_.screw(i + body.to_parent_row)));
      const Screw<Scalar> own = own_screw(body, r);
      store_screw(ws_, layout_.screw(i), Screw<Scalar>{screw.w + own.w, screw.u + own.u});
      store_screw(ws_, layout_.screw_bar(i), Screw<Scalar>{nothing().w, nothing().w});
    }
  }

  HEFT_HD Screw<Scalar> own_screw(const BodyEntry& body, int r) const {
    Screw<Scalar> sum{nothing().w, nothing().w};
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const ScrewEntry& own = tree_.screws[s];
      if (own.row != r) continue;
      sum.w = sum.w + V{Scalar(own.angular[0]), Scalar(own.angular[1]), Scalar(own.angular[2])};
      sum.u = sum.u + V{Scalar(own.linear[0]), Scalar(own.linear[1]), Scalar(own.linear[2])};
    }
    return sum;
  }

  HEFT_HD void inward(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    Motion<Scalar> bar = load_motion<Scalar>(ws_, layout_.motion_bar(b));
    const Motion<Scalar> motion = load_motion<Scalar>(ws_, layout_.motion(b));
    if (body.columns != ColumnSet::none)
      for (int i = body.first_row; i < body.first_row + body.num_rows; ++i) add_row(i, motion, bar);
    const GeneralPose pose = load_pose(b);
    Scalar by_angle(0);
    V by_place = nothing().w;
    for (int r = 0; r < body.num_parent_rows; ++r) screw_inward(body, r, pose, by_angle, by_place);
    motion_inward(body, pose, motion, bar, by_angle, by_place);
    if (body.coordinate < 0) return;
    if (body.turn != 0) gradient_.add_position(body.coordinate, Scalar(body.turn) * by_angle);
    if (body.slide != 0)
      gradient_.add_position(
          body.coordinate, Scalar(body.slide) * dot(by_place, V{pose.R.xz, pose.R.yz, pose.R.zz}));
  }

  /// One row: its fictitious body with its screw.
  HEFT_HD void add_row(int i, const Motion<Scalar>& motion, Motion<Scalar>& bar) const {
    const RowEntry& row = tree_.rows[i];
    const FakeBody<Scalar> fake = fake_body<Scalar>(row, [&](int k) { return bars_.bar(row, k); });
    const Screw<Scalar> screw = load_screw<Scalar>(ws_, layout_.screw(i));
    Screw<Scalar> screw_bar = load_screw<Scalar>(ws_, layout_.screw_bar(i));
    const V &w = motion.w, &wd = motion.wd, &a = motion.a, &s = screw.w, &u = screw.u, &h = fake.h;
    const V Iw = fake.turned(w);
    screw_bar.u = plus_cross(plus_cross(screw_bar.u + fake.m * a, wd, h), w, cross(w, h));
    screw_bar.w = plus_cross(plus_cross(screw_bar.w + fake.turned(wd), w, Iw), h, a);
    bar.a = plus_cross(bar.a + fake.m * u, s, h);
    bar.wd = plus_cross(bar.wd + fake.turned(s), h, u);
    bar.w =
        plus_cross(bar.w + dot(w, h) * u + dot(u, w) * h + (Scalar(-2) * dot(u, h)) * w, Iw, s) +
        fake.turned(cross(s, w));
    store_screw(ws_, layout_.screw_bar(i), screw_bar);
  }

  /// Contribution of a vector x' = R' x of the child to the angle's derivative.
  static HEFT_HD Scalar spin(const V& bar, const V& turned) {
    return bar.x * turned.y - bar.y * turned.x;
  }

  HEFT_HD void screw_inward(const BodyEntry& body, int r, const GeneralPose& pose, Scalar& by_angle,
                            V& by_place) const {
    const int i = body.first_row + r, parent = i + body.to_parent_row;
    const Screw<Scalar> carrier = load_screw<Scalar>(ws_, layout_.screw(parent));
    const Screw<Scalar> bar = load_screw<Scalar>(ws_, layout_.screw_bar(i));
    Screw<Scalar> moved = load_screw<Scalar>(ws_, layout_.screw(i));
    if (body.num_screws > 0) {
      const Screw<Scalar> own = own_screw(body, r);
      moved.w = moved.w + Scalar(-1) * own.w, moved.u = moved.u + Scalar(-1) * own.u;
    }
    by_angle = by_angle + spin(bar.w, moved.w) + spin(bar.u, moved.u);
    const V u = pose.R * bar.u;
    Screw<Scalar> sum = load_screw<Scalar>(ws_, layout_.screw_bar(parent));
    sum.u = sum.u + u;
    sum.w = plus_cross(sum.w + pose.R * bar.w, pose.p, u);
    store_screw(ws_, layout_.screw_bar(parent), sum);
    by_place = plus_cross(by_place, u, carrier.w);
  }

  /// The transport of joint_motion (core/motion.hpp), backward.
  HEFT_HD void motion_inward(const BodyEntry& body, const GeneralPose& pose,
                             const Motion<Scalar>& motion, Motion<Scalar> bar, Scalar& by_angle,
                             V& by_place) const {
    V w = motion.w, wd = motion.wd, a = motion.a;  // become those before the joint's own terms
    if (body.coordinate >= 0) {
      const Scalar qd = in_.velocity(body.coordinate), qdd = in_.acceleration(body.coordinate);
      Scalar by_rate(0), by_second(0);
      if (body.turn != 0) {
        const Scalar turn(body.turn), rate = turn * qd;
        w.z = w.z - rate;
        wd = {wd.x - w.y * rate, wd.y + w.x * rate, wd.z - turn * qdd};
        by_rate = turn * (bar.w.z + bar.wd.x * w.y - bar.wd.y * w.x);
        by_second = turn * bar.wd.z;
        bar.w.y = bar.w.y + bar.wd.x * rate, bar.w.x = bar.w.x - bar.wd.y * rate;
      }
      if (body.slide != 0) {
        const Scalar slide(body.slide), twice = Scalar(2) * slide * qd;
        a = {a.x - twice * w.y, a.y + twice * w.x, a.z - slide * qdd};
        by_rate = by_rate + Scalar(2) * slide * (bar.a.x * w.y - bar.a.y * w.x);
        by_second = by_second + slide * bar.a.z;
        bar.w.y = bar.w.y + twice * bar.a.x, bar.w.x = bar.w.x - twice * bar.a.y;
      }
      gradient_.add_velocity(body.coordinate, by_rate);
      gradient_.add_acceleration(body.coordinate, by_second);
    }
    by_angle = by_angle + spin(bar.w, w) + spin(bar.wd, wd) + spin(bar.a, a);
    if (body.parent < 0 && body.slide == 0) return;
    const Motion<Scalar> parent = load_motion<Scalar>(ws_, layout_.motion(body.parent));
    const V by_a = pose.R * bar.a;
    const V &w0 = parent.w, &p = pose.p;
    const Scalar wp = dot(w0, p), wa = dot(w0, by_a);
    Motion<Scalar> sum = load_motion<Scalar>(ws_, layout_.motion_bar(body.parent));
    sum.a = sum.a + by_a;
    sum.wd = plus_cross(sum.wd + pose.R * bar.wd, p, by_a);
    sum.w = sum.w + pose.R * bar.w + wp * by_a + wa * p + (Scalar(-2) * dot(p, by_a)) * w0;
    store_motion(ws_, layout_.motion_bar(body.parent), sum);
    if (body.slide != 0)
      by_place =
          plus_cross(by_place, by_a, parent.wd) + wa * w0 + (Scalar(-1) * dot(w0, w0)) * by_a;
  }

  HEFT_HD void put_feature(const FeatureEntry& entry) const {
    const Scalar bar = bars_.bar(entry);
    switch (entry.feature) {
      case Feature::position:
        return gradient_.add_position(entry.source, bar);
      case Feature::velocity:
        return gradient_.add_velocity(entry.source, bar);
      case Feature::acceleration:
        return gradient_.add_acceleration(entry.source, bar);
      case Feature::tanh_velocity: {
        const Scalar value = bars_.value(entry);
        return gradient_.add_velocity(entry.source,
                                      Scalar(entry.scale) * (Scalar(1) - value * value) * bar);
      }
      case Feature::one:
      case Feature::sign_velocity:  // has no slope but at rest
      case Feature::signal:
        return;
    }
  }

  HEFT_HD void store_pose(int b, const GeneralPose& pose) const {
    const std::ptrdiff_t at = layout_.pose(b);
    store_vector(ws_, at, V{pose.R.xx, pose.R.xy, pose.R.xz});
    store_vector(ws_, at + 3, V{pose.R.yx, pose.R.yy, pose.R.yz});
    store_vector(ws_, at + 6, V{pose.R.zx, pose.R.zy, pose.R.zz});
    store_vector(ws_, at + 9, pose.p);
  }
  HEFT_HD GeneralPose load_pose(int b) const {
    const std::ptrdiff_t at = layout_.pose(b);
    const V x = load_vector<Scalar>(ws_, at), y = load_vector<Scalar>(ws_, at + 3),
            z = load_vector<Scalar>(ws_, at + 6);
    return {{x.x, x.y, x.z, y.x, y.y, y.z, z.x, z.y, z.z}, load_vector<Scalar>(ws_, at + 9)};
  }

  const TreeView tree_;
  const Input& in_;
  Workspace& ws_;
  const Bars& bars_;
  Gradient& gradient_;
  const AdjointLayout layout_;
};

}  // namespace heft::core
