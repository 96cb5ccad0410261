// Measures peak multiply-adds per second of an instruction set: in registers alone, and in a tile
// that reads its factors from the first-level cache, as matrix products do.
// Included once per instruction set and namespace.
#pragma once

#include "tile_kernels.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Uses twelve independent chains, more than latency times ports of current processors. Does
/// `rounds` times 12 multiply-adds on packs; returns their number, counting lanes.
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

/// Runs the register tile with the fewest loads per multiply-add repeatedly over the same columns.
/// Does `rounds` times its multiply-adds; returns their number, counting lanes.
template <class Real>
std::int64_t run_peak_with_loads(int rounds) {
  constexpr int kRows = kRegisters == 32 ? 6 : 4, kColumns = kRegisters == 32 ? 4 : 3;
  alignas(kPackBytes) Pack<Real> columns[kRows + kColumns];
  for (Pack<Real>& column : columns) column = Pack<Real>(1.0);
  double sums[(kRows * kColumns + kSumsAlignment - 1) / kSumsAlignment * kSumsAlignment] = {};
  add_rectangle<Real, kRows, kColumns, false>(columns, columns + kRows, nullptr, {0, 0, 0}, rounds,
                                              sums);
  volatile double use = sums[0];
  (void)use;
  return static_cast<std::int64_t>(rounds) * kRows * kColumns * Pack<Real>::kLanes;
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
