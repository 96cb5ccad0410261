// The last samples of a chunk, filled up to whole packs. Included once per instruction set and
// namespace.
#pragma once

#include <algorithm>

#include "heft/core/sample_view.hpp"
#include "heft/core/tree.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Columns of every array of a SampleView.
struct SampleColumns {
  int coordinates, base, channels, signals;

  explicit SampleColumns(const core::TreeView& tree)
      : coordinates(tree.num_coordinates),
        base(9),
        channels(tree.num_channels),
        signals(tree.num_signals) {}
  std::int64_t sum() const { return 3 * coordinates + base + 2 * channels + signals; }
};

/// Number of doubles for `size` samples of all columns.
inline std::int64_t padded_samples_size(const core::TreeView& tree, int size) {
  return SampleColumns(tree).sum() * size;
}

/// Copies samples [begin, begin + count) to `memory`, and pads them to `size` with copies of the
/// last one at weight zero. Returns their view, whose sample 0 is `begin`.
inline core::SampleView padded_samples(const core::TreeView& tree, const core::SampleView& samples,
                                       std::int64_t begin, int count, int size, double* memory) {
  const SampleColumns columns(tree);
  const auto copy = [&](const double* array, int num_columns) -> const double* {
    if (!array || num_columns == 0) return array;
    double* const copied = memory;
    for (int k = 0; k < num_columns; ++k, memory += size) {
      const double* const column = array + k * samples.stride + begin;
      std::fill(std::copy(column, column + count, memory), memory + size, column[count - 1]);
    }
    return copied;
  };
  core::SampleView view = samples;
  view.position = copy(samples.position, columns.coordinates);
  view.velocity = copy(samples.velocity, columns.coordinates);
  view.acceleration = copy(samples.acceleration, columns.coordinates);
  view.base_motion = copy(samples.base_motion, columns.base);
  view.torque = copy(samples.torque, columns.channels);
  view.signal = copy(samples.signal, columns.signals);
  view.weight = memory;
  for (int c = 0; c < columns.channels; ++c, memory += size) {
    const double* const weight =
        samples.weight ? samples.weight + c * samples.stride + begin : nullptr;
    for (int i = 0; i < size; ++i) memory[i] = i >= count ? 0 : weight ? weight[i] : 1;
  }
  view.stride = size;
  return view;
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
