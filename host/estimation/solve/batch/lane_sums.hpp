// Weighted sums of columns, used for resampling: lanes along the columns. Works tile by tile to
// stream memory, since the data far exceed the caches. Included once per instruction set, after
// lane_pack.hpp.
#pragma once

#include <cstddef>

#include "lane_pack.hpp"
#include "lane_solver.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

constexpr int kPacksTogether = kPack >= kRowsOfTile ? 1 : 2,
              kSumsTogether = kPack >= 8 ? 8 : 6;  // limited by registers

/// A vector at any address of doubles.
typedef double LooseVector __attribute__((vector_size(8 * kPack), aligned(8), may_alias));

/// `kSums` sums over all columns of a part of a tile. Loads and stores are of whole vectors, not
/// memcpy, for which GCC 12 keeps the sums in memory.
template <int kSums>
void sum_part(const double* columns, int num_columns, const double* weights, double* sums) {
  const double* weights_of[kSums];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s)
    weights_of[s] = weights + static_cast<std::ptrdiff_t>(s) * num_columns;
  Vector sum[kSums][kPacksTogether];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s)
#pragma GCC unroll 2
    for (int p = 0; p < kPacksTogether; ++p) sum[s][p] = Vector{};
  for (std::ptrdiff_t k = 0; k < num_columns; ++k, columns += kRowsOfTile) {
    Vector column[kPacksTogether];
#pragma GCC unroll 2
    for (int p = 0; p < kPacksTogether; ++p)
      column[p] = *reinterpret_cast<const LooseVector*>(columns + p * kPack);
#pragma GCC unroll 8
    for (int s = 0; s < kSums; ++s) {
      const double weight = weights_of[s][k];
#pragma GCC unroll 2
      for (int p = 0; p < kPacksTogether; ++p) sum[s][p] += weight * column[p];
    }
  }
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s)
#pragma GCC unroll 2
    for (int p = 0; p < kPacksTogether; ++p)
      *reinterpret_cast<LooseVector*>(sums + s * kRowsOfTile + p * kPack) = sum[s][p];
}

/// LaneSolver::weighted_sums
inline void weighted_sums(const double* tiles, std::ptrdiff_t num_tiles, int num_columns,
                          const double* weights, int num_sums, double* sums) {
  constexpr int kPart = kPacksTogether * kPack;
  static_assert(kRowsOfTile % kPart == 0);
  for (std::ptrdiff_t t = 0; t < num_tiles; ++t) {
    const double* tile = tiles + t * num_columns * kRowsOfTile;
    double* sums_of_tile = sums + t * num_sums * kRowsOfTile;
    for (int row = 0; row < kRowsOfTile; row += kPart) {
      int s = 0;
      const auto sum_by = [&]<int kSums>() {
        for (; s + kSums <= num_sums; s += kSums)
          sum_part<kSums>(tile + row, num_columns,
                          weights + static_cast<std::ptrdiff_t>(s) * num_columns,
                          sums_of_tile + s * kRowsOfTile + row);
      };
      sum_by.template operator()<kSumsTogether>();
      // a single sum waits for each of its additions: the rest by as many as possible, too
      sum_by.template operator()<4>();
      sum_by.template operator()<2>();
      sum_by.template operator()<1>();
    }
  }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
