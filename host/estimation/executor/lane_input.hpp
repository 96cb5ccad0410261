// The Inputs and the Workspace of core/regressor.hpp for packs of consecutive samples. Included
// once per instruction set and namespace.
#pragma once

#include <cstring>

#include "executor/pack.hpp"
#include "heft/core/sample_view.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Reads the arrays of a SampleView. `row_scale`, if not null, has one factor per channel's rows.
template <class Real>
struct ArrayInput {
  using P = Pack<Real>;

  const core::SampleView& view;
  const double* row_scale;
  std::int64_t at;  ///< first sample of the pack

  P load(const double* array, int column) const {
    const double* const first = array + column * view.stride + at;
    // prefetch two packs or two lines ahead: a robot has more arrays than hardware prefetchers
    // follow
    constexpr int kLine = 64 / sizeof(double), kStep = P::kLanes > kLine ? P::kLanes : kLine;
    for (int i = 0; i < P::kLanes; i += kLine) __builtin_prefetch(first + 2 * kStep + i);
    return pack_of<Real>(first);
  }
  P position(int k) const { return load(view.position, k); }
  P velocity(int k) const { return load(view.velocity, k); }
  P acceleration(int k) const { return load(view.acceleration, k); }
  P base_motion(int i) const {
    return view.base_motion ? load(view.base_motion, i) : P(view.base_constant[i]);
  }
  P torque(int c) const { return view.torque ? load(view.torque, c) : P(0.0); }
  P signal(int s) const { return load(view.signal, s); }
  P weight(int c) const {
    const P weight = view.weight ? load(view.weight, c) : P(1.0);
    return row_scale ? weight * P(row_scale[c]) : weight;
  }
};

/// All rows with weight one and no torque: input of predictions.
template <class Real>
struct UnweightedInput : ArrayInput<Real> {
  Pack<Real> weight(int) const { return Pack<Real>(1.0); }
  Pack<Real> torque(int) const { return Pack<Real>(0.0); }
};

/// The same with precomputed sines and cosines of all joints.
template <class Real>
struct JointInput : ArrayInput<Real> {
  const core::BodyEntry* bodies;
  const Pack<Real>* sines;  ///< of every body, each followed by its cosine
};

/// Preferred by core/ over its own version.
template <class Scalar, class Real>
HEFT_HD void joint_angle(const core::BodyEntry& body, const JointInput<Real>& in, Scalar& sine,
                         Scalar& cosine) {
  const Pack<Real>* const of_body = in.sines + 2 * (&body - in.bodies);
  sine = of_body[0];
  cosine = of_body[1];
}

/// Computes all joints in sequence: sines are independent, so processors overlap them.
template <class Real>
void put_sines(const core::TreeView& tree, const ArrayInput<Real>& in, Pack<Real>* sines) {
  for (int b = 0; b < tree.num_bodies; ++b)
    if (tree.bodies[b].turn != 0)
      core::joint_angle<Pack<Real>>(tree.bodies[b], in, sines[2 * b], sines[2 * b + 1]);
}

/// Workspace of core/regressor.hpp.
template <class Real>
struct LaneWorkspace {
  Pack<Real>* packs;
  Pack<Real>& operator()(std::ptrdiff_t i) { return packs[i]; }
};

}  // namespace heft::cpu::HEFT_CPU_TARGET
