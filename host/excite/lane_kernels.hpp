// The kernels of kernels.hpp on packs of samples. The including file defines HEFT_CPU_TARGET, HEFT_CPU_PACK_BYTES and the
// largest register tile, HEFT_EXCITE_ROWS x HEFT_EXCITE_COLUMNS.
#pragma once

#include <vector>

#include "executor/pack_functions.hpp"
#include "kernels.hpp"
// after the functions of the packs, so that the templates find them
#include "heft/core/row_adjoint.hpp"

namespace heft::excite::HEFT_CPU_TARGET {

using P = cpu::HEFT_CPU_TARGET::Pack<double>;
constexpr int kLanes = P::kLanes, kPacksAGroup = 4;

using cpu::HEFT_CPU_TARGET::load;
using cpu::HEFT_CPU_TARGET::store;

/// The Input of core/: one pack of samples.
struct PackInput {
  const MotionColumns& motion;
  std::ptrdiff_t sample;

  P position(int k) const { return load(motion.position + k * motion.stride + sample); }
  P velocity(int k) const { return load(motion.velocity + k * motion.stride + sample); }
  P acceleration(int k) const { return load(motion.acceleration + k * motion.stride + sample); }
  P base_motion(int i) const { return P(motion.base[i]); }
  P weight(int) const { return P(1.0); }
  P torque(int) const { return P(0.0); }
  P signal(int) const { return P(0.0); }
};

struct PackWorkspace {
  P* packs;
  P& operator()(std::ptrdiff_t i) { return packs[i]; }
};

struct ColumnSink {
  const RowColumns& rows;
  std::ptrdiff_t stride, sample;

  struct Row {
    double* at;
    std::ptrdiff_t stride;
    HEFT_HD void put(int k, const P& value) const { store(value, at + k * stride); }
  };
  double* place(int channel, int column) const {
    return rows.values + (rows.first[channel] + column) * stride + sample;
  }
  Row row(const core::RowEntry& entry) const { return {place(entry.channel, entry.column), stride}; }
  void put_feature(const core::FeatureEntry& entry, const P& value) const {
    store(value, place(entry.channel, entry.column));
  }
  void put_torque(int, const P&) const {}
};

struct ColumnBars {
  const double *rows, *bars;
  const int* first;
  std::ptrdiff_t stride, sample;

  std::ptrdiff_t place(int channel, int column) const { return (first[channel] + column) * stride + sample; }
  P bar(const core::RowEntry& row, int k) const { return load(bars + place(row.channel, row.column + k)); }
  P bar(const core::FeatureEntry& entry) const { return load(bars + place(entry.channel, entry.column)); }
  P value(const core::FeatureEntry& entry) const { return load(rows + place(entry.channel, entry.column)); }
};

struct ColumnGradient {
  double *position, *velocity, *acceleration;
  std::ptrdiff_t stride, sample;

  void add(double* columns, int k, const P& value) const {
    double* const at = columns + k * stride + sample;
    store(load(at) + value, at);
  }
  void add_position(int k, const P& value) const { add(position, k, value); }
  void add_velocity(int k, const P& value) const { add(velocity, k, value); }
  void add_acceleration(int k, const P& value) const { add(acceleration, k, value); }
};

inline void make_rows(const core::TreeView& tree, const MotionColumns& motion, const RowColumns& rows) {
  std::vector<P> packs(static_cast<std::size_t>(core::workspace_size(tree)));
  PackWorkspace workspace{packs.data()};
  for (std::ptrdiff_t sample = 0; sample < motion.stride; sample += kLanes) {
    const PackInput in{motion, sample};
    ColumnSink sink{rows, motion.stride, sample};
    core::put_regressor_rows<P>(tree, in, workspace, sink);
  }
}

inline void make_adjoint(const core::TreeView& tree, const MotionColumns& motion, const double* rows,
                         const int* first, const double* bars, double* position, double* velocity,
                         double* acceleration) {
  std::vector<P> packs(static_cast<std::size_t>(core::adjoint_workspace_size(tree)));
  PackWorkspace workspace{packs.data()};
  for (std::ptrdiff_t sample = 0; sample < motion.stride; sample += kLanes) {
    const PackInput in{motion, sample};
    const ColumnBars of_sample{rows, bars, first, motion.stride, sample};
    ColumnGradient gradient{position, velocity, acceleration, motion.stride, sample};
    core::RowAdjoint<P, PackInput, PackWorkspace, ColumnBars, ColumnGradient>(tree, in, workspace, of_sample,
                                                                              gradient)
        .put();
  }
}

constexpr int kRows = HEFT_EXCITE_ROWS, kColumns = HEFT_EXCITE_COLUMNS;
/// Samples of a tile at a time: its columns stay in the first-level cache.
constexpr std::ptrdiff_t kSamplesATime = 256;

/// The sums of all lanes of a row of packs, which are overwritten.
HEFT_HD void add_sums_of_lanes(P* packs, int count, double* sums) {
  if constexpr (kColumns <= kLanes) {
    const P folded = cpu::HEFT_CPU_TARGET::sums_of_lanes<kColumns, kLanes / 2>(packs);
    for (int c = 0; c < count; ++c) sums[c] += folded.v[c];
  } else {
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < kLanes; ++i) sums[c] += packs[c].v[i];
  }
}

/// Adds the products of kRows columns from i on with kColumns from j on. Behind the last column stands the last again: tiles
/// are whole, and what is too much is not stored.
inline void add_tile(const double* y, std::ptrdiff_t stride, std::ptrdiff_t num_samples, int width, int i,
                     int j, double* gram) {
  const auto column = [&](int k) { return y + (k < width ? k : width - 1) * stride; };
  const double *left[kRows], *right[kColumns];
  for (int r = 0; r < kRows; ++r) left[r] = column(i + r);
  for (int c = 0; c < kColumns; ++c) right[c] = column(j + c);
  P sums[kRows][kColumns];
  for (auto& row : sums)
    for (P& sum : row) sum = P(0.0);
  for (std::ptrdiff_t s = 0; s < num_samples; s += kLanes) {
    P r[kColumns];
#pragma GCC unroll 8
    for (int c = 0; c < kColumns; ++c) r[c] = load(right[c] + s);
#pragma GCC unroll 8
    for (int k = 0; k < kRows; ++k) {
      const P l = load(left[k] + s);
#pragma GCC unroll 8
      for (int c = 0; c < kColumns; ++c) sums[k][c] = sums[k][c] + l * r[c];
    }
  }
#pragma GCC unroll 8
  for (int r = 0; r < kRows; ++r) {  // unrolled, so that sums are registers all along
    if (i + r >= width) continue;
    const int below = i + r - j + 1;  // of the row, what is not above the diagonal
    if (below > 0)
      add_sums_of_lanes(sums[r], below < kColumns ? below : kColumns, gram + (i + r) * width + j);
  }
}

inline void gram(const double* y, std::ptrdiff_t stride, int width, double* gram) {
  for (int k = 0; k < width * width; ++k) gram[k] = 0;
  for (std::ptrdiff_t s = 0; s < stride; s += kSamplesATime) {
    const std::ptrdiff_t count = stride - s < kSamplesATime ? stride - s : kSamplesATime;
    for (int i = 0; i < width; i += kRows)
      for (int j = 0; j < i + kRows && j < width; j += kColumns)
        add_tile(y + s, stride, count, width, i, j, gram);
  }
}

/// Tiles of kRows columns of the result by a group of packs.
inline void times(const double* y, std::ptrdiff_t stride, int width, const double* factor, double* z) {
  for (std::ptrdiff_t s = 0; s < stride; s += kPacksAGroup * kLanes)
    for (int j = 0; j < width; j += kRows) {
      P sums[kRows][kPacksAGroup];
      for (auto& row : sums)
        for (P& sum : row) sum = P(0.0);
      int at[kRows];
      for (int r = 0; r < kRows; ++r) at[r] = j + r < width ? j + r : width - 1;
      for (int i = 0; i < width; ++i) {
        P samples[kPacksAGroup];
#pragma GCC unroll 8
        for (int p = 0; p < kPacksAGroup; ++p) samples[p] = load(y + i * stride + s + p * kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          const P f(factor[i * width + at[r]]);
#pragma GCC unroll 8
          for (int p = 0; p < kPacksAGroup; ++p) sums[r][p] = sums[r][p] + f * samples[p];
        }
      }
      for (int r = 0; r < kRows && j + r < width; ++r)
        for (int p = 0; p < kPacksAGroup; ++p) store(sums[r][p], z + (j + r) * stride + s + p * kLanes);
    }
}

constexpr Kernels kernels() {
  return {kPacksAGroup * kLanes, make_rows, gram, times, make_adjoint};
}

}  // namespace heft::excite::HEFT_CPU_TARGET
