// The program of register tiles: a plan's blocks (core/tree.hpp) divided for one instruction set,
// and the position of every sum of a tile in the packed moments. The same for every chunk of a job.
//
// Per channel, a tile covers one row of its panels; in the summed form all rows that they share.
//
// The slab holds the rows of all panels for a block of samples. The torque is not copied into every
// panel: it is stored once per channel, in the channel's tail, from which tiles load it.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/core/tree.hpp"

#pragma GCC visibility push(default)
namespace heft::cpu {

/// The packs of one side of a tile: some columns, with `stride` packs from one pack of samples to
/// the next.
struct TilePacks {
  const void* packs;
  int stride;
};

/// Adds the products of `count` packs of `left` and `right` (summed over lanes) to `sums`, row by
/// row. The last column of the right side is read from `last`. A triangle multiplies the left
/// columns with themselves; its sums are packed.
using TileFunction = void (*)(TilePacks left, TilePacks right, TilePacks last, int count,
                              double* sums);

/// Edges of the largest register tile, edge of the largest triangle, and the function for a tile of
/// `rows` x `columns`.
struct TileShapes {
  int most_rows, most_columns, most_diagonal;
  TileFunction (*function)(int rows, int columns, bool is_triangle);
};

/// Place of a panel's row in the slab: `width` columns, after `begin` scalars per sample.
struct SlabRow {
  int begin, width;
};

/// A column of a panel's run of rows.
struct TileSide {
  SlabRow row;  ///< first row
  int column;
};

/// One tile of the program.
struct GramTile {
  TileSide left, right, last;
  int num_rows;  ///< number of consecutive panel rows
  TileFunction function;
  int num_sums;  ///< rounded up to kSumsAlignment
};

constexpr int kSumsAlignment = 16;

/// Position of a tile's sum in the packed moments.
struct SumPlace {
  int sum, packed;
};

/// All tiles of a plan.
struct GramProgram {
  std::vector<SlabRow> slab_rows;  ///< of every panel row
  int slab_size = 0;               ///< scalars of one sample in the slab
  int first_tail = 0;              ///< tails are the last rows, one per channel
  std::vector<GramTile> tiles;
  std::vector<SumPlace> places;  ///< for the sums of all tiles that are part of the moments
  int num_sums = 0;
  std::int64_t packed_size = 0;
  std::int64_t num_products = 0;  ///< useful multiply-adds per sample

  int num_slab_rows() const { return static_cast<int>(slab_rows.size()); }
  /// Returns the index of a channel's tail in slab_rows; its last column is the channel's torque.
  int tail_row(int channel) const { return first_tail + channel; }
};

/// Makes the program of a plan.
GramProgram make_gram_program(const core::TreeView& tree, bool is_summed, const TileShapes& shapes);

}  // namespace heft::cpu
#pragma GCC visibility pop
