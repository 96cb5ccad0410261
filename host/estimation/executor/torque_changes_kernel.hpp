// Changes of the torques of known bodies by other frames of one body; lanes = samples. Included
// once per instruction set and namespace.
#pragma once

#include <cstddef>
#include <cstdint>

#include "executor/kernels.hpp"
#include "heft/core/inverse_dynamics.hpp"
#include "lane_input.hpp"
#include "padded_samples.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Inertias of core/inverse_dynamics.hpp.
struct KnownInertias {
  const double* const* coefficients;
  const double* bodies;

  const double* body(int b) const { return bodies + core::kNumParameters * b; }
  double feature(const core::FeatureEntry& entry) const {
    return coefficients[entry.channel][entry.column];
  }
};

/// Of one pack of samples whose torques core::put_torques left in a workspace: the bodies outward
/// of the changed one move again, and the difference of its wrench acts on those inward of it.
class TorqueChange {
 public:
  using P = Pack<double>;
  using Input = UnweightedInput<double>;
  using Inertias = KnownInertias;
  using Space = LaneWorkspace<double>;
  using Wrench = core::Wrench<P>;

  TorqueChange(const core::TreeView& tree, const Input& in, const Inertias& inertias,
               Space& as_it_is, Space& changed)
      : tree_(tree),
        in_(in),
        inertias_(inertias),
        as_it_is_(as_it_is),
        changed_(changed),
        layout_(tree) {}

  /// Leaves the changes of all channels in the changed workspace, in place of torques.
  void put(const ChangedBody& change) const {
    for (int c = 0; c < tree_.num_channels; ++c) changed_(layout_.torque(c)) = P(0.0);
    for (int i = 0; i < change.num_outward; ++i) move(change, i);
    for (int i = change.num_outward - 1; i >= 0; --i) {
      const int b = change.outward[i];
      put_screws(b, less(wrench(changed_, b), wrench(as_it_is_, b)));
      if (i == 0) break;
      const core::BodyEntry& body = tree_.bodies[b];
      keep(body.parent,
           plus(wrench(changed_, body.parent), in_parent(body, wrench(changed_, b), changed_, b)));
    }
    const int first = change.outward[0];
    if (tree_.bodies[first].parent < 0) return;
    Wrench difference =
        less(in_parent(change.entry, wrench(changed_, first), changed_, first),
             in_parent(tree_.bodies[first], wrench(as_it_is_, first), as_it_is_, first));
    for (int b = tree_.bodies[first].parent; b >= 0; b = tree_.bodies[b].parent) {
      put_screws(b, difference);
      if (tree_.bodies[b].parent >= 0)
        difference = in_parent(tree_.bodies[b], difference, as_it_is_, b);
    }
  }

 private:
  static Wrench plus(const Wrench& a, const Wrench& b) { return {a.f + b.f, a.n + b.n}; }
  static core::Vector3<P> less(const core::Vector3<P>& a, const core::Vector3<P>& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
  }
  static Wrench less(const Wrench& a, const Wrench& b) { return {less(a.f, b.f), less(a.n, b.n)}; }

  Wrench wrench(Space& space, int b) const {
    return {core::load_vector<P>(space, layout_.wrench(b)),
            core::load_vector<P>(space, layout_.wrench(b) + 3)};
  }
  void keep(int b, const Wrench& wrench) const {
    core::store_vector(changed_, layout_.wrench(b), wrench.f);
    core::store_vector(changed_, layout_.wrench(b) + 3, wrench.n);
  }

  template <class Visit>
  void with_pose(const core::BodyEntry& body, const P& sine, const P& cosine,
                 const Visit& visit) const {
    using core::PoseKind;
    switch (body.pose) {
      case PoseKind::general:
        return visit(core::joint_pose<PoseKind::general, P>(body, in_, sine, cosine));
      case PoseKind::twist:
        return visit(core::joint_pose<PoseKind::twist, P>(body, in_, sine, cosine));
      case PoseKind::perpendicular:
        return visit(core::joint_pose<PoseKind::perpendicular, P>(body, in_, sine, cosine));
      case PoseKind::parallel:
        return visit(core::joint_pose<PoseKind::parallel, P>(body, in_, sine, cosine));
    }
  }

  /// Motion and own wrench of the i-th body outward.
  void move(const ChangedBody& change, int i) const {
    const int b = change.outward[i];
    const core::BodyEntry& body = i == 0 ? change.entry : tree_.bodies[b];
    P sine = as_it_is_(layout_.angle(b)), cosine = as_it_is_(layout_.angle(b) + 1);
    if (i == 0 && body.turn_offset != tree_.bodies[b].turn_offset)
      core::joint_angle<P>(body, in_, sine, cosine);
    changed_(layout_.angle(b)) = sine, changed_(layout_.angle(b) + 1) = cosine;
    const core::Motion<P> parent =
        core::load_motion<P>(i == 0 ? as_it_is_ : changed_, layout_.motion(body.parent));
    with_pose(body, sine, cosine, [&](const auto& pose) {
      const core::Motion<P> motion = core::joint_motion(body, pose, parent, in_);
      if (body.has_children) core::store_motion(changed_, layout_.motion(b), motion);
      keep(b, core::wrench_of(motion, inertias_.body(b)));
    });
  }

  /// A body's wrench in the frame of its parent; the joint's sine and cosine are those of `space`.
  Wrench in_parent(const core::BodyEntry& body, const Wrench& own, Space& space, int b) const {
    Wrench handed;
    with_pose(body, space(layout_.angle(b)), space(layout_.angle(b) + 1), [&](const auto& pose) {
      handed.f = core::to_parent(pose, own.f);
      handed.n = core::plus_cross(core::to_parent(pose, own.n), pose.p, handed.f);
    });
    return handed;
  }

  void put_screws(int b, const Wrench& difference) const {
    const core::BodyEntry& body = tree_.bodies[b];
    for (int s = body.first_screw; s < body.first_screw + body.num_screws; ++s) {
      const core::ScrewEntry& screw = tree_.screws[s];
      P& torque = changed_(layout_.torque(tree_.rows[body.first_row + screw.row].channel));
      const core::Vector3<P>&n = difference.n, &f = difference.f;
      torque = torque + P(screw.angular[0]) * n.x + P(screw.angular[1]) * n.y +
               P(screw.angular[2]) * n.z + P(screw.linear[0]) * f.x + P(screw.linear[1]) * f.y +
               P(screw.linear[2]) * f.z;
    }
  }

  const core::TreeView& tree_;
  const Input& in_;
  const Inertias& inertias_;
  Space &as_it_is_, &changed_;
  const core::TorqueLayout layout_;
};

/// Two workspaces and the samples of an incomplete pack.
inline std::size_t torque_changes_scratch_bytes(const core::TreeView& tree) {
  return 2 * static_cast<std::size_t>(core::inverse_dynamics_workspace_size(tree)) *
             sizeof(Pack<double>) +
         static_cast<std::size_t>(padded_samples_size(tree, Pack<double>::kLanes)) * sizeof(double);
}

inline void put_torque_changes(const TorqueChangesTask& task) {
  constexpr int kLanes = Pack<double>::kLanes;
  core::TreeView tree = *task.tree;
  tree.num_features = 0;  // extra columns stay
  const core::TorqueLayout layout(tree);
  const std::ptrdiff_t size = core::inverse_dynamics_workspace_size(tree);
  LaneWorkspace<double> as_it_is{static_cast<Pack<double>*>(task.scratch)},
      changed{as_it_is.packs + size};
  double* const tail = reinterpret_cast<double*>(changed.packs + size);
  const KnownInertias inertias{nullptr, task.bodies};
  core::SampleView view = *task.samples;
  for (int done = 0; done < task.count; done += kLanes) {
    const int num_valid = task.count - done < kLanes ? task.count - done : kLanes;
    const bool is_full = num_valid == kLanes;
    if (!is_full) view = padded_samples(tree, view, done, num_valid, kLanes, tail);
    const UnweightedInput<double> input{{view, nullptr, is_full ? done : 0}};
    core::put_torques<Pack<double>>(tree, input, as_it_is, inertias);
    const TorqueChange torques(tree, input, inertias, as_it_is, changed);
    for (int k = 0; k < task.num_changes; ++k) {
      torques.put(task.changes[k]);
      for (int c = 0; c < tree.num_channels; ++c)
        for (int lane = 0; lane < num_valid; ++lane)
          task.torques[k][c * task.count + done + lane] = changed(layout.torque(c)).v[lane];
    }
  }
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
