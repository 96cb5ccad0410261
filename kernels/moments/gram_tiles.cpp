#include "kernels/moments/gram_tiles.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "host/model/gram_products.hpp"

namespace heft::cuda {

namespace {

constexpr int kMostStage = 128;
constexpr int kGoodStage = 16;  ///< samples for which a tile's sums are worth fetching
constexpr int kMostShares = 8;

/// Columns of the slab that stay together: `num_rows` rows of `width` columns each.
struct Panel {
  int begin, width, num_rows;

  int quads_of_row() const { return (width + kQuad - 1) / kQuad; }
  int num_staged() const { return num_rows * quads_of_row() * kQuad; }
};

/// Which entry of the packed moments is the product of columns a and b of a block.
using Destination = std::function<int(const core::BlockEntry&, int a, int b)>;

/// Columns of `stage` samples.
int columns_that_fit(int stage, int scalar_size) {
  return kStageBytes / (scalar_size * stage) / kQuad * kQuad;
}

class TileMaker {
 public:
  TileMaker(std::vector<Panel> panels, std::vector<ProductBlock> blocks, Destination destination)
      : panels_(std::move(panels)), blocks_(std::move(blocks)), destination_(std::move(destination)) {}

  Result<GramTiles> make(std::int64_t packed_size, int scalar_size) {
    // entries are found by their places as int, one more than there are
    if (packed_size >= std::numeric_limits<int>::max())
      return Error{"backend cuda",
                   std::to_string(packed_size) + " products of columns are more than its tiles can number",
                   "take the CPU backend"};
    map_.packed_size = packed_size;
    for (const Panel& panel : panels_) map_.num_columns += panel.width * panel.num_rows;
    HEFT_CHECK(form_groups(scalar_size));
    add_batches();
    share_tiles();
    list_sums_of_entries();
    return std::move(map_);
  }

 private:
  /// All panels in one group if they fit at a good length of stage; else groups of half the stage, as many samples
  /// as the largest panel allows.
  Result<Done> form_groups(int scalar_size) {
    int widest = 0, total = 0;
    for (const Panel& panel : panels_) {
      widest = std::max(widest, panel.num_staged());
      total += panel.num_staged();
    }
    int stage = kMostStage;
    while (stage > kGoodStage && columns_that_fit(stage, scalar_size) < total) stage /= 2;
    const bool is_one_group = columns_that_fit(stage, scalar_size) >= total;
    while (!is_one_group && stage > 1 && columns_that_fit(stage, scalar_size) / 2 < widest) stage /= 2;
    const int most = columns_that_fit(stage, scalar_size) / (is_one_group ? 1 : 2);
    if (most < widest)
      return Error{"backend cuda",
                   "a panel of " + std::to_string(widest) + " columns exceeds the shared memory",
                   "take the CPU backend"};
    map_.stage = stage;
    int in_group = most + 1;
    for (std::size_t p = 0; p < panels_.size(); ++p) {
      const bool is_full = in_group + panels_[p].num_staged() > most;
      if (is_full) group_begin_.push_back(static_cast<int>(p)), in_group = 0;
      first_quad_.push_back(in_group / kQuad);
      in_group += panels_[p].num_staged();
      group_of_.push_back(static_cast<int>(group_begin_.size()) - 1);
    }
    group_begin_.push_back(static_cast<int>(panels_.size()));
    return Done{};
  }

  void add_batches() {
    const int num_groups = static_cast<int>(group_begin_.size()) - 1;
    std::vector<std::vector<const ProductBlock*>> blocks(static_cast<std::size_t>(num_groups) * num_groups);
    for (const ProductBlock& block : blocks_)
      blocks[group_of_[block.entry.left] * num_groups + group_of_[block.entry.right]].push_back(&block);
    for (int left = 0; left < num_groups; ++left)
      for (int right = left; right < num_groups; ++right)
        add_batch(left, right, blocks[left * num_groups + right]);
  }

  /// Appends the columns of a group in the order of its stage; how many quads.
  int stage_group(int group) {
    int num_quads = 0;
    for (int p = group_begin_[group]; p < group_begin_[group + 1]; ++p) {
      const Panel& panel = panels_[p];
      for (int row = 0; row < panel.num_rows; ++row)
        for (int k = 0; k < panel.quads_of_row() * kQuad; ++k)
          map_.columns.push_back(k < panel.width ? panel.begin + row * panel.width + k : -1);
      num_quads += panel.num_rows * panel.quads_of_row();
    }
    return num_quads;
  }

  void add_batch(int left, int right, const std::vector<const ProductBlock*>& blocks) {
    if (blocks.empty()) return;
    GramBatch batch{static_cast<int>(map_.tiles.size()), 0, static_cast<int>(map_.columns.size()), 0};
    const int left_quads = stage_group(left);
    const int right_shift = left == right ? 0 : left_quads;
    if (left != right) stage_group(right);
    batch.num_columns = static_cast<int>(map_.columns.size()) - batch.first_column;
    batch_tiles_.clear();
    for (const ProductBlock* block : blocks) add_tiles(*block, right_shift);
    // long ones first: the threads of a warp then end together
    std::stable_sort(batch_tiles_.begin(), batch_tiles_.end(),
                     [](const Tile& a, const Tile& b) { return a.tile.num_rows > b.tile.num_rows; });
    for (const Tile& tile : batch_tiles_) {
      map_.tiles.push_back(tile.tile);
      destinations_.insert(destinations_.end(), tile.destinations, tile.destinations + kTileSums);
    }
    batch.num_tiles = static_cast<int>(batch_tiles_.size());
    map_.batches.push_back(batch);
  }

  void add_tiles(const ProductBlock& block, int right_shift) {
    const core::BlockEntry& entry = block.entry;
    const int left_step = panels_[entry.left].quads_of_row(),
              right_step = panels_[entry.right].quads_of_row();
    const int left = first_quad_[entry.left] + entry.left_row * left_step;
    const int right = right_shift + first_quad_[entry.right] + entry.right_row * right_step;
    const bool is_diagonal = entry.left == entry.right;
    for (int a = 0; a < block.rows; a += kQuad)
      for (int b = is_diagonal ? a : 0; b < block.columns; b += kQuad) {
        Tile tile{{left + a / kQuad, right + b / kQuad, left_step, right_step, entry.num_rows}, {}};
        for (int i = 0; i < kQuad; ++i)
          for (int j = 0; j < kQuad; ++j) {
            const bool is_used =
                a + i < block.rows && b + j < block.columns && (!is_diagonal || a + i <= b + j);
            tile.destinations[kQuad * i + j] = is_used ? destination_(entry, a + i, b + j) : -1;
          }
        batch_tiles_.push_back(tile);
      }
  }

  /// As many threads a tile as find something to do in the smallest round.
  void share_tiles() {
    int most_tiles = 1;
    for (const GramBatch& batch : map_.batches) most_tiles = std::max(most_tiles, batch.num_tiles);
    while (2 * map_.num_shares * most_tiles <= kThreads &&
           2 * map_.num_shares <= std::min(kMostShares, map_.stage))
      map_.num_shares *= 2;
  }

  void list_sums_of_entries() {
    map_.entry_begin.assign(static_cast<std::size_t>(map_.packed_size) + 1, 0);
    for (const int entry : destinations_)
      if (entry >= 0) ++map_.entry_begin[entry + 1];
    for (std::size_t e = 1; e < map_.entry_begin.size(); ++e) map_.entry_begin[e] += map_.entry_begin[e - 1];
    map_.entry_sums.resize(static_cast<std::size_t>(map_.entry_begin.back()));
    std::vector<int> next(map_.entry_begin.begin(), map_.entry_begin.end() - 1);
    for (std::size_t sum = 0; sum < destinations_.size(); ++sum)
      if (destinations_[sum] >= 0) map_.entry_sums[next[destinations_[sum]]++] = static_cast<int>(sum);
  }

  struct Tile {
    QuadTile tile;
    int destinations[kTileSums];
  };

  std::vector<Panel> panels_;
  std::vector<ProductBlock> blocks_;
  Destination destination_;
  std::vector<int> group_begin_, group_of_;  // of panels
  std::vector<int> first_quad_;              // of a panel, in the stage of its group
  std::vector<Tile> batch_tiles_;
  std::vector<int> destinations_;  // of every sum of every tile; -1: not part of the moments
  GramTiles map_;
};

const core::PanelRowEntry& row_of(const core::TreeView& tree, int panel, int row) {
  return tree.panel_rows[tree.panels[panel].first_row + row];
}

}  // namespace

GramTilesView GramTiles::view() const {
  return {num_columns,
          static_cast<int>(tiles.size()),
          static_cast<int>(batches.size()),
          num_shares,
          stage,
          packed_size,
          tiles.data(),
          batches.data(),
          columns.data(),
          entry_begin.data(),
          entry_sums.data()};
}

Result<GramTiles> make_gram_tiles(const core::TreeView& tree, bool is_summed, int scalar_size) {
  std::vector<Panel> panels;
  int num_panels = 0;
  for (int row = 0; row < tree.num_panel_rows; ++num_panels) row += tree.panels[num_panels].num_rows;
  for (int p = 0; p < num_panels; ++p)
    panels.push_back({row_of(tree, p, 0).begin, tree.panels[p].width, tree.panels[p].num_rows});
  const auto destination = [&tree, is_summed](const core::BlockEntry& block, int a, int b) {
    return product_place(tree, is_summed, block, a, b);
  };
  return TileMaker(std::move(panels), product_blocks(tree, is_summed), destination)
      .make(is_summed ? core::packed_triangle(tree.summed_width) : tree.packed_size, scalar_size);
}

Result<GramTiles> make_row_tiles(const core::TreeView& tree, int scalar_size) {
  std::vector<Panel> panels;
  std::vector<ProductBlock> blocks;
  int begin = 0;
  for (int c = 0; c < tree.num_channels; ++c) {
    const int width = tree.channels[c].width;
    panels.push_back({begin, width, 1});
    blocks.push_back({{c, c, 0, 0, 1}, width, width});
    begin += width;
  }
  const auto destination = [&tree](const core::BlockEntry& block, int a, int b) {
    const core::ChannelEntry& channel = tree.channels[block.left];
    return static_cast<int>(channel.packed_offset + core::packed_index(channel.width, a, b));
  };
  return TileMaker(std::move(panels), std::move(blocks), destination).make(tree.packed_size, scalar_size);
}

}  // namespace heft::cuda
