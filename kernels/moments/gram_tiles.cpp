#include "gram_tiles.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>
#include <utility>

#include "block_memory.hpp"
#include "model/gram_products.hpp"

namespace heft::cuda {

namespace {

constexpr std::int64_t kMaxWholeTiles = 4096;  ///< 2 MB of waiting sums a block
constexpr int kGoodSlabBytes = 64 * 1024;      ///< of all groups: a multiprocessor then holds two
                                               ///< blocks or more

/// Rows of columns that are multiplied with each other or with those of other panels.
struct Panel {
  int begin, width;  ///< in the slab; of a row
};

/// Index in the packed moments of the product of columns a and b of a block.
using Destination = std::function<int(const core::BlockEntry&, int a, int b)>;

/// Strips of a unit at most; on the diagonal, a triangle of `right` strips.
struct UnitEdges {
  int left, right;
};
constexpr UnitEdges kSquare{2, 2}, kWide{kWideLeft, kWideRight};

class UnitMaker {
 public:
  UnitMaker(std::vector<Panel> panels, const UnitEdges& edges, Destination destination)
      : panels_(std::move(panels)), edges_(edges), destination_(std::move(destination)) {}

  void add(const ProductBlock& block) {
    const bool is_square = block.entry.left == block.entry.right;
    const int left_edge = edges_.left * kTile, right_edge = edges_.right * kTile;
    // of wide triangles all but the first are whole
    const int first =
        is_square && is_wide() ? TileUnit::num_strips(block.columns) % edges_.right * kTile : 0;
    for (int b = 0, end = 0; b < block.columns; b = end) {
      end = std::min(b + (b == 0 && first > 0 ? first : right_edge), block.columns);
      const int lefts = is_square ? std::min(b, block.rows) : block.rows;
      for (int a = 0; a < lefts; a += left_edge)
        add_unit(block.entry, a, std::min(a + left_edge, lefts), b, end);
      if (is_square && b < block.rows) add_unit(block.entry, b, std::min(end, block.rows), b, end);
    }
  }

  bool is_wide() const { return edges_.left > kSquare.left; }
  int size() const { return static_cast<int>(units_.size()); }
  std::int64_t num_tiles() const {
    std::int64_t count = 0;
    for (const Unit& unit : units_) count += unit.num_tiles();
    return count;
  }
  /// Of wide units: bytes of memory that they read and write for a slab.
  std::int64_t traffic(int scalar_size) const {
    std::int64_t bytes = 0;
    for (const Unit& unit : units_)
      bytes += std::int64_t{unit.num_strips()} * unit.unit.num_rows * kTile * kSlabSamples *
                   scalar_size +
               std::int64_t{2} * unit.num_tiles() * kTileSums * static_cast<int>(sizeof(double)) /
                   kWideSlabs;
    return bytes;
  }

  /// The map with its units assigned to `num_shares` warps, round by round.
  void give_out(GramTiles& map) {
    map.is_wide = is_wide();
    const int units_of_warp = map.view().num_units(), in_round = map.num_shares * units_of_warp;
    map.num_rounds = std::max(1, (size() + in_round - 1) / in_round);
    // the longest first: rounds are then of units alike, and the warp that has least takes the next
    std::stable_sort(units_.begin(), units_.end(),
                     [](const Unit& a, const Unit& b) { return a.cost() > b.cost(); });
    // where there is no unit, squares multiply a tile of no rows and wide units no tile
    const int width = is_wide() ? 0 : 1;
    map.units.assign(static_cast<std::size_t>(map.num_rounds) * in_round,
                     TileUnit{.left_width = width, .right_width = width});
    std::vector<const Unit*> given(map.units.size(), nullptr);
    std::vector<std::int64_t> load(static_cast<std::size_t>(map.num_shares), 0);
    for (int round = 0; round < map.num_rounds; ++round) {
      std::vector<int> num_units(load.size(), 0);
      for (int k = round * in_round; k < std::min(size(), (round + 1) * in_round); ++k) {
        int warp = -1;
        for (int w = 0; w < map.num_shares; ++w)
          if (num_units[w] < units_of_warp && (warp < 0 || load[w] < load[warp])) warp = w;
        const int place = map.view().first_unit(round, warp) + num_units[warp]++;
        load[warp] += units_[k].cost();
        given[place] = &units_[k];
      }
    }
    std::vector<int> destinations;  // of all sums
    for (std::size_t place = 0; place < given.size(); ++place)
      if (given[place]) number_tiles(*given[place], map.units[place], map.num_tiles, destinations);
    list_sums_of_entries(destinations, map);
  }

 private:
  static constexpr int kNoEntry = -1;

  struct Unit {
    TileUnit unit;
    core::BlockEntry block;
    int a, b;  ///< its first columns in those of the block

    int num_tiles() const {
      int count = 0;
      for (int n = 0; n < TileUnit::num_strips(unit.right_width); ++n)
        for (int m = 0; m < TileUnit::num_strips(unit.left_width); ++m) count += unit.has(m, n);
      return count;
    }
    int num_strips() const {
      return TileUnit::num_strips(unit.right_width) +
             (unit.is_diagonal() ? 0 : TileUnit::num_strips(unit.left_width));
    }
    /// Products of tiles.
    int cost() const { return unit.num_rows * num_tiles(); }
  };

  /// Products of columns [a, a_end) of the left panel with [b, b_end) of the right one.
  void add_unit(const core::BlockEntry& block, int a, int a_end, int b, int b_end) {
    const Panel &left = panels_[block.left], &right = panels_[block.right];
    units_.push_back({{left.begin + block.left_row * left.width + a,
                       right.begin + block.right_row * right.width + b, a_end - a, b_end - b,
                       left.width, right.width, block.num_rows, 0},
                      block,
                      a,
                      b});
  }

  /// Numbers a unit's tiles and adds the destinations of their sums.
  void number_tiles(const Unit& from, TileUnit& unit, int& num_tiles,
                    std::vector<int>& destinations) const {
    unit = from.unit;
    unit.first_tile = num_tiles;
    for (int n = 0; n < TileUnit::num_strips(unit.right_width); ++n)
      for (int m = 0; m < TileUnit::num_strips(unit.left_width); ++m) {
        if (!unit.has(m, n)) continue;
        if (is_wide()) num_tiles = unit.first_tile + TileUnit::wide_tile(unit.is_diagonal(), m, n);
        destinations.resize(static_cast<std::size_t>(num_tiles++) * kTileSums, kNoEntry);
        for (int i = kTile * m; i < kTile * (m + 1); ++i)
          for (int j = kTile * n; j < kTile * (n + 1); ++j) {
            const bool is_needed =
                i < unit.left_width && j < unit.right_width && !(unit.is_diagonal() && i > j);
            destinations.push_back(is_needed ? destination_(from.block, from.a + i, from.b + j)
                                             : kNoEntry);
          }
      }
  }

  static void list_sums_of_entries(const std::vector<int>& destinations, GramTiles& map) {
    std::vector<int> num_sums(static_cast<std::size_t>(map.packed_size), 0);
    for (const int entry : destinations)
      if (entry != kNoEntry) ++num_sums[entry];
    map.list_begin = {0};
    for (std::size_t first = 0; first < num_sums.size(); first += kLanes) {
      const std::size_t last = std::min(first + kLanes, num_sums.size());
      const int longest = *std::max_element(num_sums.begin() + first, num_sums.begin() + last);
      map.list_begin.push_back(map.list_begin.back() + kLanes * longest);
    }
    map.entry_sums.assign(static_cast<std::size_t>(map.list_begin.back()), kNoSum);
    std::fill(num_sums.begin(), num_sums.end(), 0);
    for (std::size_t sum = 0; sum < destinations.size(); ++sum) {
      const int entry = destinations[sum];
      if (entry == kNoEntry) continue;
      const int place =
          map.list_begin[entry / kLanes] + entry % kLanes + kLanes * num_sums[entry]++;
      map.entry_sums[place] = static_cast<int>(sum);
    }
  }

  std::vector<Panel> panels_;
  UnitEdges edges_;
  Destination destination_;
  std::vector<Unit> units_;
};

/// Units, and where the columns of rows lie in the slab for them.
struct TileLayout {
  UnitMaker units;
  SlabColumns columns;
  int num_columns;
};

/// Entries and sums are indexed by int, including one past the end.
Result<Done> check_size(std::int64_t packed_size) {
  if (packed_size < std::numeric_limits<int>::max()) return Done{};
  return Error{"backend cuda",
               std::to_string(packed_size) + " products of columns exceed the number of tiles",
               "use the CPU backend"};
}

int num_panels(const core::TreeView& tree) {
  int count = 0;
  for (int row = 0; row < tree.num_panel_rows; ++count) row += tree.panels[count].num_rows;
  return count;
}

/// For every channel's row: the column of the single row of the summed form at each position.
std::vector<std::vector<int>> summed_columns(const core::TreeView& tree) {
  std::vector<std::vector<int>> columns;
  for (int c = 0; c < tree.num_channels; ++c)
    columns.emplace_back(tree.channels[c].width, tree.summed_width - 1);
  for (int p = 0; p < num_panels(tree); ++p) {
    const core::PanelEntry& panel = tree.panels[p];
    for (int r = panel.first_row; r < panel.first_row + panel.num_rows; ++r)
      for (int k = 0; k < panel.width - 1; ++k)
        columns[tree.panel_rows[r].channel][tree.panel_rows[r].column + k] =
            tree.panel_columns[panel.first_column + k];
  }
  return columns;
}

/// Channels whose rows have the same columns, in groups; alone each if channels are not summed.
std::vector<std::vector<int>> channels_of_equal_columns(
    const core::TreeView& tree, const std::vector<std::vector<int>>& summed) {
  std::vector<std::vector<int>> groups;
  for (int c = 0; c < tree.num_channels; ++c) {
    const auto group =
        std::find_if(groups.begin(), groups.end(), [&](const std::vector<int>& others) {
          return !summed.empty() && summed[others.front()] == summed[c];
        });
    if (group == groups.end())
      groups.push_back({c});
    else
      group->push_back(c);
  }
  return groups;
}

/// Whole rows, group of channels after group.
TileLayout whole_rows(const core::TreeView& tree, bool is_summed, const UnitEdges& edges) {
  const std::vector<std::vector<int>> summed =
      is_summed ? summed_columns(tree) : std::vector<std::vector<int>>{};
  const std::vector<std::vector<int>> groups = channels_of_equal_columns(tree, summed);
  SlabColumns columns;
  columns.of_torques.resize(static_cast<std::size_t>(tree.num_channels));
  std::vector<Panel> panels;
  std::vector<int> begin_of_channel(static_cast<std::size_t>(tree.num_channels));
  int num_columns = 0;
  for (const std::vector<int>& group : groups) {
    panels.push_back({num_columns, tree.channels[group.front()].width});
    for (const int c : group) {
      begin_of_channel[c] = num_columns;
      num_columns += tree.channels[c].width;
      columns.of_torques[c] = {num_columns - 1};
    }
  }
  for (int i = 0; i < tree.num_rows; ++i)
    columns.of_rows.push_back(begin_of_channel[tree.rows[i].channel] + tree.rows[i].column);
  for (int f = 0; f < tree.num_features; ++f)
    columns.of_features.push_back(begin_of_channel[tree.features[f].channel] +
                                  tree.features[f].column);
  const auto destination = [tree, is_summed, groups, summed](const core::BlockEntry& block, int a,
                                                             int b) {
    const int c = groups[block.left].front();
    const core::ChannelEntry& channel = tree.channels[c];
    if (!is_summed)
      return static_cast<int>(channel.packed_offset + core::packed_index(channel.width, a, b));
    const auto [i, j] = std::minmax(summed[c][a], summed[c][b]);
    return static_cast<int>(core::packed_index(tree.summed_width, i, j));
  };
  UnitMaker units(std::move(panels), edges, destination);
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    const int width = tree.channels[groups[g].front()].width;
    units.add({{g, g, 0, 0, static_cast<int>(groups[g].size())}, width, width});
  }
  return {std::move(units), std::move(columns), num_columns};
}

/// Rows in panels, each with the torque at its end.
TileLayout rows_in_panels(const core::TreeView& tree, const UnitEdges& edges) {
  SlabColumns columns;
  columns.of_torques.resize(static_cast<std::size_t>(tree.num_channels));
  int num_columns = 0;
  for (int r = 0; r < tree.num_panel_rows; ++r) {
    const core::PanelRowEntry& row = tree.panel_rows[r];
    columns.of_torques[row.channel].push_back(row.begin + row.width - 1);
    num_columns += row.width;
  }
  const auto column = [&](const auto& entry) {
    return tree.panel_rows[entry.panel_row].begin + entry.panel_column;
  };
  for (int i = 0; i < tree.num_rows; ++i)
    columns.of_rows.push_back(tree.rows[i].columns == core::ColumnSet::none ? 0
                                                                            : column(tree.rows[i]));
  for (int f = 0; f < tree.num_features; ++f)
    columns.of_features.push_back(column(tree.features[f]));
  std::vector<Panel> panels;
  for (int p = 0; p < num_panels(tree); ++p)
    panels.push_back({tree.panel_rows[tree.panels[p].first_row].begin, tree.panels[p].width});
  UnitMaker units(std::move(panels), edges, [tree](const core::BlockEntry& block, int a, int b) {
    return product_place(tree, true, block, a, b);
  });
  for (const ProductBlock& block : product_blocks(tree, true)) units.add(block);
  return {std::move(units), std::move(columns), num_columns};
}

/// In wide units; in panels where that takes less memory traffic.
TileLayout wide_layout(const core::TreeView& tree, bool is_summed, int scalar_size) {
  TileLayout whole = whole_rows(tree, is_summed, kWide);
  if (!is_summed) return whole;
  TileLayout panels = rows_in_panels(tree, kWide);
  const bool is_whole_better =
      whole.units.num_tiles() <= kMaxWholeTiles &&
      whole.units.traffic(scalar_size) <= panels.units.traffic(scalar_size);
  return is_whole_better ? whole : panels;
}

/// The smallest number of warps whose registers hold all sums, so that few warps compute rows, as
/// long as the slabs of all groups are small.
int fewest_shares(std::int64_t num_units, int num_columns, int scalar_size) {
  for (int shares = 1; shares < kWarps; shares *= 2)
    if (num_units <= shares * kWarpUnits &&
        kWarps / shares * num_columns * kSlabStride * scalar_size <= kGoodSlabBytes)
      return shares;
  return kWarps;
}

}  // namespace

GramTilesView GramTiles::view() const {
  return {num_columns, num_shares,   num_rounds,        num_tiles,        is_wide,
          packed_size, units.data(), list_begin.data(), entry_sums.data()};
}

namespace {

GramTiles made_of(TileLayout layout, std::int64_t packed_size, int num_shares) {
  GramTiles map;
  map.packed_size = packed_size;
  map.num_columns = layout.num_columns;
  map.columns = std::move(layout.columns);
  map.num_shares = num_shares;
  layout.units.give_out(map);
  return map;
}

/// Shared memory of a block whose slab is there.
std::int64_t shared_bytes(const core::TreeView& tree, const GramTiles& map, int scalar_size) {
  const std::vector<RowShare> shares = share_rows(tree, map.columns, map.num_shares);
  DeviceJob job = {};
  job.tree = tree;
  job.tiles = map.view();
  for (std::size_t s = 0; s < shares.size(); ++s) {
    job.shares[s] = view_of(tree, shares[s]);
    job.share_workspace = std::max(job.share_workspace, shares[s].workspace_size);
  }
  return block_bytes(scalar_size == sizeof(float) ? Kernel::moments_fp32 : Kernel::moments_fp64,
                     job)
      .shared;
}

}  // namespace

Result<GramTiles> make_gram_tiles(const core::TreeView& tree, bool is_summed, int scalar_size) {
  const std::int64_t packed_size =
      is_summed ? core::packed_triangle(tree.summed_width) : tree.packed_size;
  HEFT_CHECK(check_size(packed_size));
  TileLayout squares = whole_rows(tree, is_summed, kSquare);
  if (std::int64_t{squares.num_columns} * kSlabStride * scalar_size <= kMaxSharedBytes) {
    const int num_shares = fewest_shares(squares.units.size(), squares.num_columns, scalar_size);
    GramTiles map = made_of(std::move(squares), packed_size, num_shares);
    if (shared_bytes(tree, map, scalar_size) <= kMaxSharedBytes) return map;
  }
  return made_of(wide_layout(tree, is_summed, scalar_size), packed_size, kWarps);
}

Result<GramTiles> make_row_tiles(const core::TreeView& tree) {
  HEFT_CHECK(check_size(tree.packed_size));
  return made_of(wide_layout(tree, false, sizeof(double)), tree.packed_size, kWarps);
}

}  // namespace heft::cuda
