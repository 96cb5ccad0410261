// The tile map: the products that moments consist of (panels and blocks of core/tree.hpp, or the triangles of given
// rows), cut into 4x4 tiles, and which sums of which tiles make up each entry of the packed moments. Made on the host,
// read by the kernels; plain integers either way.
//
// Slab. The rows of kThreads samples, column after column; one column is kThreads scalars, thread = sample. Columns of a
// panel's rows follow each other, and so do panels.
//
// Stages. Tiles read the slab through shared memory, `stage` samples at a time, four columns of a sample at once: columns
// lie there in quads, and every row of a panel begins a quad. Where all columns do not fit, panels form groups and tiles
// form batches: a batch multiplies one group with another, and the columns of these two are staged for it.
//
// Shares. Where there are fewer tiles than threads, several threads take one tile, each a share of the samples.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/base/result.hpp"
#include "heft/core/platform.hpp"
#include "heft/core/tree.hpp"

namespace heft::cuda {

inline constexpr int kThreads = 128;  ///< of a block, and samples in its slab
inline constexpr int kQuad = 4;       ///< columns along either edge of a tile
inline constexpr int kTileSums = kQuad * kQuad;
inline constexpr int kStageBytes = 48 * 1024;  ///< of shared memory: what every device gives unasked

/// Products of one quad with another, over `num_rows` rows. Quads count in the stage of the tile's batch; the next row's lie
/// `step` quads further on.
struct QuadTile {
  int left, right;
  int left_step, right_step;
  int num_rows;
};

/// Tiles [first_tile, first_tile + num_tiles), and the columns that are staged for them: entries [first_column,
/// first_column + num_columns) of the map's columns, a multiple of kQuad.
struct GramBatch {
  int first_tile, num_tiles;
  int first_column, num_columns;
};

/// The map as the kernels read it. Entry e of the packed moments is the sum of the sums entry_sums[entry_begin[e]], ..
/// up to entry_sums[entry_begin[e + 1] - 1] in this order; sum kTileSums * tile + kQuad * i + j is that of left column i
/// and right column j of a tile.
struct GramTilesView {
  int num_columns;  ///< of the slab
  int num_tiles, num_batches;
  int num_shares;  ///< threads a tile; divides `stage`
  int stage;       ///< samples, a power of two
  std::int64_t packed_size;
  const QuadTile* tiles;
  const GramBatch* batches;
  const int* columns;  ///< of the slab, in the order of the stages; -1: nothing but zeros
  const int* entry_begin;
  const int* entry_sums;
};

/// Columns of a sample that one access to shared memory brings: 16 bytes of them.
template <class Real>
constexpr int kUnit = 16 / static_cast<int>(sizeof(Real));

/// Place in the stage, counted in units of kUnit columns, of unit `unit` of a sample. Threads that take quads side by side
/// at the same sample meet in different banks: samples of the n-th quad are stored in the order of sample xor n.
template <class Real>
HEFT_HD int stage_place(int stage, int unit, int sample) {
  const int quad = unit * kUnit<Real> / kQuad;
  return unit * stage + (sample ^ (quad & (stage - 1)));
}

struct GramTiles {
  int num_columns = 0, num_shares = 1, stage = 1;
  std::int64_t packed_size = 0;
  std::vector<QuadTile> tiles;
  std::vector<GramBatch> batches;
  std::vector<int> columns, entry_begin, entry_sums;

  GramTilesView view() const;
};

/// Of the rows of a plan in its panels, per channel or summed. Error if a panel is too large for the shared memory.
Result<GramTiles> make_gram_tiles(const core::TreeView& tree, bool is_summed, int scalar_size);

/// Of given rows per channel: the slab holds whole rows, channel after channel.
Result<GramTiles> make_row_tiles(const core::TreeView& tree, int scalar_size);

}  // namespace heft::cuda
