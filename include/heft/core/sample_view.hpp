// Samples as the kernels read them: columns of equal length, one stride, nothing owned.
#pragma once

#include <cstdint>

namespace heft::core {

/// Most samples of a chunk, and the fewest of one that is not the last of its segment.
inline constexpr int kChunkSamples = 4096, kSmallestChunk = 8;

/// Samples of the chunk that begins at sample `index` of a segment. The sums of a chunk depend on nothing but
/// its samples, and where chunks begin on nothing but the index, so that threads, grids and read sizes change
/// no bit (FORMULAS 7). Chunks grow with the segment, from a 128th of it on, so that a short log has
/// enough of them to be cut into folds and blocks, and a long one is summed at full speed.
constexpr int chunk_samples(std::int64_t index) {
  int size = kSmallestChunk;
  while (size < kChunkSamples && index >= 256 * static_cast<std::int64_t>(size)) size *= 2;
  return size;
}

/// Column k of an array starts at array + k * stride.
struct SampleView {
  const double* position;
  const double* velocity;
  const double* acceleration;
  const double* base_motion;  ///< nine columns, or nullptr: base_constant holds
  const double* torque;       ///< nullptr: zero
  const double* weight;       ///< nullptr: one
  const double* signal;
  std::int64_t stride;
  double base_constant[9];  ///< w, wd, a - g of a base that does not move
};

}  // namespace heft::core
