// The products of columns that the moments consist of, and where each goes: what every map of tiles
// is made from.
#pragma once

#include <vector>

#include "heft/core/tree.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// Of a block's products those that are part of the moments: the first `rows` columns of the left
/// panel with the first `columns` of the right; with itself a panel has its triangle alone.
struct ProductBlock {
  core::BlockEntry entry;
  int rows, columns;
};

/// The blocks of a plan: per channel one for every row of the panels, summed over all rows that two
/// panels share. Every panel's last column is the torque: it belongs to the products of a panel
/// with itself, its square to those of the tails.
std::vector<ProductBlock> product_blocks(const core::TreeView& tree, bool is_summed);

/// Entry of the packed moments that the product of columns a and b of a block adds to.
int product_place(const core::TreeView& tree, bool is_summed, const core::BlockEntry& block, int a,
                  int b);

}  // namespace heft
#pragma GCC visibility pop
