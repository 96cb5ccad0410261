// The Inputs and the Workspace of core/regressor.hpp for packs of consecutive samples. Included
// once per instruction set and namespace.
#pragma once

#include <cstring>

#include "executor/pack.hpp"
#include "heft/core/sample_view.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Reads the arrays of a SampleView. `row_scale`, if not null, holds a factor for every channel's
/// rows.
template <class Real>
struct ArrayInput {
  using P = Pack<Real>;

  const core::SampleView& view;
  const double* row_scale;
  std::int64_t at;  ///< first sample of the pack

  P load(const double* array, int column) const {
    const double* const first = array + column * view.stride + at;
    // the pack after next, or the line after next: a robot has more arrays than processors follow
    // by themselves
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

/// Every row at weight one, no torque: what predictions are made of.
template <class Real>
struct UnweightedInput : ArrayInput<Real> {
  Pack<Real> weight(int) const { return Pack<Real>(1.0); }
  Pack<Real> torque(int) const { return Pack<Real>(0.0); }
};

/// The same with sines and cosines of all joints that were computed before.
template <class Real>
struct JointInput : ArrayInput<Real> {
  const core::BodyEntry* bodies;
  const Pack<Real>* sines;  ///< and the cosine right behind each, of every body
};

/// Found by core/ before its own.
template <class Scalar, class Real>
HEFT_HD void joint_angle(const core::BodyEntry& body, const JointInput<Real>& in, Scalar& sine,
                         Scalar& cosine) {
  const Pack<Real>* const of_body = in.sines + 2 * (&body - in.bodies);
  sine = of_body[0];
  cosine = of_body[1];
}

/// Of all joints one after the other: no sine depends on another, so that processors compute
/// several at a time.
template <class Real>
void put_sines(const core::TreeView& tree, const ArrayInput<Real>& in, Pack<Real>* sines) {
  for (int b = 0; b < tree.num_bodies; ++b)
    if (tree.bodies[b].turn != 0)
      core::joint_angle<Pack<Real>>(tree.bodies[b], in, sines[2 * b], sines[2 * b + 1]);
}

/// The Workspace of core/regressor.hpp.
template <class Real>
struct LaneWorkspace {
  Pack<Real>* packs;
  Pack<Real>& operator()(std::ptrdiff_t i) { return packs[i]; }
};

}  // namespace heft::cpu::HEFT_CPU_TARGET
