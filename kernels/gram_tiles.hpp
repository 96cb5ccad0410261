// The tile map: the products that moments consist of (panels and blocks of core/tree.hpp, or the triangles of given
// rows), cut into 4x4 tiles, and which sums of which tiles make up each entry of the packed moments. Made on the host,
// read by the kernels; plain integers either way.
//
// Slab. The rows of kThreads samples, column after column; one column is kThreads scalars, thread = sample. Columns of a
// panel's rows follow each other, and so do panels.
//
// Stages. Tiles read the slab through shared memory, `stage` samples at a time. Where all columns do not fit there, panels
// form groups and tiles form batches: a batch multiplies one group with another, and these columns are staged for it.
//
// Shares. Where there are fewer tiles than threads, several threads take one tile, each a share of the samples.
#pragma once

#include <cstdint>
#include <vector>

#include "heft/core/platform.hpp"
#include "heft/core/tree.hpp"
#include "heft/result.hpp"

namespace heft::cuda {

inline constexpr int kThreads = 128;  ///< of a block, and samples in its slab
inline constexpr int kTile = 4;       ///< columns along either edge of a tile
inline constexpr int kTileSums = kTile * kTile;
inline constexpr int kStageBytes =
    48 * 1024;  ///< of shared memory: what every device gives without being asked

/// Products of four columns from `left` on with four from `right` on, over `num_rows` rows. Columns count in the stage of
/// the tile's batch; the next row's lie `step` columns further on. Some may belong to others: nobody uses their sums.
struct GramTile {
  int left, right;
  int left_step, right_step;
  int num_rows;
};

/// Tiles [first_tile, first_tile + num_tiles), and the slab's columns that are staged for them: one range after the other.
struct GramBatch {
  int first_tile, num_tiles;
  int left_begin, left_count;
  int right_begin, right_count;  ///< none if a group is multiplied with itself
};

/// The map as the kernels read it. Entry e of the packed moments is the sum of the sums entry_sums[entry_begin[e]], ..
/// up to entry_sums[entry_begin[e + 1] - 1] in this order; sum kTileSums * tile + kTile * i + j is that of left column i
/// and right column j of a tile.
struct GramTilesView {
  int num_columns;  ///< of the slab
  int num_tiles, num_batches;
  int num_shares;  ///< threads a tile; divides `stage`
  int stage;       ///< samples, a power of two
  std::int64_t packed_size;
  const GramTile* tiles;
  const GramBatch* batches;
  const int* entry_begin;
  const int* entry_sums;
};

/// Scalars from one staged column to the next: an odd number, so that neighbouring columns lie in different banks.
HEFT_HD int stage_pitch(int stage) {
  return stage | 1;
}

/// Where sample `sample` of a batch's staged column `column` lies in the slab.
HEFT_HD std::int64_t slab_index(const GramBatch& batch, int column, int sample) {
  const int in_slab =
      column < batch.left_count ? batch.left_begin + column : batch.right_begin + column - batch.left_count;
  return static_cast<std::int64_t>(in_slab) * kThreads + sample;
}

struct GramTiles {
  int num_columns = 0, num_shares = 1, stage = 1;
  std::int64_t packed_size = 0;
  std::vector<GramTile> tiles;
  std::vector<GramBatch> batches;
  std::vector<int> entry_begin, entry_sums;

  GramTilesView view() const;
};

/// Of the rows of a plan in its panels, per channel or summed. Error if a panel is too large for the shared memory.
Result<GramTiles> make_gram_tiles(const core::TreeView& tree, bool is_summed, int scalar_size);

/// Of given rows per channel: the slab holds whole rows, channel after channel.
Result<GramTiles> make_row_tiles(const core::TreeView& tree, int scalar_size);

}  // namespace heft::cuda
