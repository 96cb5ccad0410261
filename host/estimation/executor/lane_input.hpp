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
    typename P::Doubles doubles;
    const double* const first = array + column * view.stride + at;
    std::memcpy(&doubles, first, sizeof doubles);
    // the pack after next, or the line after next: a robot has more arrays than processors follow
    // by themselves
    constexpr int kLine = 64 / sizeof(double), kStep = P::kLanes > kLine ? P::kLanes : kLine;
    for (int i = 0; i < P::kLanes; i += kLine) __builtin_prefetch(first + 2 * kStep + i);
    return P(__builtin_convertvector(doubles, typename P::Vector));
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

/// The Workspace of core/regressor.hpp.
template <class Real>
struct LaneWorkspace {
  Pack<Real>* packs;
  Pack<Real>& operator()(std::ptrdiff_t i) { return packs[i]; }
};

}  // namespace heft::cpu::HEFT_CPU_TARGET
