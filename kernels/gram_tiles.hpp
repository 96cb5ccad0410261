// The map from the tiles of all channels' outer products to threads: which 4x4 tile a thread sums and where
// its entries go. Plain integer functions, run by the kernel and by tests on the host.
#pragma once

#include "heft/core/platform.hpp"
#include "heft/core/tree.hpp"

namespace heft::cuda {

inline constexpr int kTile = 4;

/// One tile of one channel: rows [row, row + 4) and columns [column, column + 4) of the outer product.
struct GramTile {
  int channel, row, column;
};

HEFT_HD int tiles_along(int width) {
  return (width + kTile - 1) / kTile;
}

/// Tiles on and above the diagonal.
HEFT_HD int num_tiles(int width) {
  return tiles_along(width) * (tiles_along(width) + 1) / 2;
}

/// Tile `index` of a channel, counted row by row.
HEFT_HD GramTile gram_tile(int channel, int width, int index) {
  int row = 0;
  for (int in_row = tiles_along(width); index >= in_row; --in_row, ++row) index -= in_row;
  return {channel, kTile * row, kTile * (row + index)};
}

/// First scalar of a channel's rows in a slab of `num_samples` samples: rows of all channels lie column after
/// column, one column being num_samples long, so that threads = samples write side by side.
HEFT_HD std::int64_t slab_offset(const core::TreeView& tree, int channel, std::int64_t num_samples) {
  std::int64_t columns = 0;
  for (int c = 0; c < channel; ++c) columns += tree.channels[c].width;
  return columns * num_samples;
}

}  // namespace heft::cuda
