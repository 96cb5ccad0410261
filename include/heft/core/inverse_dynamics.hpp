// Torques of bodies with known inertia, one sample per Scalar: the product of the rows of
// regressor.hpp and their coefficients, without computing the rows. The recursion of Newton and
// Euler in kernel frames, outward for motions, inward for wrenches:
//
//   f     = m a + wd x h + w x (w x h)        n     = I wd + w x I w + h x a
//   f_0  += R f                               n_0  += R n + p x R f
//   tau_c = sum over the screws (w_c, u_c) of channel c of   w_c . n + u_c . f
//
// (f, n) is the wrench about the frame's origin of the body and all bodies outward of it; index 0
// is its parent. m, h, I are those of the columns that the body keeps (tree.hpp); the part that its
// joint cannot sense belongs to its parent. Source: [Luh, Walker, Paul 1980].
//
//   Input      as in regressor.hpp; weights and measured torques are not used
//   Inertias   body(b): ten numbers of a body in the order of Parameter; feature(entry): the
//              coefficient of an extra column
//   Workspace  holds inverse_dynamics_workspace_size(tree) scalars: ws(i) is a reference to the
//              i-th; the torque of channel c is
//              left in ws(TorqueLayout(tree).torque(c))
// Threads: stateless; safe to call from several threads.
#pragma once

#include <cstddef>

#include "heft/core/inertia.hpp"
#include "heft/core/regressor.hpp"

namespace heft::core {

/// R v: a vector in a child's frame, converted to its parent's.
template <class Scalar, PoseKind kKind>
HEFT_HD Vector3<Scalar> to_parent(const Pose<Scalar, kKind>& pose, const Vector3<Scalar>& v) {
  const Scalar x = pose.cosine * v.x - pose.sine * v.y, y = pose.sine * v.x + pose.cosine * v.y;
  if constexpr (kKind == PoseKind::perpendicular) return {x, -v.z, y};
  if constexpr (kKind == PoseKind::parallel) return {x, y, v.z};
  if constexpr (kKind == PoseKind::twist)
    return {x, pose.twist_cosine * y - pose.twist_sine * v.z,
            pose.twist_sine * y + pose.twist_cosine * v.z};
}
template <class Scalar>
HEFT_HD Vector3<Scalar> to_parent(const Pose<Scalar, PoseKind::general>& pose,
                                  const Vector3<Scalar>& v) {
  return pose.R * v;
}

/// Force f and moment n about the origin of a kernel frame, in its axes.
template <class Scalar>
struct Wrench {
  Vector3<Scalar> f, n;
};

/// Returns the wrench that moves a body with the ten parameters `body`.
template <class Scalar>
HEFT_HD Wrench<Scalar> wrench_of(const Motion<Scalar>& motion, const double* body) {
  const Vector3<Scalar>&w = motion.w, &wd = motion.wd, &a = motion.a;
  const Vector3<Scalar> h{Scalar(body[kMcx]), Scalar(body[kMcy]), Scalar(body[kMcz])};
  const Matrix3<Scalar> I{Scalar(body[kIxx]), Scalar(body[kIxy]), Scalar(body[kIxz]),
                          Scalar(body[kIxy]), Scalar(body[kIyy]), Scalar(body[kIyz]),
                          Scalar(body[kIxz]), Scalar(body[kIyz]), Scalar(body[kIzz])};
  return {plus_cross(plus_cross(Scalar(body[kMass]) * a, wd, h), w, cross(w, h)),
          plus_cross(plus_cross(I * wd, w, I * w), h, a)};
}

/// Layout of a sample's intermediate results: for the base and every body, its motion, its wrench
/// and the sine and cosine of its joint; for every channel, its torque.
struct TorqueLayout {
  std::ptrdiff_t torques_begin;

  static constexpr std::ptrdiff_t kBodySize = 17;
  HEFT_HD explicit TorqueLayout(const TreeView& tree)
      : torques_begin(kBodySize * (tree.num_bodies + 1)) {}
  HEFT_HD std::ptrdiff_t motion(int body) const { return kBodySize * (body + 1); }
  HEFT_HD std::ptrdiff_t wrench(int body) const { return motion(body) + 9; }
  HEFT_HD std::ptrdiff_t angle(int body) const { return motion(body) + 15; }
  HEFT_HD std::ptrdiff_t torque(int channel) const { return torques_begin + channel; }
};

HEFT_HD std::ptrdiff_t inverse_dynamics_workspace_size(const TreeView& tree) {
  return TorqueLayout(tree).torque(tree.num_channels);
}

template <class Scalar, class Input, class Workspace, class Inertias>
class InverseDynamics {
 public:
  HEFT_HD InverseDynamics(const TreeView& tree, const Input& in, Workspace& ws,
                          const Inertias& inertias)
      : tree_(tree), in_(in), ws_(ws), inertias_(inertias), layout_(tree) {}

  HEFT_HD void put() const {
    const Motion<Scalar> base{{in_.base_motion(0), in_.base_motion(1), in_.base_motion(2)},
                              {in_.base_motion(3), in_.base_motion(4), in_.base_motion(5)},
                              {in_.base_motion(6), in_.base_motion(7), in_.base_motion(8)}};
    store_motion(ws_, layout_.motion(-1), base);
    for (int b = 0; b < tree_.num_bodies; ++b) with_kind<Outward>(b);
    for (int c = 0; c < tree_.num_channels; ++c) ws_(layout_.torque(c)) = Scalar(0);
    for (int b = tree_.num_bodies - 1; b >= 0; --b) {
      put_screws(b);
      if (tree_.bodies[b].parent >= 0) with_kind<Inward>(b);
    }
    for (int f = 0; f < tree_.num_features; ++f) {
      const FeatureEntry& entry = tree_.features[f];
      add(entry.channel, Scalar(inertias_.feature(entry)) * feature_value<Scalar>(entry, in_));
    }
  }

 private:
  struct Outward {
    template <PoseKind kKind>
    static HEFT_HD void go(const InverseDynamics& all, int b) {
      all.template outward<kKind>(b);
    }
  };
  struct Inward {
    template <PoseKind kKind>
    static HEFT_HD void go(const InverseDynamics& all, int b) {
      all.template inward<kKind>(b);
    }
  };

  template <class Way>
  HEFT_HD void with_kind(int b) const {
    switch (tree_.bodies[b].pose) {
      case PoseKind::general:
        return Way::template go<PoseKind::general>(*this, b);
      case PoseKind::twist:
        return Way::template go<PoseKind::twist>(*this, b);
      case PoseKind::perpendicular:
        return Way::template go<PoseKind::perpendicular>(*this, b);
      case PoseKind::parallel:
        return Way::template go<PoseKind::parallel>(*this, b);
    }
  }

  HEFT_HD void add(int channel, const Scalar& value) const {
    ws_(layout_.torque(channel)) = ws_(layout_.torque(channel)) + value;
  }

  HEFT_HD Wrench<Scalar> wrench(int b) const {
    return {load_vector<Scalar>(ws_, layout_.wrench(b)),
            load_vector<Scalar>(ws_, layout_.wrench(b) + 3)};
  }
  HEFT_HD void keep(int b, const Wrench<Scalar>& wrench) const {
    store_vector(ws_, layout_.wrench(b), wrench.f);
    store_vector(ws_, layout_.wrench(b) + 3, wrench.n);
  }

  template <PoseKind kKind>
  HEFT_HD void outward(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    Scalar sine(0), cosine(1);
    if (body.turn != 0) joint_angle<Scalar>(body, in_, sine, cosine);
    const Pose<Scalar, kKind> pose = joint_pose<kKind, Scalar>(body, in_, sine, cosine);
    const Motion<Scalar> motion =
        joint_motion(body, pose, load_motion<Scalar>(ws_, layout_.motion(body.parent)), in_);
    ws_(layout_.angle(b)) = sine, ws_(layout_.angle(b) + 1) = cosine;
    if (body.has_children) store_motion(ws_, layout_.motion(b), motion);
    keep(b, wrench_of(motion, inertias_.body(b)));
  }

  /// A body's wrench is complete once all bodies outward of it have been processed.
  template <PoseKind kKind>
  HEFT_HD void inward(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    const Scalar sine = ws_(layout_.angle(b)), cosine = ws_(layout_.angle(b) + 1);
    const Pose<Scalar, kKind> pose = joint_pose<kKind, Scalar>(body, in_, sine, cosine);
    const Wrench<Scalar> own = wrench(b);
    Wrench<Scalar> sum = wrench(body.parent);
    const Vector3<Scalar> f = to_parent(pose, own.f);
    sum.f = sum.f + f;
    sum.n = plus_cross(sum.n + to_parent(pose, own.n), pose.p, f);
    keep(body.parent, sum);
  }

  HEFT_HD void put_screws(int b) const {
    const BodyEntry& body = tree_.bodies[b];
    const Wrench<Scalar> all = wrench(b);
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const ScrewEntry& screw = tree_.screws[s];
      const int channel = tree_.rows[body.first_row + screw.row].channel;
      add(channel, Scalar(screw.angular[0]) * all.n.x + Scalar(screw.angular[1]) * all.n.y +
                       Scalar(screw.angular[2]) * all.n.z + Scalar(screw.linear[0]) * all.f.x +
                       Scalar(screw.linear[1]) * all.f.y + Scalar(screw.linear[2]) * all.f.z);
    }
  }

  const TreeView tree_;
  const Input& in_;
  Workspace& ws_;
  const Inertias& inertias_;
  const TorqueLayout layout_;
};

/// Leaves the torques of all channels in the workspace.
template <class Scalar, class Input, class Workspace, class Inertias>
HEFT_HD void put_torques(const TreeView& tree, const Input& in, Workspace& ws,
                         const Inertias& inertias) {
  InverseDynamics<Scalar, Input, Workspace, Inertias>(tree, in, ws, inertias).put();
}

}  // namespace heft::core
