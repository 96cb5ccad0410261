// Packs, a number of several samples each, to lie sample by sample: squares turned over in
// registers. Included once per instruction set and namespace.
#pragma once

#include <utility>

#include "executor/pack.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Of lanes in pairs kDistance apart: the first ones of `a`, each followed by the first of b's
/// pair.
template <int kDistance, std::size_t... kLane>
HEFT_HD auto firsts_of_pairs(const Pack<double>& a, const Pack<double>& b,
                             std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      a.v, b.v,
      (kLane & kDistance ? Pack<double>::kLanes + int(kLane) - kDistance : int(kLane))...);
}

/// The same of the second ones.
template <int kDistance, std::size_t... kLane>
HEFT_HD auto seconds_of_pairs(const Pack<double>& a, const Pack<double>& b,
                              std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      a.v, b.v,
      (kLane & kDistance ? Pack<double>::kLanes + int(kLane) : int(kLane) + kDistance)...);
}

/// Exchanges lane l of packs[k] with lane k of packs[l] in a square of kLanes packs.
template <int kDistance = 1>
HEFT_HD void turn_over(Pack<double>* packs) {
  constexpr int kLanes = Pack<double>::kLanes;
  constexpr auto kLane = std::make_index_sequence<kLanes>();
#pragma GCC unroll 8
  for (int k = 0; k < kLanes; ++k) {
    if (k & kDistance) continue;
    const auto first = firsts_of_pairs<kDistance>(packs[k], packs[k + kDistance], kLane),
               second = seconds_of_pairs<kDistance>(packs[k], packs[k + kDistance], kLane);
    packs[k].v = first, packs[k + kDistance].v = second;
  }
  if constexpr (2 * kDistance < kLanes) turn_over<2 * kDistance>(packs);
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
