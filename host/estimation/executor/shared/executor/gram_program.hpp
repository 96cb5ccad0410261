// The program of register tiles: a plan's blocks (core/tree.hpp) divided for one instruction set,
// and the position of every sum of a tile in the packed moments. The same for every chunk of a job.
//
// Per channel, a tile covers one row of its panels; in the summed form all rows that they share.
//
// The slab holds the rows of all panels for a block of samples. The torque is not copied into every
// panel: it is stored once per channel, in the channel's tail, and tiles fetch it from there.
//
// Order of work: pairs of panels with the same left columns and rows form a group. A group runs
// slice by slice: as many packs of rows as the first-level cache holds of the left and the right
// columns. In a slice the left columns stay, the right ones of every pair come from the
// second-level cache once, and all tiles of the pair read both from the first. The length of slices
// depends on the program and the length of the block alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "heft/core/tree.hpp"

#pragma GCC visibility push(default)
namespace heft::cpu {

/// The products that a tile sums, of its left columns a with its right columns b; the order is that
/// of its sums (for_each_product).
enum class TileKind {
  rectangle,  ///< all
  pinwheel,   ///< 4 x 3 and (3, 3), the largest of the four tiles of 7 x 7: the others are
              ///< 3 x 4, 4 x 3 and 3 x 4 around it
  triangle,   ///< a <= b, of the left columns with themselves
  corner,     ///< what triangle 4 and rectangle (0..3) x (5, 6, torque) leave of seven columns
              ///< with themselves and the torque
  square,     ///< one column with itself: few, so that many chains of additions share it
};

/// Size of a tile. With the torque, the last right column of a rectangle is the torque, and a
/// triangle has the products of its columns with the torque as well.
struct TileShape {
  TileKind kind;
  int rows, columns;  ///< of left and right, the torque included in a rectangle
  bool has_torque;
};

/// Calls visit(a, b) for the products of a tile; the torque is b = 7 of a corner, b = `columns` of
/// a triangle.
template <class Visit>
constexpr void for_each_product(const TileShape& shape, const Visit& visit) {
  switch (shape.kind) {
    case TileKind::rectangle:
      for (int a = 0; a < shape.rows; ++a)
        for (int b = 0; b < shape.columns; ++b) visit(a, b);
      break;
    case TileKind::pinwheel:
      for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 3; ++b) visit(a, b);
      visit(3, 3);
      break;
    case TileKind::triangle:
      for (int a = 0; a < shape.rows; ++a)
        for (int b = a; b < shape.rows; ++b) visit(a, b);
      for (int a = 0; shape.has_torque && a < shape.rows; ++a) visit(a, shape.rows);
      break;
    case TileKind::corner:
      for (int a = 0; a < 4; ++a) visit(a, 4);
      for (int a = 4; a < 7; ++a)
        for (int b = a; b < 8; ++b) visit(a, b);
      break;
    case TileKind::square:
      visit(0, 0);
      break;
  }
}

constexpr int num_products(const TileShape& shape) {
  int count = 0;
  for_each_product(shape, [&](int, int) { ++count; });
  return count;
}

/// Packs from one pack of samples to the next.
struct TileStrides {
  std::ptrdiff_t left, right, torque;
};

/// Adds the products of `count` packs (lanes summed) to `sums`.
using TileFunction = void (*)(const void* left, const void* right, const void* torque,
                              const TileStrides& strides, int count, double* sums);

/// Tiles of an instruction set: registers, their size in bytes, and the function of a shape; null
/// if its sums do not fit the registers.
struct TileSet {
  int num_registers, max_sums, pack_bytes;
  TileFunction (*function)(const TileShape& shape);
};

/// Place of a panel's row in the slab: `begin` scalars a sample before it, `stride` from one pack
/// to the next, of which the first `width` are its columns.
struct SlabRow {
  int begin, width, stride;
};

/// One tile of the program.
struct GramTile {
  TileFunction function;
  int left_column, right_column;
  int first_sum;  ///< counted from the first of its pair
};

/// A column of a panel's row.
struct SlabColumn {
  int begin;  ///< of the row
  int column;
};

/// Columns of a panel with columns of another, over rows that follow each other in both.
struct GramPair {
  SlabColumn left, right, torque;
  TileStrides strides;
  int num_rows;
  int max_packs;  ///< of a slice, all rows together
  int first_tile, end_tile;
  int first_sum;
};

/// Pairs with the same left columns and rows.
struct GramGroup {
  int first_pair, end_pair;
  int max_packs;  ///< of a slice
};

constexpr int kSumsAlignment = 16;

/// Position of a tile's sum in the packed moments.
struct SumPlace {
  int sum, packed;
};

/// Position of a sample's rows in the slab.
struct SlabPlace {
  SlabColumn column;
  int stride;
};

struct GramProgram {
  std::vector<SlabRow> slab_rows;  ///< of every panel row
  int slab_size = 0;               ///< scalars of one sample in the slab
  int first_tail = 0;              ///< tails are the last rows, one per channel
  bool is_summed = false;
  /// For every row of the tree, every channel's torque and every feature.
  std::vector<SlabPlace> slab_places;
  /// The tree's rows, with panel_row as an index into slab_places.
  std::vector<core::RowEntry> rows;
  std::vector<core::FeatureEntry> features;
  std::vector<GramTile> tiles;  ///< pairs of equal shape share them
  std::vector<GramPair> pairs;
  std::vector<GramGroup> groups;
  std::vector<SumPlace> places;  ///< of all sums that are part of the moments
  /// For every packed entry the sum of its first place, or `num_sums` for an entry without any, and
  /// the other places of entries with several.
  std::vector<int> first_sums;
  std::vector<SumPlace> other_places;
  int num_sums = 0;
  std::int64_t packed_size = 0;
  std::int64_t num_products = 0;  ///< multiply-adds per sample

  /// Size of slab_places.
  int num_places() const { return static_cast<int>(slab_places.size()); }
  int first_torque_place() const { return static_cast<int>(rows.size()); }
  /// Index of a channel's tail in slab_rows; its last column is the channel's torque.
  int tail_row(int channel) const { return first_tail + channel; }
};

GramProgram make_gram_program(const core::TreeView& tree, bool is_summed, const TileSet& set);

}  // namespace heft::cpu
#pragma GCC visibility pop
