// Rows that are stored for processing before they are multiplied, and the products of such rows;
// lanes = samples. Included once per instruction set and namespace.
#pragma once

#include <cstdint>
#include <cstring>

#include "executor/kernels.hpp"
#include "executor/pack_turns.hpp"
#include "lane_input.hpp"
#include "padded_samples.hpp"
#include "scratch_layout.hpp"
#include "tile_kernels.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

/// Padded to whole squares of packs for transposition.
constexpr int in_squares(int width) {
  constexpr int kLanes = Pack<double>::kLanes;
  return (width + kLanes - 1) / kLanes * kLanes;
}

/// Stores the rows of a pack of samples, channel by channel.
struct RowsSink {
  using P = Pack<double>;
  P* packs;
  const int* first;  ///< first pack of every channel

  struct Row {
    P* packs;
    void put(int k, const P& value) const { packs[k] = value; }
  };

  Row row(const core::RowEntry& entry) const {
    return {packs + first[entry.channel] + entry.column};
  }
  void put_feature(const core::FeatureEntry& entry, const P& value) const {
    packs[first[entry.channel] + entry.column] = value;
  }
  void put_torque(int, const P&) const {}
};

/// Workspace, rows of a pack, first pack of each channel, and samples of an incomplete pack.
struct RowsScratch {
  Pack<double>*workspace, *rows;
  int* first;
  double* tail;
  std::size_t num_bytes;

  RowsScratch(const core::TreeView& tree, const int* widths, void* memory) {
    ScratchLayout layout(memory);
    std::int64_t num_packs = 0;
    for (int c = 0; c < tree.num_channels; ++c) num_packs += in_squares(widths[c]);
    layout.take(workspace, core::workspace_size(tree));
    layout.take(rows, num_packs);
    layout.take(first, tree.num_channels);
    layout.take(tail, padded_samples_size(tree, Pack<double>::kLanes));
    num_bytes = layout.num_bytes();
  }
};

inline std::size_t rows_scratch_bytes(const core::TreeView& tree, const int* widths) {
  return RowsScratch(tree, widths, nullptr).num_bytes;
}

/// Transposes packs of `width` numbers to the rows of `num_samples` samples, stored contiguously;
/// overwrites the packs.
inline void turn_rows_over(Pack<double>* packs, int width, int num_samples, double* rows) {
  constexpr int kLanes = Pack<double>::kLanes;
  const auto place = [&](int sample, int k) {
    return rows + static_cast<std::ptrdiff_t>(sample) * width + k;
  };
  int k = 0;
  for (; k + kLanes <= width; k += kLanes, packs += kLanes) {
    turn_over(packs);
    for (int sample = 0; sample < num_samples; ++sample)
      std::memcpy(place(sample, k), &packs[sample].v, sizeof packs[sample].v);
  }
  if (k == width) return;
  turn_over(packs);
  for (int sample = 0; sample < num_samples; ++sample)
    std::memcpy(place(sample, k), &packs[sample].v,
                static_cast<std::size_t>(width - k) * sizeof(double));
}

/// All rows with weight one.
inline void put_rows(const RowsTask& task) {
  constexpr int kLanes = Pack<double>::kLanes;
  const core::TreeView& tree = *task.tree;
  const RowsScratch scratch(tree, task.widths, task.scratch);
  for (int c = 0, pack = 0; c < tree.num_channels; ++c) {
    scratch.first[c] = pack;
    pack += in_squares(task.widths[c]);
  }
  LaneWorkspace<double> workspace{scratch.workspace};
  const RowsSink sink{scratch.rows, scratch.first};
  core::SampleView view = *task.samples;
  for (int done = 0; done < task.count; done += kLanes) {
    const int num_valid = task.count - done < kLanes ? task.count - done : kLanes;
    const bool is_full = num_valid == kLanes;
    if (!is_full)
      view = padded_samples(tree, view, task.begin + done, num_valid, kLanes, scratch.tail);
    const UnweightedInput<double> input{{view, nullptr, is_full ? task.begin + done : 0}};
    core::put_regressor_rows<Pack<double>>(tree, input, workspace, sink);
    for (int c = 0; c < tree.num_channels; ++c)
      if (task.rows[c])
        turn_rows_over(scratch.rows + scratch.first[c], task.widths[c], num_valid,
                       task.rows[c] + static_cast<std::ptrdiff_t>(done) * task.widths[c]);
  }
}

constexpr int kPacksOfRows = 15;  ///< number of packs whose products are summed together: they fit
                                  ///< the second-level cache

/// Distance between packs of samples: odd, so that the packs of a column use different cache sets.
constexpr int stride_of_packs(int width) {
  return in_squares(width) | 1;
}

/// Size of a tile.
constexpr int kProductRows = kRegisters == 32 ? 6 : 4, kProductColumns = kRegisters == 32 ? 4 : 3;

/// Rows as packs of samples, and the sums of all tiles over the upper triangle.
struct ProductsScratch {
  Pack<double>* packs;
  double* sums;
  std::int64_t num_sums = 0;
  std::size_t num_bytes;

  ProductsScratch(int width, void* memory) {
    for_each_tile(
        width, [&](int, int, int rows, int columns) { num_sums += sums_of_tile(rows, columns); });
    ScratchLayout layout(memory);
    layout.take(packs, static_cast<std::int64_t>(stride_of_packs(width)) * kPacksOfRows);
    layout.take(sums, num_sums);
    num_bytes = layout.num_bytes();
  }

  static int sums_of_tile(int rows, int columns) {
    return (rows * columns + kSumsAlignment - 1) / kSumsAlignment * kSumsAlignment;
  }

  /// Calls visit(first row, first column, rows, columns) for tiles that cover i <= j < width.
  template <class Visit>
  static void for_each_tile(int width, const Visit& visit) {
    for (int i = 0; i < width; i += kProductRows)
      for (int j = i; j < width; j += kProductColumns)
        visit(i, j, width - i < kProductRows ? width - i : kProductRows,
              width - j < kProductColumns ? width - j : kProductColumns);
  }
};

inline std::size_t products_scratch_bytes(int width) {
  return ProductsScratch(width, nullptr).num_bytes;
}

/// Transposes `count` consecutive rows to packs of one column each; missing samples are zeros.
inline void turn_columns_over(const double* rows, int count, int width, Pack<double>* packs) {
  constexpr int kLanes = Pack<double>::kLanes;
  const auto place = [&](int sample, int k) {
    return rows + static_cast<std::ptrdiff_t>(sample) * width + k;
  };
  for (int k = 0; k < width; k += kLanes, packs += kLanes) {
    if (count == kLanes && k + kLanes <= width) {
      for (int sample = 0; sample < kLanes; ++sample)
        std::memcpy(&packs[sample].v, place(sample, k), sizeof packs[sample].v);
    } else {
      const std::size_t size =
          static_cast<std::size_t>(width - k < kLanes ? width - k : kLanes) * sizeof(double);
      for (int sample = 0; sample < kLanes; ++sample) {
        packs[sample] = Pack<double>(0.0);
        if (sample < count) std::memcpy(&packs[sample].v, place(sample, k), size);
      }
    }
    turn_over(packs);
  }
}

inline void add_products(const ProductsTask& task) {
  constexpr int kLanes = Pack<double>::kLanes;
  const int width = task.width, stride = stride_of_packs(width);
  const ProductsScratch scratch(width, task.scratch);
  std::memset(scratch.sums, 0, static_cast<std::size_t>(scratch.num_sums) * sizeof(double));
  for (std::int64_t at = 0; at < task.count;) {
    int num_packs = 0;
    for (; num_packs < kPacksOfRows && at < task.count; ++num_packs, at += kLanes)
      turn_columns_over(task.rows + at * width,
                        task.count - at < kLanes ? static_cast<int>(task.count - at) : kLanes,
                        width, scratch.packs + static_cast<std::ptrdiff_t>(num_packs) * stride);
    double* sums = scratch.sums;
    ProductsScratch::for_each_tile(width, [&](int i, int j, int rows, int columns) {
      tile_function<double>({TileKind::rectangle, rows, columns, false})(
          scratch.packs + i, scratch.packs + j, nullptr, {stride, stride, 0}, num_packs, sums);
      sums += ProductsScratch::sums_of_tile(rows, columns);
    });
  }
  const double* sums = scratch.sums;
  ProductsScratch::for_each_tile(width, [&](int i, int j, int rows, int columns) {
    for (int a = i; a < i + rows; ++a)
      for (int b = j < a ? a : j; b < j + columns; ++b)
        task.packed[core::packed_index(width, a, b)] += sums[(a - i) * columns + (b - j)];
    sums += ProductsScratch::sums_of_tile(rows, columns);
  });
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
