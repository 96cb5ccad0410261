// The products of columns that form the moments, and their positions; used to build every map of
// tiles.
#pragma once

#include <vector>

#include "heft/core/tree.hpp"

#pragma GCC visibility push(default)
namespace heft {

/// The products of a block that are part of the moments: the first `rows` columns of the left panel
/// with the first `columns` of the right panel. For a panel with itself only the triangle is used.
struct ProductBlock {
  core::BlockEntry entry;
  int rows, columns;
};

/// Returns the blocks of a plan: per channel one block for every row of the panels; summed over all
/// rows that two panels share. The last column of every panel is the torque: it belongs to the
/// products of a panel with itself, and its square to those of the tails.
std::vector<ProductBlock> product_blocks(const core::TreeView& tree, bool is_summed);

/// Returns the index in the packed moments to which the product of columns a and b of a block is
/// added.
int product_place(const core::TreeView& tree, bool is_summed, const core::BlockEntry& block, int a,
                  int b);

}  // namespace heft
#pragma GCC visibility pop
