#include "host/cpu/gram_program.hpp"

#include <algorithm>

#include "host/model/gram_products.hpp"

namespace heft::cpu {

namespace {

/// Where columns [begin, end) are cut into pieces of about equal size, at most `most` wide: first the larger ones.
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
    program_.packed_size = is_summed_ ? core::packed_triangle(tree_.summed_width) : tree_.packed_size;
    for (const ProductBlock& block : product_blocks(tree_, is_summed_)) add_block(block);
    program_.num_sums = static_cast<std::int64_t>(program_.destinations.size());
    return std::move(program_);
  }

 private:
  void add_block(const ProductBlock& block) {
    const int rows = block.rows, columns = block.columns;
    const bool is_diagonal = block.entry.left == block.entry.right;
    std::vector<int> row_cuts{0}, column_cuts{0};
    add_cuts(0, rows, shapes_.most_rows, row_cuts);
    // a wide triangle of the left columns, then what is beside it: only where that takes one row of tiles
    const bool is_narrow = is_diagonal && rows <= shapes_.most_rows;
    if (is_narrow) column_cuts.push_back(std::min(columns, shapes_.most_diagonal));
    add_cuts(column_cuts.back(), columns, shapes_.most_columns, column_cuts);
    for (std::size_t k = 1; k < row_cuts.size(); ++k)
      for (std::size_t l = 1; l < column_cuts.size(); ++l) {
        const int a = row_cuts[k - 1], b = column_cuts[l - 1], b_end = column_cuts[l];
        const int a_end = is_diagonal ? std::min(row_cuts[k], b_end) : row_cuts[k];
        if (a < a_end) add_tile(block.entry, is_diagonal, a, a_end, b, b_end);
      }
  }

  const core::PanelRowEntry& row_of(int panel, int row) const {
    return tree_.panel_rows[tree_.panels[panel].first_row + row];
  }

  void add_tile(const core::BlockEntry& block, bool is_diagonal, int a, int a_end, int b, int b_end) {
    const core::PanelRowEntry &left = row_of(block.left, block.left_row),
                              &right = row_of(block.right, block.right_row);
    const int rows = a_end - a, columns = b_end - b, offset = is_diagonal ? std::min(b - a, rows) : rows;
    const int num_sums = (rows * columns + kSumsAlignment - 1) / kSumsAlignment * kSumsAlignment;
    program_.tiles.push_back({{left.begin, left.width, a},
                              {right.begin, right.width, b},
                              block.num_rows,
                              shapes_.function(rows, columns, offset),
                              num_sums});
    const std::size_t end = program_.destinations.size() + static_cast<std::size_t>(num_sums);
    for (int i = a; i < a_end; ++i)
      for (int j = b; j < b_end; ++j) {
        const bool is_used = !is_diagonal || i <= j;
        program_.destinations.push_back(is_used ? product_place(tree_, is_summed_, block, i, j) : -1);
        program_.num_products += is_used ? block.num_rows : 0;
      }
    program_.destinations.resize(end, -1);
  }

  const core::TreeView& tree_;
  bool is_summed_;
  const TileShapes& shapes_;
  GramProgram program_;
};

}  // namespace

GramProgram make_gram_program(const core::TreeView& tree, bool is_summed, const TileShapes& shapes) {
  return ProgramMaker(tree, is_summed, shapes).make();
}

}  // namespace heft::cpu
