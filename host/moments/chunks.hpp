// Where the chunks of a segment begin.
#pragma once

#include "heft/core/sample_view.hpp"

namespace heft {

/// Fewest samples of a chunk that is not the last of its segment.
inline constexpr int kSmallestChunk = 8;

/// Samples of the chunk that begins at sample `index` of a segment. The sums of a chunk depend on nothing but
/// its samples, and where chunks begin on nothing but the index, so that threads, grids and read sizes change
/// no bit (FORMULAS 7). Chunks grow with the segment, from a 128th of it on, so that a short log has
/// enough of them to be cut into folds and blocks, and a long one is summed at full speed.
constexpr int chunk_samples(std::int64_t index) {
  int size = kSmallestChunk;
  while (size < core::kChunkSamples && index >= 256 * static_cast<std::int64_t>(size)) size *= 2;
  return size;
}

}  // namespace heft
