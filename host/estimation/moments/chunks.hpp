// Boundaries of the chunks of a segment.
#pragma once

#include "heft/core/sample_view.hpp"

namespace heft {

/// Minimum number of samples of a chunk, except for the last of its segment.
inline constexpr int kSmallestChunk = 8;

/// Returns the number of samples of the chunk that begins at sample `index` of a segment that is
/// divided into at most `most_stretches`. The sums of a chunk depend only on its samples, and its
/// boundaries only on these two arguments, so results are bit-identical for any threads, grids and
/// read sizes (FORMULAS 7). Chunks grow with the segment like its stretches, and are never longer
/// than those: short logs have enough chunks for folds and blocks, and long logs are summed at full
/// speed.
constexpr int chunk_samples(std::int64_t index, std::int64_t most_stretches) {
  int size = kSmallestChunk;
  while (size < core::kChunkSamples && index >= most_stretches * size) size *= 2;
  return size;
}

}  // namespace heft
