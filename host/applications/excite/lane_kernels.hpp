// The kernels of kernels.hpp on packs of samples. The including file defines HEFT_CPU_TARGET,
// HEFT_CPU_PACK_BYTES and the largest register tile, HEFT_EXCITE_ROWS x HEFT_EXCITE_COLUMNS, or
// HEFT_EXCITE_ROWS x HEFT_EXCITE_PACKS of a product with a matrix.
#pragma once

#include <vector>

#include "executor/pack_functions.hpp"
#include "kernels.hpp"
// included after the functions of the packs, so that the templates find them
#include "heft/core/row_adjoint.hpp"

namespace heft::excite::HEFT_CPU_TARGET {

using P = cpu::HEFT_CPU_TARGET::Pack<double>;
constexpr int kLanes = P::kLanes, kPacksAGroup = HEFT_EXCITE_PACKS;

using cpu::HEFT_CPU_TARGET::load;
using cpu::HEFT_CPU_TARGET::store;

/// Input of core/: one pack of samples.
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
  std::ptrdiff_t sample;

  struct Row {
    double* at;
    std::ptrdiff_t stride;
    HEFT_HD void put(int k, const P& value) const { store(value, at + k * stride); }
  };
  double* place(int channel, int column) const {
    return rows.values + (rows.first[channel] + column) * rows.stride + sample;
  }
  Row row(const core::RowEntry& entry) const {
    return {place(entry.channel, entry.column), rows.stride};
  }
  void put_feature(const core::FeatureEntry& entry, const P& value) const {
    store(value, place(entry.channel, entry.column));
  }
  void put_torque(int, const P&) const {}
};

struct ColumnBars {
  const ConstRowColumns &rows, &bars;
  std::ptrdiff_t sample;

  P at(const ConstRowColumns& columns, int channel, int column) const {
    return load(columns.values + (columns.first[channel] + column) * columns.stride + sample);
  }
  P bar(const core::RowEntry& row, int k) const { return at(bars, row.channel, row.column + k); }
  P bar(const core::FeatureEntry& entry) const { return at(bars, entry.channel, entry.column); }
  P value(const core::FeatureEntry& entry) const { return at(rows, entry.channel, entry.column); }
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

inline void make_rows(const core::TreeView& tree, const MotionColumns& motion,
                      const RowColumns& rows, std::ptrdiff_t count) {
  std::vector<P> packs(static_cast<std::size_t>(core::workspace_size(tree)));
  PackWorkspace workspace{packs.data()};
  for (std::ptrdiff_t sample = 0; sample < count; sample += kLanes) {
    const PackInput in{motion, sample};
    ColumnSink sink{rows, sample};
    core::put_regressor_rows<P>(tree, in, workspace, sink);
  }
}

inline void make_adjoint(const core::TreeView& tree, const MotionColumns& motion,
                         const ConstRowColumns& rows, const ConstRowColumns& bars,
                         std::ptrdiff_t count, double* position, double* velocity,
                         double* acceleration) {
  std::vector<P> packs(static_cast<std::size_t>(core::adjoint_workspace_size(tree)));
  PackWorkspace workspace{packs.data()};
  for (std::ptrdiff_t sample = 0; sample < count; sample += kLanes) {
    const PackInput in{motion, sample};
    const ColumnBars of_sample{rows, bars, sample};
    ColumnGradient gradient{position, velocity, acceleration, motion.stride, sample};
    core::RowAdjoint<P, PackInput, PackWorkspace, ColumnBars, ColumnGradient>(tree, in, workspace,
                                                                              of_sample, gradient)
        .put();
  }
}

constexpr int kRows = HEFT_EXCITE_ROWS, kColumns = HEFT_EXCITE_COLUMNS;

/// Sums over the lanes of each pack in a row; overwrites the packs.
HEFT_HD void add_sums_of_lanes(P* packs, int count, double* sums) {
  if constexpr (kColumns <= kLanes) {
    const P folded = cpu::HEFT_CPU_TARGET::sums_of_lanes<kColumns, kLanes / 2>(packs);
    for (int c = 0; c < count; ++c) sums[c] += folded.v[c];
  } else {
    for (int c = 0; c < count; ++c)
      for (int i = 0; i < kLanes; ++i) sums[c] += packs[c].v[i];
  }
}

/// Adds the products of kRows columns from i with kColumns columns from j. Past the last column the
/// last one repeats, so tiles are always full; surplus results are not stored.
inline void add_tile(const double* y, std::ptrdiff_t stride, std::ptrdiff_t num_samples, int width,
                     int i, int j, double* gram) {
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
  for (int r = 0; r < kRows; ++r) {  // unrolled to keep the sums in registers
    if (i + r >= width) continue;
    const int below = i + r - j + 1;  // entries of this row that are on or below the diagonal
    if (below > 0)
      add_sums_of_lanes(sums[r], below < kColumns ? below : kColumns, gram + (i + r) * width + j);
  }
}

inline void gram(const ChannelColumns& y, std::ptrdiff_t count, double* gram) {
  for (int i = 0; i < y.width; i += kRows)
    for (int j = 0; j < i + kRows && j < y.width; j += kColumns)
      add_tile(y.values, y.stride, count, y.width, i, j, gram);
}

/// Tiles with kRows columns of the result and one group of packs.
inline void times(const ChannelColumns& y, std::ptrdiff_t count, const double* factor,
                  const ChannelColumns& z) {
  for (std::ptrdiff_t s = 0; s < count; s += kPacksAGroup * kLanes)
    for (int j = 0; j < y.width; j += kRows) {
      P sums[kRows][kPacksAGroup];
      for (auto& row : sums)
        for (P& sum : row) sum = P(0.0);
      int at[kRows];
      for (int r = 0; r < kRows; ++r) at[r] = j + r < y.width ? j + r : y.width - 1;
      for (int i = 0; i < y.width; ++i) {
        P samples[kPacksAGroup];
#pragma GCC unroll 8
        for (int p = 0; p < kPacksAGroup; ++p)
          samples[p] = load(y.values + i * y.stride + s + p * kLanes);
#pragma GCC unroll 8
        for (int r = 0; r < kRows; ++r) {
          const P f(factor[i * y.width + at[r]]);
#pragma GCC unroll 8
          for (int p = 0; p < kPacksAGroup; ++p) sums[r][p] = sums[r][p] + f * samples[p];
        }
      }
#pragma GCC unroll 8
      for (int r = 0; r < kRows; ++r) {  // unrolled to keep the sums in registers
        if (j + r >= y.width) continue;
#pragma GCC unroll 8
        for (int p = 0; p < kPacksAGroup; ++p)
          store(sums[r][p], z.values + (j + r) * z.stride + s + p * kLanes);
      }
    }
}

/// Calls term(i, s) for all columns i and every pack of samples, and stores the sums of the terms.
template <class Term>
inline void sum_columns(int width, std::ptrdiff_t count, double* sum, const Term& term) {
  for (std::ptrdiff_t s = 0; s < count; s += kLanes) {
    P total(0.0);
    for (int i = 0; i < width; ++i) total = total + term(i, s);
    store(total, sum + s);
  }
}

/// z_i += term(i, s).
template <class Term>
inline void add_to_columns(const ChannelColumns& z, std::ptrdiff_t count, const Term& term) {
  for (int i = 0; i < z.width; ++i)
    for (std::ptrdiff_t s = 0; s < count; s += kLanes) {
      double* const at = z.values + i * z.stride + s;
      store(load(at) + term(i, s), at);
    }
}

inline void weighted(const ChannelColumns& y, std::ptrdiff_t count, const double* weights,
                     double* sum) {
  sum_columns(y.width, count, sum, [&](int i, std::ptrdiff_t s) {
    return P(weights[i]) * load(y.values + i * y.stride + s);
  });
}
inline void product(const ChannelColumns& y, std::ptrdiff_t count, const ChannelColumns& z,
                    double* sum) {
  sum_columns(y.width, count, sum, [&](int i, std::ptrdiff_t s) {
    return load(y.values + i * y.stride + s) * load(z.values + i * z.stride + s);
  });
}
inline void add_weighted(const ChannelColumns& z, std::ptrdiff_t count, const double* weights,
                         const double* by) {
  add_to_columns(z, count, [&](int i, std::ptrdiff_t s) { return P(weights[i]) * load(by + s); });
}
inline void add_product(const ChannelColumns& z, std::ptrdiff_t count, const ChannelColumns& y,
                        const double* by) {
  add_to_columns(z, count, [&](int i, std::ptrdiff_t s) {
    return load(y.values + i * y.stride + s) * load(by + s);
  });
}

/// Lanes are coordinates here: one row of C at a time.
inline void move(const BasisColumns& basis, const double* C, int num_coordinates, double* values,
                 std::ptrdiff_t stride) {
  const int padded = (num_coordinates + kLanes - 1) / kLanes * kLanes;
  for (int k = 0; k < num_coordinates; k += kLanes) {
    const int lanes = num_coordinates - k < kLanes ? num_coordinates - k : kLanes;
    const double* phi = basis.values;
    for (int s = 0; s < basis.num_samples; ++s, phi += basis.width) {
      const double* const rows = C + basis.first[s] * padded + k;
      P sum(0.0);
      for (int i = 0; i < basis.width; ++i) sum = sum + P(phi[i]) * load(rows + i * padded);
      for (int lane = 0; lane < lanes; ++lane) values[(k + lane) * stride + s] = sum.v[lane];
    }
  }
}
inline void move_back(const BasisColumns& basis, const double* by, std::ptrdiff_t stride,
                      int num_coordinates, double* C) {
  const int padded = (num_coordinates + kLanes - 1) / kLanes * kLanes;
  for (int k = 0; k < num_coordinates; k += kLanes) {
    const int lanes = num_coordinates - k < kLanes ? num_coordinates - k : kLanes;
    const double* phi = basis.values;
    for (int s = 0; s < basis.num_samples; ++s, phi += basis.width) {
      P slope(0.0);
      for (int lane = 0; lane < lanes; ++lane) slope.v[lane] = by[(k + lane) * stride + s];
      double* const rows = C + basis.first[s] * padded + k;
      for (int i = 0; i < basis.width; ++i)
        store(load(rows + i * padded) + P(phi[i]) * slope, rows + i * padded);
    }
  }
}

constexpr Kernels kernels() {
  return {kPacksAGroup * kLanes, kLanes,      make_rows,    gram, times,    weighted, product,
          add_weighted,          add_product, make_adjoint, move, move_back};
}

}  // namespace heft::excite::HEFT_CPU_TARGET
