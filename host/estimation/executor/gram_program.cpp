#include "executor/gram_program.hpp"

#include <algorithm>

#include "model/gram_products.hpp"

namespace heft::cpu {

namespace {

/// Splits columns [begin, end) into pieces of about equal size, at most `most` wide, larger ones
/// first.
void add_cuts(int begin, int end, int most, std::vector<int>& cuts) {
  for (int left = (end - begin + most - 1) / most; left > 0; --left) {
    begin += (end - begin + left - 1) / left;
    cuts.push_back(begin);
  }
}

class ProgramMaker {
 public:
  ProgramMaker(const core::TreeView& tree, bool is_summed, const TileShapes& shapes)
      : tree_(tree), is_summed_(is_summed), shapes_(shapes) {}

  GramProgram make() {
    lay_out_slab();
    program_.packed_size =
        is_summed_ ? core::packed_triangle(tree_.summed_width) : tree_.packed_size;
    program_.places.reserve(static_cast<std::size_t>(program_.packed_size));
    for (const ProductBlock& block : product_blocks(tree_, is_summed_)) add_block(block);
    return std::move(program_);
  }

 private:
  /// Rows of panels without the torque, but those of tails.
  void lay_out_slab() {
    program_.first_tail = tree_.num_panel_rows - tree_.num_channels;
    for (int i = 0; i < tree_.num_panel_rows; ++i) {
      const int width =
          i < program_.first_tail ? tree_.panel_rows[i].width - 1 : tree_.panel_rows[i].width;
      program_.slab_rows.push_back({program_.slab_size, width});
      program_.slab_size += width;
    }
  }

  void add_block(const ProductBlock& block) {
    const int rows = block.rows, columns = block.columns;
    const bool is_diagonal = block.entry.left == block.entry.right;
    std::vector<int> row_cuts{0}, column_cuts{0};
    add_cuts(0, rows, shapes_.most_rows, row_cuts);
    // where one row of tiles is enough: a triangle of the left columns, then what is beside it; a
    // block that is no wider than a tile stays whole
    const bool begins_with_triangle =
        is_diagonal && rows <= shapes_.most_rows && columns > shapes_.most_columns;
    if (begins_with_triangle) column_cuts.push_back(std::min(rows, shapes_.most_diagonal));
    add_cuts(column_cuts.back(), columns, shapes_.most_columns, column_cuts);
    for (std::size_t k = 1; k < row_cuts.size(); ++k)
      for (std::size_t l = 1; l < column_cuts.size(); ++l) {
        const int a = row_cuts[k - 1], b = column_cuts[l - 1], b_end = column_cuts[l];
        const int a_end = is_diagonal ? std::min(row_cuts[k], b_end) : row_cuts[k];
        if (a < a_end) add_tiles(block.entry, is_diagonal, {a, a_end, b, b_end});
      }
  }

  int panel_row(int panel, int row) const { return tree_.panels[panel].first_row + row; }

  /// Position of a channel's torque.
  TileSide torque_side(int channel) const {
    const SlabRow tail = program_.slab_rows[program_.tail_row(channel)];
    return {tail, tail.width - 1};
  }

  /// Rows [a, a_end) and columns [b, b_end) of a block's products.
  struct Range {
    int a, a_end, b, b_end;
  };

  /// A tile, or several where the torques of the block's rows do not follow each other.
  void add_tiles(const core::BlockEntry& block, bool is_diagonal, const Range& range) {
    for (core::BlockEntry rest = block; rest.num_rows > 0;) {
      const int row = panel_row(rest.right, rest.right_row);
      const bool ends_with_torque = range.b_end > program_.slab_rows[row].width;
      core::BlockEntry now = rest;
      if (ends_with_torque) now.num_rows = torques_in_line(row, rest.num_rows);
      const TileSide last = ends_with_torque ? torque_side(tree_.panel_rows[row].channel)
                                             : TileSide{program_.slab_rows[row], range.b_end - 1};
      add_tile(now, is_diagonal, range, last);
      rest.left_row += now.num_rows, rest.right_row += now.num_rows, rest.num_rows -= now.num_rows;
    }
  }

  /// Number of panel rows from `row` on, at most `most`, with consecutive torques in the slab.
  int torques_in_line(int row, int most) const {
    int count = 1;
    for (; count < most; ++count) {
      const SlabRow here = torque_side(tree_.panel_rows[row + count - 1].channel).row;
      const SlabRow next = torque_side(tree_.panel_rows[row + count].channel).row;
      if (next.begin != here.begin + here.width || next.width != here.width) break;
    }
    return count;
  }

  void add_tile(const core::BlockEntry& block, bool is_diagonal, const Range& range,
                const TileSide& last) {
    const auto [a, a_end, b, b_end] = range;
    const int rows = a_end - a, columns = b_end - b;
    const bool is_triangle = is_diagonal && a == b && rows == columns;
    const SlabRow left = program_.slab_rows[panel_row(block.left, block.left_row)];
    const SlabRow right = program_.slab_rows[panel_row(block.right, block.right_row)];
    const int num_sums =
        is_triangle ? static_cast<int>(core::packed_triangle(rows)) : rows * columns;
    const int num_aligned = (num_sums + kSumsAlignment - 1) / kSumsAlignment * kSumsAlignment;
    program_.tiles.push_back({{left, a},
                              {right, b},
                              last,
                              block.num_rows,
                              shapes_.function(rows, columns, is_triangle),
                              num_aligned});
    for (int i = a; i < a_end; ++i)
      for (int j = is_diagonal ? std::max(i, b) : b; j < b_end; ++j) {
        const int sum = is_triangle ? static_cast<int>(core::packed_index(rows, i - a, j - b))
                                    : (i - a) * columns + (j - b);
        program_.places.push_back(
            {program_.num_sums + sum, product_place(tree_, is_summed_, block, i, j)});
        program_.num_products += block.num_rows;
      }
    program_.num_sums += num_aligned;
  }

  const core::TreeView& tree_;
  bool is_summed_;
  const TileShapes& shapes_;
  GramProgram program_;
};

}  // namespace

GramProgram make_gram_program(const core::TreeView& tree, bool is_summed,
                              const TileShapes& shapes) {
  return ProgramMaker(tree, is_summed, shapes).make();
}

}  // namespace heft::cpu
