#include "executor/gram_program.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "model/gram_products.hpp"

namespace heft::cpu {

namespace {

/// Bytes that a slice may take of the first-level cache. Processors have 32 KB or more.
constexpr int kSliceBytes = 28 << 10;
/// Fewest packs of a slice: the sums of lanes at its end stay a small part of its work.
constexpr int kMinSlice = 8;
/// A panel that is wider is cut into strips of this many columns, or a few more. Both 4 x 3 and
/// 3 x 4 divide it.
constexpr int kStrip = 12, kMaxStrip = 14;

/// Columns [begin, end) of a panel.
struct Strip {
  int begin, end;
  int size() const { return end - begin; }
};

std::vector<Strip> strips(int width) {
  std::vector<Strip> cut;
  int begin = 0;
  for (; width - begin > kMaxStrip; begin += kStrip) cut.push_back({begin, begin + kStrip});
  cut.push_back({begin, width});
  return cut;
}

/// A tile of a cover: left columns from a on, right columns from b on.
struct PlacedShape {
  TileShape shape;
  int a, b;
  int first_sum;
};

/// Tiles that together sum every product of a pair of strips once.
struct Cover {
  std::vector<PlacedShape> tiles;
  int first_tile = 0;  ///< in GramProgram::tiles
  int num_sums = 0;
};

class CoverMaker {
 public:
  explicit CoverMaker(const TileSet& set) : set_(set) {}

  /// rows x columns, and beside these the torque if there is one; of columns with themselves those
  /// on and right of the diagonal.
  Cover make(int rows, int columns, bool is_diagonal, bool has_torque) {
    cover_ = {};
    width_ = columns;
    const int all_columns = columns + has_torque;
    if (!is_diagonal)
      add_rectangles(0, rows, 0, all_columns);
    else if (rows == 1 && all_columns == 1)
      add({TileKind::square, 1, 1, false}, 0, 0);
    else if (rows == 7 && has_torque && is_available({TileKind::corner, 7, 7, true}))
      add_seven_with_themselves();
    else
      add_triangles(rows, all_columns);
    return std::move(cover_);
  }

 private:
  /// How a rectangle is covered: by one tile, or in two parts.
  enum class Cut { none, rows, columns, pinwheel };
  struct Plan {
    double cost = 0;  ///< cycles a pack of samples; 0: not known yet
    Cut cut = Cut::none;
    int at = 0;
  };

  bool is_available(const TileShape& shape) const { return set_.function(shape) != nullptr; }

  void add(const TileShape& shape, int a, int b) {
    cover_.tiles.push_back({shape, a, b, cover_.num_sums});
    const int sums = num_products(shape);
    cover_.num_sums += (sums + kSumsAlignment - 1) / kSumsAlignment * kSumsAlignment;
  }
  void add_rectangle(int a, int rows, int b, int columns) {
    add({TileKind::rectangle, rows, columns, b + columns > width_}, a, b);
  }

  void add_seven_with_themselves() {
    add({TileKind::triangle, 4, 4, false}, 0, 0);
    add_rectangle(0, 4, 5, 3);
    add({TileKind::corner, 7, 7, true}, 0, 0);
  }

  /// Triangles along the diagonal and rectangles beside them.
  void add_triangles(int rows, int columns) {
    for (int a = 0; a < rows;) {
      const int left = rows - a;
      const bool has_torque =
          columns > width_ && is_available({TileKind::triangle, left, left, true});
      int size = left;
      while (!has_torque && !is_available({TileKind::triangle, size, size, false})) --size;
      add({TileKind::triangle, size, size, has_torque}, a, a);
      if (has_torque) return;
      // a last row alone goes with the rectangle above it
      const bool is_last_alone = left == size + 1;
      if (a + size < columns) add_rectangles(a, size + is_last_alone, a + size, columns - a - size);
      a += size + is_last_alone;
    }
  }

  void add_rectangles(int a, int rows, int b, int columns) {
    const Plan plan = best(rows, columns);
    switch (plan.cut) {
      case Cut::none:
        return add_rectangle(a, rows, b, columns);
      case Cut::rows:
        add_rectangles(a, plan.at, b, columns);
        return add_rectangles(a + plan.at, rows - plan.at, b, columns);
      case Cut::columns:
        add_rectangles(a, rows, b, plan.at);
        return add_rectangles(a, rows, b + plan.at, columns - plan.at);
      case Cut::pinwheel:
        add({TileKind::pinwheel, 4, 4, false}, a, b);
        add_rectangle(a, 3, b + 3, 4);
        add_rectangle(a + 3, 4, b + 4, 3);
        return add_rectangle(a + 4, 3, b, 4);
    }
  }

  /// The cheapest way to cover a rectangle.
  const Plan& best(int rows, int columns) {
    Plan& plan = plans_[rows][columns];
    if (plan.cost > 0) return plan;
    constexpr double kPerTile = 1;  // calls and sums of lanes, in cycles a pack
    if (is_available({TileKind::rectangle, rows, columns, false})) {
      // two multiply-adds and two loads a cycle; less than eight sums wait for each other
      const double multiply = 0.5 * std::max(rows * columns, 8), load = 0.5 * (rows + columns);
      return plan = {std::max(multiply, load) + kPerTile, Cut::none, 0};
    }
    if (rows == 7 && columns == 7 && is_available({TileKind::pinwheel, 4, 4, false}))
      return plan = {0.5 * 49 + 4 * kPerTile, Cut::pinwheel, 0};
    Plan found{1e300, Cut::none, 0};
    for (int k = 1; k < rows; ++k) {
      const double cost = best(k, columns).cost + best(rows - k, columns).cost;
      if (cost < found.cost) found = {cost, Cut::rows, k};
    }
    for (int k = 1; k < columns; ++k) {
      const double cost = best(rows, k).cost + best(rows, columns - k).cost;
      if (cost < found.cost) found = {cost, Cut::columns, k};
    }
    return plan = found;
  }

  const TileSet& set_;
  Cover cover_;
  int width_ = 0;  // of the right columns without the torque
  Plan plans_[kMaxStrip + 2][kMaxStrip + 2];
};

class ProgramMaker {
 public:
  ProgramMaker(const core::TreeView& tree, bool is_summed, const TileSet& set)
      : tree_(tree), set_(set), covers_of_(set) {
    program_.is_summed = is_summed;
  }

  GramProgram make() {
    lay_out_slab();
    place_rows();
    program_.packed_size =
        program_.is_summed ? core::packed_triangle(tree_.summed_width) : tree_.packed_size;
    program_.places.reserve(static_cast<std::size_t>(program_.packed_size));
    for (const ProductBlock& block : product_blocks(tree_, program_.is_summed)) add_block(block);
    make_groups();
    sort_places();
    return std::move(program_);
  }

 private:
  /// Rows of panels without the torque, but those of tails.
  void lay_out_slab() {
    program_.first_tail = tree_.num_panel_rows - tree_.num_channels;
    for (int i = 0; i < tree_.num_panel_rows; ++i) {
      const int width =
          i < program_.first_tail ? tree_.panel_rows[i].width - 1 : tree_.panel_rows[i].width;
      program_.slab_rows.push_back({program_.slab_size, width, stride_of(width)});
      program_.slab_size += program_.slab_rows.back().stride;
    }
  }

  void place_rows() {
    const auto place = [&](int panel_row, int column) {
      const bool has_columns = panel_row >= 0 && panel_row < tree_.num_panel_rows;
      const SlabRow row = has_columns ? program_.slab_rows[panel_row] : SlabRow{0, 0, 0};
      program_.slab_places.push_back({{row.begin, column}, row.stride});
      return program_.num_places() - 1;
    };
    program_.rows.assign(tree_.rows, tree_.rows + tree_.num_rows);
    program_.features.assign(tree_.features, tree_.features + tree_.num_features);
    for (core::RowEntry& row : program_.rows)
      row.panel_row = place(row.panel_row, row.panel_column);
    for (int c = 0; c < tree_.num_channels; ++c) {
      const int tail = program_.tail_row(c);
      place(tail, program_.slab_rows[tail].width - 1);
    }
    for (core::FeatureEntry& feature : program_.features)
      feature.panel_row = place(feature.panel_row, feature.panel_column);
  }

  /// The width; for strips of a wide panel an odd number of cache lines, so that its packs do not
  /// compete for the same sets of the first-level cache.
  int stride_of(int width) const {
    if (width <= kMaxStrip) return width;
    const int line = std::max(1, 64 / set_.pack_bytes);
    int lines = (width + line - 1) / line;
    return (lines | 1) * line;
  }

  void add_block(const ProductBlock& block) {
    const core::BlockEntry& entry = block.entry;
    const bool is_diagonal = entry.left == entry.right;
    const int width = program_.slab_rows[panel_row(entry.right, entry.right_row)].width;
    const bool has_torque = block.columns > width;
    for (const Strip& left : strips(block.rows))
      for (const Strip& right : strips(block.columns - has_torque)) {
        if (is_diagonal && right.begin < left.begin) continue;
        const bool is_last = right.end == block.columns - has_torque;
        add_pairs(entry, left, right, is_diagonal && left.begin == right.begin,
                  has_torque && is_last);
      }
  }

  int panel_row(int panel, int row) const { return tree_.panels[panel].first_row + row; }

  /// A pair of strips, or several where the torques of the block's rows do not follow each other.
  void add_pairs(const core::BlockEntry& block, const Strip& left, const Strip& right,
                 bool is_diagonal, bool has_torque) {
    const Cover& cover = cover_of(left.size(), right.size(), is_diagonal, has_torque);
    add_places(block, left, right, cover);
    const int columns =
        is_diagonal ? left.size() + has_torque : left.size() + right.size() + has_torque;
    const int max_packs = std::max(kMinSlice, kSliceBytes / (columns * set_.pack_bytes));
    for (int done = 0; done < block.num_rows;) {
      const int left_row = panel_row(block.left, block.left_row + done);
      const int right_row = panel_row(block.right, block.right_row + done);
      const SlabRow &first = program_.slab_rows[left_row], &second = program_.slab_rows[right_row];
      const SlabRow& tail =
          program_.slab_rows[program_.tail_row(tree_.panel_rows[right_row].channel)];
      int num_rows = block.num_rows - done;
      if (has_torque) num_rows = torques_in_line(right_row, num_rows);
      program_.pairs.push_back({.left = {first.begin, left.begin},
                                .right = {second.begin, right.begin},
                                .torque = {tail.begin, tail.width - 1},
                                .strides = {first.stride, second.stride, tail.stride},
                                .num_rows = num_rows,
                                .max_packs = max_packs,
                                .first_tile = cover.first_tile,
                                .end_tile = cover.first_tile + static_cast<int>(cover.tiles.size()),
                                .first_sum = program_.num_sums});
      done += num_rows;
    }
    program_.num_sums += cover.num_sums;
  }

  /// Number of panel rows from `row` on, at most `most`, with consecutive torques in the slab.
  int torques_in_line(int row, int most) const {
    const auto tail = [&](int i) {
      return program_.slab_rows[program_.tail_row(tree_.panel_rows[i].channel)];
    };
    int count = 1;
    for (; count < most; ++count) {
      const SlabRow here = tail(row + count - 1), next = tail(row + count);
      if (next.begin != here.begin + here.stride || next.stride != here.stride) break;
    }
    return count;
  }

  const Cover& cover_of(int rows, int columns, bool is_diagonal, bool has_torque) {
    const auto [at, is_new] = covers_.try_emplace({rows, columns, is_diagonal, has_torque});
    if (is_new) {
      Cover& cover = at->second = covers_of_.make(rows, columns, is_diagonal, has_torque);
      cover.first_tile = static_cast<int>(program_.tiles.size());
      for (const PlacedShape& tile : cover.tiles)
        program_.tiles.push_back({set_.function(tile.shape), tile.a, tile.b, tile.first_sum});
    }
    return at->second;
  }

  void add_places(const core::BlockEntry& block, const Strip& left, const Strip& right,
                  const Cover& cover) {
    for (const PlacedShape& tile : cover.tiles) {
      int sum = program_.num_sums + tile.first_sum;
      for_each_product(tile.shape, [&](int a, int b) {
        const int place = product_place(tree_, program_.is_summed, block, left.begin + tile.a + a,
                                        right.begin + tile.b + b);
        program_.places.push_back({sum++, place});
        program_.num_products += block.num_rows;
      });
    }
  }

  /// By packed entry.
  void sort_places() {
    program_.first_sums.assign(static_cast<std::size_t>(program_.packed_size), program_.num_sums);
    for (const SumPlace& place : program_.places) {
      int& first = program_.first_sums[static_cast<std::size_t>(place.packed)];
      if (first == program_.num_sums)
        first = place.sum;
      else
        program_.other_places.push_back(place);
    }
  }

  void make_groups() {
    std::vector<GramPair>& pairs = program_.pairs;
    const auto key = [](const GramPair& pair) {
      return std::tuple(pair.left.begin, pair.left.column, pair.num_rows);
    };
    std::stable_sort(pairs.begin(), pairs.end(),
                     [&](const GramPair& x, const GramPair& y) { return key(x) < key(y); });
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      if (i == 0 || key(pairs[i - 1]) != key(pairs[i]))
        program_.groups.push_back({static_cast<int>(i), static_cast<int>(i), pairs[i].max_packs});
      GramGroup& group = program_.groups.back();
      ++group.end_pair;
      group.max_packs = std::min(group.max_packs, pairs[i].max_packs);
    }
  }

  const core::TreeView& tree_;
  const TileSet& set_;
  CoverMaker covers_of_;
  std::map<std::tuple<int, int, bool, bool>, Cover> covers_;
  GramProgram program_;
};

}  // namespace

GramProgram make_gram_program(const core::TreeView& tree, bool is_summed, const TileSet& set) {
  return ProgramMaker(tree, is_summed, set).make();
}

}  // namespace heft::cpu
