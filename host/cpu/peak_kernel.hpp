// The most multiply-adds a second that this instruction set can do: twelve independent chains in registers, more
// than latency times ports of any processor so far. Included once per instruction set and namespace.
#pragma once

#include "host/cpu/tile_kernels.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Does `rounds` times 12 multiply-adds on packs; returns their number, lanes counted.
template <class Real>
std::int64_t run_peak(std::int64_t rounds) {
  constexpr int kChains = 12;
  using Vector = typename Pack<Real>::Vector;
  Vector sums[kChains], factor = Vector{} + Real(0.5), shift = Vector{} + Real(1);
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) sums[i] = Vector{};
  keep_in_register(factor);
  keep_in_register(shift);
  for (std::int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 12
    for (int i = 0; i < kChains; ++i) {
      sums[i] = sums[i] * factor + shift;
      keep_in_register(sums[i]);
    }
  }
  Vector total = Vector{};
#pragma GCC unroll 12
  for (int i = 0; i < kChains; ++i) total += sums[i];
  volatile Real use = total[0];
  (void)use;
  return rounds * kChains * Pack<Real>::kLanes;
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
