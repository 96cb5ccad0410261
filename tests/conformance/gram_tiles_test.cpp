// The kernels' tile map, executed on the host: every entry of every channel's triangle belongs to exactly one tile.
#include "kernels/gram_tiles.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heft {
namespace {

TEST(GramTiles, CoverTheUpperTriangleOnce) {
  for (int width = 1; width <= 70; ++width) {
    std::vector<int> covered(core::packed_triangle(width), 0);
    for (int index = 0; index < cuda::num_tiles(width); ++index) {
      const cuda::GramTile tile = cuda::gram_tile(3, width, index);
      EXPECT_EQ(tile.channel, 3);
      EXPECT_LE(tile.row, tile.column);
      for (int row = tile.row; row < tile.row + cuda::kTile; ++row)
        for (int column = std::max(row, tile.column); column < tile.column + cuda::kTile; ++column)
          if (row < width && column < width) ++covered[core::packed_index(width, row, column)];
    }
    for (const int count : covered) ASSERT_EQ(count, 1) << "width " << width;
  }
}

TEST(GramTiles, SlabsOfChannelsDoNotOverlap) {
  const core::ChannelEntry channels[3] = {{5, 0}, {12, 15}, {3, 93}};
  core::TreeView tree{};
  tree.num_channels = 3;
  tree.channels = channels;
  EXPECT_EQ(cuda::slab_offset(tree, 0, 128), 0);
  EXPECT_EQ(cuda::slab_offset(tree, 1, 128), 5 * 128);
  EXPECT_EQ(cuda::slab_offset(tree, 2, 128), 17 * 128);
}

}  // namespace
}  // namespace heft
