// The tile map: the products that form the moments (core/tree.hpp, or the triangles of given rows),
// divided into 8x8 tiles, and the sums of tiles that form each entry of the packed moments. Created
// on the host, read by the kernels; plain integers in both cases.
//
// Slab. Columns of rows at kSlabSamples samples, one per lane. A column takes kSlabStride scalars,
// the last of them padding, so that lanes that read four columns at four samples access different
// banks. The columns of a row are adjacent.
//
// The slab has one of two layouts. Whole: the row of every channel as in the moments, and separate
// tiles for every channel, even if channels are summed. Few columns are stored twice, so this
// layout needs the fewest products. Panels, for sums over channels that would otherwise have too
// many tiles: columns that occur in the same rows form a panel, whose tiles sum over these rows
// (core/tree.hpp).
//
// Units. A unit is a square of two by two tiles: each strip of eight columns that lanes load is
// used twice. A warp holds the sums of kWarpUnits units in its registers. If there are more units,
// they are processed in several rounds, and the other sums wait in memory.
//
// Shares and groups. `num_shares` warps (row_shares.hpp) compute the rows of a sample and also
// share its units. The other warps of a block do the same for other samples: kWarps / num_shares
// groups, each with its own sums and slab.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/platform.hpp"
#include "heft/core/tree.hpp"
#include "row_shares.hpp"

namespace heft::cuda {

inline constexpr int kLanes = 32;                 ///< of a warp
inline constexpr int kWarps = 4;                  ///< of a block
inline constexpr int kThreads = kWarps * kLanes;  ///< of a block
inline constexpr int kSlabSamples = kLanes;
inline constexpr int kSlabStride = kSlabSamples + 4;
inline constexpr int kTile = 8;  ///< columns along either edge of a tile
inline constexpr int kTileSums = kTile * kTile;
inline constexpr int kUnitTiles = 4;  ///< of a unit, at most: two by two
inline constexpr int kWarpUnits = 7;

/// Products of columns [left, left + left_width) of the slab with [right, right + right_width), up
/// to two strips each, over `num_rows` rows, whose columns lie `step` further on. Tile 2 m + n is
/// that of left strip m and right strip n. On the diagonal, where left and right begin with the
/// same column, tile 2 is left out.
struct alignas(16) TileUnit {
  int left, right;
  int left_width, right_width;
  int left_step, right_step;
  int num_rows;    ///< 0: there is no unit
  int first_tile;  ///< tiles of the map before its own

  HEFT_HD bool is_diagonal() const { return left == right; }
  HEFT_HD bool has(int tile) const {
    const int left_strip = tile / 2, right_strip = tile % 2;
    return num_rows > 0 && left_strip * kTile < left_width && right_strip * kTile < right_width &&
           !(is_diagonal() && left_strip > right_strip);
  }
};

inline constexpr int kNoSum = -1;

/// The map as the kernels read it. Unit k of warp w of a group in round r is units[(r * num_shares
/// + w) * kWarpUnits + k]. Its tiles are numbered one after the other; sum kTileSums * tile + kTile
/// * i + j is that of left column i and right column j of a tile. Entry e of the packed moments is
/// the sum of the sums entry_sums[i] in this order, for i from list_begin[e / kLanes] + e % kLanes
/// in steps of kLanes up to list_begin[e / kLanes + 1] or a kNoSum, whichever comes first: lanes
/// that take entries side by side read side by side.
struct GramTilesView {
  int num_columns;  ///< of the slab
  int num_shares, num_rounds;
  int num_tiles;
  std::int64_t packed_size;
  const TileUnit* units;
  const int* list_begin;
  const int* entry_sums;

  HEFT_HD int num_groups() const { return kWarps / num_shares; }
  HEFT_HD int first_unit(int round, int warp) const {
    return (round * num_shares + warp) * kWarpUnits;
  }
  /// Sums of a group.
  HEFT_HD std::int64_t num_sums() const { return std::int64_t{num_tiles} * kTileSums; }
};

struct GramTiles {
  int num_columns = 0, num_shares = 1, num_rounds = 1, num_tiles = 0;
  std::int64_t packed_size = 0;
  std::vector<TileUnit> units;
  std::vector<int> list_begin, entry_sums;
  SlabColumns columns;  ///< where rows that are made for the slab put their columns

  GramTilesView view() const;
};

/// Makes the map of the rows of a plan, per channel or summed. Error if there are more products
/// than can be numbered.
Result<GramTiles> make_gram_tiles(const core::TreeView& tree, bool is_summed, int scalar_size);

/// Makes the map of given rows, per channel.
Result<GramTiles> make_row_tiles(const core::TreeView& tree);

}  // namespace heft::cuda
