#include "model/gram_products.hpp"

#include <algorithm>

namespace heft {

namespace {

const core::PanelRowEntry& row_of(const core::TreeView& tree, int panel, int row) {
  return tree.panel_rows[tree.panels[panel].first_row + row];
}

/// Position of column k of a panel's row in the row of its channel.
int position_in_channel(const core::TreeView& tree, const core::PanelRowEntry& row, int k) {
  return k == row.width - 1 ? tree.channels[row.channel].width - 1 : row.column + k;
}

}  // namespace

std::vector<ProductBlock> product_blocks(const core::TreeView& tree, bool is_summed) {
  std::vector<ProductBlock> blocks;
  for (int i = 0; i < tree.num_blocks; ++i) {
    const core::BlockEntry& block = tree.blocks[i];
    const bool is_diagonal = block.left == block.right;
    const int left_width = tree.panels[block.left].width,
              right_width = tree.panels[block.right].width;
    const int rows = is_diagonal && tree.panels[block.left].is_tail ? left_width : left_width - 1;
    const int columns = is_diagonal ? right_width : right_width - 1;
    if (rows == 0 || columns == 0) continue;
    if (is_summed)
      blocks.push_back({block, rows, columns});
    else
      for (int r = 0; r < block.num_rows; ++r)
        blocks.push_back(
            {{block.left, block.right, block.left_row + r, block.right_row + r, 1}, rows, columns});
  }
  return blocks;
}

int product_place(const core::TreeView& tree, bool is_summed, const core::BlockEntry& block, int a,
                  int b) {
  if (is_summed) {
    const int i = tree.panel_columns[tree.panels[block.left].first_column + a];
    const int j = tree.panel_columns[tree.panels[block.right].first_column + b];
    return static_cast<int>(core::packed_index(tree.summed_width, std::min(i, j), std::max(i, j)));
  }
  const core::PanelRowEntry& left = row_of(tree, block.left, block.left_row);
  const core::ChannelEntry& channel = tree.channels[left.channel];
  const int i = position_in_channel(tree, left, a);
  const int j = position_in_channel(tree, row_of(tree, block.right, block.right_row), b);
  return static_cast<int>(channel.packed_offset +
                          core::packed_index(channel.width, std::min(i, j), std::max(i, j)));
}

}  // namespace heft
