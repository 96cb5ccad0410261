// The program of register tiles: a plan's blocks (core/tree.hpp) cut for one instruction set, and where every sum of a
// tile goes in the packed moments. The same for every chunk of a job.
//
// Per channel, a tile runs over one row of its panels; in the summed form over all rows that they share.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/core/tree.hpp"

namespace heft::cpu {

/// Adds the products of `count` packs of `left` and `right` (lanes summed) to `sums`, row by row.
using TileFunction = void (*)(const void* left, int left_stride, const void* right, int right_stride,
                              int count, double* sums);

/// Edges of the largest register tile, most columns of one on the diagonal, and the function for one of `rows` x
/// `columns` whose entries (a, b) with a > b + offset need not be computed.
struct TileShapes {
  int most_rows, most_columns, most_diagonal;
  TileFunction (*function)(int rows, int columns, int offset);
};

/// Place of a panel's run of rows in the slab: rows of `width` columns, `begin` scalars a sample before them.
struct TileSide {
  int begin, width, column;
};

struct GramTile {
  TileSide left, right;
  int num_rows;  ///< rows of the panels that follow each other
  TileFunction function;
  int num_sums;  ///< rows x columns, rounded up to kSumsAlignment
};

constexpr int kSumsAlignment = 16;

struct GramProgram {
  std::vector<GramTile> tiles;
  std::vector<int> destinations;  ///< of every sum of every tile; -1: not part of the moments
  std::int64_t num_sums = 0;
  std::int64_t packed_size = 0;
  std::int64_t num_products = 0;  ///< multiply-adds a sample, those of no use left out
};

GramProgram make_gram_program(const core::TreeView& tree, bool is_summed, const TileShapes& shapes);

}  // namespace heft::cpu
