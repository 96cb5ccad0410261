#include "gram_tiles.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <string>

#include "model/gram_products.hpp"

namespace heft::cuda {

namespace {

constexpr int kUnitEdge = 2 * kTile;
constexpr int kGoodSlabBytes = 64 * 1024;  ///< of all groups: a multiprocessor then holds two
                                           ///< blocks or more

/// Rows of columns that are multiplied with each other or with those of other panels.
struct Panel {
  int begin, width;  ///< in the slab; of a row
};

/// Index in the packed moments of the product of columns a and b of a block.
using Destination = std::function<int(const core::BlockEntry&, int a, int b)>;

class UnitMaker {
 public:
  explicit UnitMaker(std::vector<Panel> panels) : panels_(std::move(panels)) {}

  void add(const ProductBlock& block, const Destination& destination) {
    const core::BlockEntry& entry = block.entry;
    const Panel &left = panels_[entry.left], &right = panels_[entry.right];
    const bool is_square = entry.left == entry.right;
    for (int a = 0; a < block.rows; a += kUnitEdge)
      for (int b = is_square ? a : 0; b < block.columns; b += kUnitEdge) {
        Unit unit{
            {left.begin + entry.left_row * left.width + a,
             right.begin + entry.right_row * right.width + b, std::min(kUnitEdge, block.rows - a),
             std::min(kUnitEdge, block.columns - b), left.width, right.width, entry.num_rows, 0},
            std::vector<int>(kUnitTiles * kTileSums, kNoEntry)};
        for (int i = 0; i < unit.unit.left_width; ++i)
          for (int j = unit.unit.is_diagonal() ? i : 0; j < unit.unit.right_width; ++j)
            unit.destinations[sum_place(i, j)] = destination(entry, a + i, b + j);
        units_.push_back(std::move(unit));
      }
  }

  int size() const { return static_cast<int>(units_.size()); }

  /// The map with its units assigned to `num_shares` warps, round by round.
  void give_out(GramTiles& map) {
    const int in_round = map.num_shares * kWarpUnits;
    map.num_rounds = std::max(1, (size() + in_round - 1) / in_round);
    // the longest first: rounds are then of units alike, and the warp that has least takes the next
    std::stable_sort(units_.begin(), units_.end(),
                     [](const Unit& a, const Unit& b) { return a.cost() > b.cost(); });
    map.units.assign(static_cast<std::size_t>(map.num_rounds) * in_round,
                     TileUnit{.left_width = 1, .right_width = 1});
    std::vector<const Unit*> given(map.units.size(), nullptr);
    for (int round = 0; round < map.num_rounds; ++round) {
      std::vector<int> load(static_cast<std::size_t>(map.num_shares), 0), num_units(load);
      for (int k = round * in_round; k < std::min(size(), (round + 1) * in_round); ++k) {
        int warp = -1;
        for (int w = 0; w < map.num_shares; ++w)
          if (num_units[w] < kWarpUnits && (warp < 0 || load[w] < load[warp])) warp = w;
        const int place = (round * map.num_shares + warp) * kWarpUnits + num_units[warp]++;
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
    std::vector<int> destinations;

    /// Products of tiles.
    int cost() const {
      int num_tiles = 0;
      for (int tile = 0; tile < kUnitTiles; ++tile) num_tiles += unit.has(tile);
      return unit.num_rows * num_tiles;
    }
  };

  static int sum_place(int i, int j) {
    return (2 * (i / kTile) + j / kTile) * kTileSums + i % kTile * kTile + j % kTile;
  }

  static void number_tiles(const Unit& from, TileUnit& unit, int& num_tiles,
                           std::vector<int>& destinations) {
    unit = from.unit;
    unit.first_tile = num_tiles;
    for (int tile = 0; tile < kUnitTiles; ++tile) {
      if (!unit.has(tile)) continue;
      const auto first = from.destinations.begin() + tile * kTileSums;
      destinations.insert(destinations.end(), first, first + kTileSums);
      ++num_tiles;
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
  std::vector<Unit> units_;
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

/// Units of whole rows.
std::int64_t num_row_units(const core::TreeView& tree) {
  std::int64_t count = 0;
  for (int c = 0; c < tree.num_channels; ++c) {
    const std::int64_t edges = (tree.channels[c].width + kUnitEdge - 1) / kUnitEdge;
    count += edges * (edges + 1) / 2;
  }
  return count;
}

/// Whole rows, channel after channel.
UnitMaker whole_rows(const core::TreeView& tree, bool is_summed, GramTiles& map) {
  std::vector<Panel> panels;
  for (int c = 0; c < tree.num_channels; ++c) {
    panels.push_back({map.num_columns, tree.channels[c].width});
    map.num_columns += tree.channels[c].width;
    map.columns.of_torques.push_back({map.num_columns - 1});
  }
  for (int i = 0; i < tree.num_rows; ++i)
    map.columns.of_rows.push_back(panels[tree.rows[i].channel].begin + tree.rows[i].column);
  for (int f = 0; f < tree.num_features; ++f)
    map.columns.of_features.push_back(panels[tree.features[f].channel].begin +
                                      tree.features[f].column);
  const std::vector<std::vector<int>> summed =
      is_summed ? summed_columns(tree) : std::vector<std::vector<int>>{};
  const auto destination = [&](const core::BlockEntry& block, int a, int b) {
    const core::ChannelEntry& channel = tree.channels[block.left];
    if (!is_summed)
      return static_cast<int>(channel.packed_offset + core::packed_index(channel.width, a, b));
    const auto [i, j] = std::minmax(summed[block.left][a], summed[block.left][b]);
    return static_cast<int>(core::packed_index(tree.summed_width, i, j));
  };
  UnitMaker units(std::move(panels));
  for (int c = 0; c < tree.num_channels; ++c)
    units.add({{c, c, 0, 0, 1}, tree.channels[c].width, tree.channels[c].width}, destination);
  return units;
}

/// Rows in panels, each with the torque at its end.
UnitMaker rows_in_panels(const core::TreeView& tree, GramTiles& map) {
  map.columns.of_torques.resize(static_cast<std::size_t>(tree.num_channels));
  for (int r = 0; r < tree.num_panel_rows; ++r) {
    const core::PanelRowEntry& row = tree.panel_rows[r];
    map.columns.of_torques[row.channel].push_back(row.begin + row.width - 1);
    map.num_columns += row.width;
  }
  const auto column = [&](const auto& entry) {
    return tree.panel_rows[entry.panel_row].begin + entry.panel_column;
  };
  for (int i = 0; i < tree.num_rows; ++i)
    map.columns.of_rows.push_back(
        tree.rows[i].columns == core::ColumnSet::none ? 0 : column(tree.rows[i]));
  for (int f = 0; f < tree.num_features; ++f)
    map.columns.of_features.push_back(column(tree.features[f]));
  std::vector<Panel> panels;
  for (int p = 0; p < num_panels(tree); ++p)
    panels.push_back({tree.panel_rows[tree.panels[p].first_row].begin, tree.panels[p].width});
  UnitMaker units(std::move(panels));
  for (const ProductBlock& block : product_blocks(tree, true))
    units.add(block, [&tree](const core::BlockEntry& entry, int a, int b) {
      return product_place(tree, true, entry, a, b);
    });
  return units;
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
  return {num_columns, num_shares,   num_rounds,        num_tiles,
          packed_size, units.data(), list_begin.data(), entry_sums.data()};
}

Result<GramTiles> make_gram_tiles(const core::TreeView& tree, bool is_summed, int scalar_size) {
  GramTiles map;
  map.packed_size = is_summed ? core::packed_triangle(tree.summed_width) : tree.packed_size;
  HEFT_CHECK(check_size(map.packed_size));
  const bool is_whole = !is_summed || num_row_units(tree) <= kWarps * kWarpUnits;
  UnitMaker units = is_whole ? whole_rows(tree, is_summed, map) : rows_in_panels(tree, map);
  map.num_shares = fewest_shares(units.size(), map.num_columns, scalar_size);
  units.give_out(map);
  return map;
}

Result<GramTiles> make_row_tiles(const core::TreeView& tree) {
  GramTiles map;
  map.packed_size = tree.packed_size;
  HEFT_CHECK(check_size(map.packed_size));
  UnitMaker units = whole_rows(tree, false, map);
  map.num_shares = kWarps;
  units.give_out(map);
  return map;
}

}  // namespace heft::cuda
