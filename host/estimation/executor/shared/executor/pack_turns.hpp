// Transposes squares of packs in registers, so that numbers are ordered by sample. Included once
// per instruction set and namespace.
#pragma once

#include <utility>

#include "executor/pack.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Takes, of lanes in pairs kDistance apart, the first ones of `a`, each followed by the first of
/// b's pair.
template <int kDistance, std::size_t... kLane>
HEFT_HD auto firsts_of_pairs(const Pack<double>& a, const Pack<double>& b,
                             std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      a.v, b.v,
      (kLane & kDistance ? Pack<double>::kLanes + int(kLane) - kDistance : int(kLane))...);
}

/// Does the same with the second ones.
template <int kDistance, std::size_t... kLane>
HEFT_HD auto seconds_of_pairs(const Pack<double>& a, const Pack<double>& b,
                              std::index_sequence<kLane...>) {
  return __builtin_shufflevector(
      a.v, b.v,
      (kLane & kDistance ? Pack<double>::kLanes + int(kLane) : int(kLane) + kDistance)...);
}

/// Transposes a square of kLanes packs: exchanges lane l of packs[k] with lane k of packs[l].
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
