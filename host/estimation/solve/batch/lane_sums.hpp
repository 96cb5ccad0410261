// Products of dense matrices and sums of drawn blocks, lanes along the rows. Included once per
// instruction set, after lane_pack.hpp. Every sum adds its terms in order, whatever the tile.
#pragma once

#include <cstddef>
#include <vector>

#include "lane_pack.hpp"
#include "lane_solver.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

constexpr int kSumsTogether = kPack >= 8 ? 8 : 6;  // limited by registers

/// A vector at any address of doubles.
typedef double LooseVector __attribute__((vector_size(8 * kPack), aligned(8), may_alias));

inline const LooseVector& loose(const double* numbers) {
  return *reinterpret_cast<const LooseVector*>(numbers);
}
inline LooseVector& loose(double* numbers) {
  return *reinterpret_cast<LooseVector*>(numbers);
}

/// `kPacks` packs of rows of `kSums` columns of a product. Loads and stores are of whole vectors,
/// not memcpy, for which GCC 12 keeps the sums in memory.
template <int kPacks, int kSums>
void multiply_part(const LaneProduct& of, const double* A, const double* B, double* C) {
  const double* columns[kSums];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s) columns[s] = B + s * of.B_stride;
  Vector sum[kSums][kPacks];
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s)
#pragma GCC unroll 2
    for (int p = 0; p < kPacks; ++p) sum[s][p] = Vector{};
  for (std::ptrdiff_t k = 0; k < of.depth; ++k, A += of.A_stride) {
    Vector rows[kPacks];
#pragma GCC unroll 2
    for (int p = 0; p < kPacks; ++p) rows[p] = loose(A + p * kPack);
#pragma GCC unroll 8
    for (int s = 0; s < kSums; ++s) {
      const double factor = columns[s][k];
#pragma GCC unroll 2
      for (int p = 0; p < kPacks; ++p) sum[s][p] += factor * rows[p];
    }
  }
#pragma GCC unroll 8
  for (int s = 0; s < kSums; ++s)
#pragma GCC unroll 2
    for (int p = 0; p < kPacks; ++p) loose(C + s * of.C_stride + p * kPack) = sum[s][p];
}

/// All columns of `kPacks` packs of rows from `row` on.
template <int kPacks>
void multiply_rows(const LaneProduct& of, std::ptrdiff_t row) {
  int s = 0;
  const auto multiply_by = [&]<int kSums>() {
    for (; s + kSums <= of.num_columns; s += kSums)
      multiply_part<kPacks, kSums>(of, of.A + row, of.B + s * of.B_stride,
                                   of.C + s * of.C_stride + row);
  };
  multiply_by.template operator()<kSumsTogether>();
  // a single sum waits for each of its additions: the rest by as many as possible, too
  multiply_by.template operator()<4>();
  multiply_by.template operator()<2>();
  multiply_by.template operator()<1>();
}

/// LaneSolver::multiply
inline void multiply(const LaneProduct& of) {
  const std::ptrdiff_t rows = of.num_rows;
  if (rows < kPack) {
    // as many rows as a pack, zeros after the last
    std::vector<Pack> A(static_cast<std::size_t>(of.depth), Pack(0.0)),
        C(static_cast<std::size_t>(of.num_columns));
    for (int k = 0; k < of.depth; ++k)
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        A[static_cast<std::size_t>(k)].v[i] = of.A[k * of.A_stride + i];
    multiply_rows<1>({reinterpret_cast<const double*>(A.data()), kPack, of.B, of.B_stride,
                      reinterpret_cast<double*>(C.data()), kPack, kPack, of.depth, of.num_columns},
                     0);
    for (int s = 0; s < of.num_columns; ++s)
      for (std::ptrdiff_t i = 0; i < rows; ++i)
        of.C[s * of.C_stride + i] = C[static_cast<std::size_t>(s)].v[i];
    return;
  }
  // the last rows overlap those before them, which get the same values again
  std::ptrdiff_t row = 0;
  for (; row + 2 * kPack <= rows; row += 2 * kPack) multiply_rows<2>(of, row);
  const std::ptrdiff_t left = rows - row;
  if (left > kPack && row > 0) {
    multiply_rows<2>(of, rows - 2 * kPack);
  } else if (left > 0) {
    if (left > kPack) multiply_rows<1>(of, row);
    multiply_rows<1>(of, rows - kPack);
  }
}

/// LaneSolver::sum_draws
inline void sum_draws(const double* numbers, std::ptrdiff_t num_parts, int num_blocks,
                      const BlockDraws* draws, int num_sums, double* sums) {
  constexpr int kMost = 12 * kPack < kNumbersOfPart ? 12 : kNumbersOfPart / kPack;
  constexpr int kTogether = kPack == 2 ? 8 : kMost;  // packs in registers
  static_assert(kNumbersOfPart % (kTogether * kPack) == 0);
  for (std::ptrdiff_t part = 0; part < num_parts;
       ++part, numbers += static_cast<std::ptrdiff_t>(num_blocks) * kNumbersOfPart)
    for (int s = 0; s < num_sums; ++s, sums += kNumbersOfPart)
      for (int first = 0; first < kNumbersOfPart; first += kTogether * kPack) {
        Vector sum[kTogether];
#pragma GCC unroll 12
        for (int i = 0; i < kTogether; ++i) sum[i] = Vector{};
        for (const BlockDraw* draw = draws[s].begin; draw != draws[s].end; ++draw) {
          const double* block = numbers + draw->block * kNumbersOfPart + first;
          const double weight = draw->weight;
#pragma GCC unroll 12
          for (int i = 0; i < kTogether; ++i) sum[i] += weight * loose(block + i * kPack);
        }
#pragma GCC unroll 12
        for (int i = 0; i < kTogether; ++i) loose(sums + first + i * kPack) = sum[i];
      }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
