// Where the chunks of a segment begin.
#pragma once

#include "heft/core/sample_view.hpp"

namespace heft {

/// Fewest samples of a chunk that is not the last of its segment.
inline constexpr int kSmallestChunk = 8;

/// Samples of the chunk that begins at sample `index` of a segment that is cut into
/// `most_stretches` at most. The sums of a chunk depend on nothing but its samples, and where
/// chunks begin on nothing but these two, so that threads, grids and read sizes change no bit
/// (FORMULAS 7). Chunks grow with the segment as its stretches do, and are never longer than those:
/// a short log has enough of them to be cut into folds and blocks, and a long one is summed at full
/// speed.
constexpr int chunk_samples(std::int64_t index, std::int64_t most_stretches) {
  int size = kSmallestChunk;
  while (size < core::kChunkSamples && index >= most_stretches * size) size *= 2;
  return size;
}

}  // namespace heft
