// The tile map: the products that form the moments (core/tree.hpp, or the triangles of given rows),
// divided into 8x8 tiles, and the sums of tiles that form each entry of the packed moments. Created
// on the host, read by the kernels; plain integers in both cases.
//
// Slab. Columns of rows at kSlabSamples samples, one per lane. A column takes kSlabStride scalars,
// the last of them padding, so that lanes that read four columns at four samples access different
// banks. The columns of a row are adjacent.
//
// The slab has one of two layouts. Whole: the row of every channel as in the moments, and separate
// tiles for every channel, even if channels are summed; channels of the same columns, those of a
// floating base, share their tiles. Few columns are stored twice, so this layout needs the fewest
// products. Panels, for sums over channels that would otherwise have too many tiles: columns that
// occur in the same rows form a panel, whose tiles sum over these rows (core/tree.hpp).
//
// Units. A unit is a square of two by two tiles: each strip of eight columns that lanes load is
// used twice. A warp holds the sums of kWarpUnits units in its registers. If there are more units,
// they are processed in several rounds, and the other sums wait in memory. Where shared memory is
// too small for the slab, units are wide: a rectangle of four by seven tiles or the triangle of
// seven strips, so that strips are used four to seven times. A warp then processes one unit at a
// time.
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
inline constexpr int kWideLeft = 4, kWideRight = 7;  ///< strips of a wide unit, at most
inline constexpr int kWideTiles = kWideLeft * kWideRight;
static_assert(kWideTiles == kWideRight * (kWideRight + 1) / 2, "of the triangle, too");
inline constexpr int kWideSlabs = 2;  ///< slabs whose products wide units add at a time

/// Products of columns [left, left + left_width) of the slab with [right, right + right_width), in
/// strips, over `num_rows` rows, whose columns lie `step` further on. Tile (m, n) is that of left
/// strip m and right strip n. On the diagonal, where left and right begin with the same column,
/// tiles below it (m > n) are left out.
struct alignas(16) TileUnit {
  int left, right;
  int left_width, right_width;
  int left_step, right_step;
  int num_rows;    ///< 0: there is no unit
  int first_tile;  ///< tiles of the map before its own

  HEFT_HD bool is_diagonal() const { return left == right; }
  HEFT_HD static int num_strips(int width) { return (width + kTile - 1) / kTile; }
  HEFT_HD bool has(int m, int n) const {
    return num_rows > 0 && m * kTile < left_width && n * kTile < right_width &&
           !(is_diagonal() && m > n);
  }
  /// Number of a wide unit's tile among its own. Rectangles of less than four left strips do not
  /// use all numbers, so that numbers are constants in the kernels.
  HEFT_HD static constexpr int wide_tile(bool is_diagonal, int m, int n) {
    return (is_diagonal ? n * (n + 1) / 2 : n * kWideLeft) + m;
  }
};

inline constexpr int kNoSum = -1;

/// The map as the kernels read it. Unit k of warp w of a group in round r is units[first_unit(r, w)
/// + k]. Tiles are numbered unit after unit; sum kTileSums * tile + kTile * i + j is that of left
/// column i and right column j of a tile. Entry e of the packed moments is the sum of the sums
/// entry_sums[i] in this order, for i from list_begin[e / kLanes] + e % kLanes in steps of kLanes
/// up to list_begin[e / kLanes + 1] or a kNoSum, whichever comes first: lanes that take entries
/// side by side read side by side.
struct GramTilesView {
  int num_columns;  ///< of the slab
  int num_shares, num_rounds;
  int num_tiles;
  bool is_wide;  ///< of wide units, whose sums wait in memory
  std::int64_t packed_size;
  const TileUnit* units;
  const int* list_begin;
  const int* entry_sums;

  HEFT_HD int num_groups() const { return kWarps / num_shares; }
  /// Of a warp in a round.
  HEFT_HD int num_units() const { return is_wide ? 1 : kWarpUnits; }
  HEFT_HD int first_unit(int round, int warp) const {
    return (round * num_shares + warp) * num_units();
  }
  HEFT_HD int slabs_at_a_time() const { return is_wide ? kWideSlabs : 1; }
  /// Sums of a group.
  HEFT_HD std::int64_t num_sums() const { return std::int64_t{num_tiles} * kTileSums; }
};

struct GramTiles {
  int num_columns = 0, num_shares = 1, num_rounds = 1, num_tiles = 0;
  bool is_wide = false;
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
