// Divides a batch into waves and sends them to the device two at a time: while one is solved, the
// next is packed and sent.
#pragma once

#include <algorithm>
#include <cstddef>

#include "heft/base/result.hpp"

namespace heft::cuda {

inline constexpr std::size_t kWaveSlots = 2;

/// Calls begin(slot, first, count) for every wave of at most `wave` problems in their order, and
/// then finish(slot, first, count) for each, in the same order; a slot is reused only after it was
/// finished. Stops at the first error.
template <class Begin, class Finish>
Result<Done> in_waves(std::size_t count, std::size_t wave, const Begin& begin,
                      const Finish& finish) {
  const std::size_t num_waves = (count + wave - 1) / wave;
  const auto call = [&](const auto& work, std::size_t index) -> Result<Done> {
    const std::size_t first = index * wave;
    return work(index % kWaveSlots, first, std::min(wave, count - first));
  };
  for (std::size_t index = 0; index < num_waves + kWaveSlots - 1; ++index) {
    if (index < num_waves) HEFT_CHECK(call(begin, index));
    if (index + 1 >= kWaveSlots) HEFT_CHECK(call(finish, index + 1 - kWaveSlots));
  }
  return Done{};
}

}  // namespace heft::cuda
