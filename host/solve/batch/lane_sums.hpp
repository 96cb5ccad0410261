// Weighted sums of columns, what resamples are made of: lanes along the columns. Included once per instruction set, after
// lane_pack.hpp.
#pragma once

#include <cstddef>
#include <cstring>

#include "lane_pack.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

constexpr int kPacksTogether = 2, kSumsTogether = kPack >= 8 ? 8 : 4;  // as many as registers hold

/// Packs of `kPacks` x `kSums` sums over all columns, in registers.
template <int kPacks, int kSums>
void sum_packs(const double* columns, std::ptrdiff_t size, int num_columns, const double* weights,
               double* sums) {
  Vector sum[kSums][kPacks];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s)
#pragma GCC unroll 2
    for (int p = 0; p < kPacks; ++p) sum[s][p] = Vector{};
  for (int k = 0; k < num_columns; ++k, columns += size) {
    Vector column[kPacks];
    std::memcpy(column, columns, sizeof column);
#pragma GCC unroll 8
    for (int s = 0; s < kSums; ++s) {
      const double weight = weights[static_cast<std::ptrdiff_t>(s) * num_columns + k];
#pragma GCC unroll 2
      for (int p = 0; p < kPacks; ++p) sum[s][p] += weight * column[p];
    }
  }
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s) std::memcpy(sums + s * size, sum[s], sizeof sum[s]);
}

/// sums = columns weights: `columns` has `size` rows and `num_columns` columns, `weights` a column a sum; all column by column.
inline void weighted_sums(const double* columns, std::ptrdiff_t size, int num_columns, const double* weights,
                          int num_sums, double* sums) {
  constexpr std::ptrdiff_t kRows = kPacksTogether * kPack;
  const std::ptrdiff_t whole = size / kRows * kRows;
  for (std::ptrdiff_t row = 0; row < whole; row += kRows) {
    int s = 0;
    for (; s + kSumsTogether <= num_sums; s += kSumsTogether)
      sum_packs<kPacksTogether, kSumsTogether>(columns + row, size, num_columns, weights + s * num_columns,
                                               sums + s * size + row);
    for (; s < num_sums; ++s)
      sum_packs<kPacksTogether, 1>(columns + row, size, num_columns, weights + s * num_columns,
                                   sums + s * size + row);
  }
  for (int s = 0; s < num_sums; ++s)
    for (std::ptrdiff_t row = whole; row < size; ++row) {
      double sum = 0;
      for (int k = 0; k < num_columns; ++k) sum += weights[s * num_columns + k] * columns[k * size + row];
      sums[s * size + row] = sum;
    }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
