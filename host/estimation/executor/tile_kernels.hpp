// Register tiles: sums over packs of the products of a few columns with a few others. Included once
// per instruction set and namespace.
//
// Lanes are samples, so both factors are packs. A tile of R x C keeps R C sums and its C right
// factors in registers; the left factors come one after the other. At the end the lanes are added
// up, and the numbers go to fp64 sums: in fp32 that is the flush that keeps rounding small.
//
// The including file defines HEFT_CPU_TILE_ROWS and HEFT_CPU_TILE_COLUMNS, the edges of the largest
// tile, and HEFT_CPU_TILE_DIAGONAL, that of the largest triangle.
#pragma once

#include <cstring>

#include "executor/gram_program.hpp"
#include "executor/pack.hpp"
#include "heft/core/choices.hpp"

namespace heft::cpu::HEFT_CPU_TARGET {

constexpr int kMaxRows = HEFT_CPU_TILE_ROWS, kMaxColumns = HEFT_CPU_TILE_COLUMNS;
constexpr int kMaxDiagonal = HEFT_CPU_TILE_DIAGONAL, kTableColumns = kMaxDiagonal;
static_assert(kMaxColumns <= kTableColumns);
constexpr int kRegisters = kPackBytes == 64 ? 32 : 16;

/// Keeps the compiler from folding a load into each of its uses: the factor stays in its register.
template <class Vector>
HEFT_HD void keep_in_register(Vector& vector) {
#if defined(__x86_64__)
  asm("" : "+v"(vector));
#endif
}

/// Adds packs[i], lanes summed, to sums[i].
template <int kCount, class Real>
HEFT_HD void add_sums_of_lanes(Pack<Real>* packs, double* sums) {
  constexpr int kLanes = Pack<Real>::kLanes;
  using Doubles = typename Pack<Real>::Doubles;
  constexpr int kNow = kCount < kLanes ? kCount : kLanes;
  const Pack<Real> lanes = sums_of_lanes<kNow, kLanes / 2>(packs);
  Doubles target;
  std::memcpy(&target, sums, sizeof target);
  target += __builtin_convertvector(lanes.v, Doubles);
  std::memcpy(sums, &target, sizeof target);
  if constexpr (kCount > kLanes) add_sums_of_lanes<kCount - kLanes>(packs + kLanes, sums + kLanes);
}

/// sums[a * kColumns + b] += sum over `count` packs of left[a] right[b].
template <class Real, int kRows, int kColumns>
void add_tile(TilePacks left_side, TilePacks right_side, TilePacks last_side, int count,
              double* sums) {
  using Vector = typename Pack<Real>::Vector;
  constexpr int kSums = kRows * kColumns;
  constexpr int kKept = kRegisters - 1 - kSums;  // right factors that find a register
  const auto* left = static_cast<const Pack<Real>*>(left_side.packs);
  const auto* right = static_cast<const Pack<Real>*>(right_side.packs);
  const auto* last = static_cast<const Pack<Real>*>(last_side.packs);
  Pack<Real> tile[kSums];
#pragma GCC unroll 64
  for (int i = 0; i < kSums; ++i) tile[i].v = Vector{};
  for (int p = 0; p < count;
       ++p, left += left_side.stride, right += right_side.stride, last += last_side.stride) {
    Vector factor[kColumns];
#pragma GCC unroll 16
    for (int b = 0; b < kColumns; ++b) {
      factor[b] = b < kColumns - 1 ? right[b].v : last->v;
      if (b < kKept) keep_in_register(factor[b]);
    }
#pragma GCC unroll 16
    for (int a = 0; a < kRows; ++a) {
      Vector own = left[a].v;
      keep_in_register(own);
#pragma GCC unroll 16
      for (int b = 0; b < kColumns; ++b) tile[a * kColumns + b].v += own * factor[b];
    }
  }
  add_sums_of_lanes<kSums>(tile, sums);
}

/// The same of columns with themselves, as a packed triangle.
template <class Real, int kSize>
void add_triangle(TilePacks side, TilePacks, TilePacks, int count, double* sums) {
  using Vector = typename Pack<Real>::Vector;
  constexpr int kSums = core::packed_triangle(kSize);
  const auto* columns = static_cast<const Pack<Real>*>(side.packs);
  Pack<Real> tile[kSums];
#pragma GCC unroll 64
  for (int i = 0; i < kSums; ++i) tile[i].v = Vector{};
  for (int p = 0; p < count; ++p, columns += side.stride) {
    Vector factor[kSize];
#pragma GCC unroll 16
    for (int a = 0; a < kSize; ++a) {
      factor[a] = columns[a].v;
      keep_in_register(factor[a]);
    }
#pragma GCC unroll 16
    for (int a = 0; a < kSize; ++a)
#pragma GCC unroll 16
      for (int b = a; b < kSize; ++b)
        tile[core::packed_index(kSize, a, b)].v += factor[a] * factor[b];
  }
  add_sums_of_lanes<kSums>(tile, sums);
}

/// Null for triangles whose sums and columns do not fit the registers, and for tiles whose sums do
/// not; right factors that find no register are read from memory.
template <class Real, int kRows, int kColumns>
constexpr TileFunction tile_function_of(bool is_triangle) {
  if (is_triangle) {
    if constexpr (kRows == kColumns && kRows * (kRows + 3) / 2 < kRegisters)
      return add_triangle<Real, kRows>;
  } else if constexpr (kRows * kColumns <= kRegisters - 4) {
    return add_tile<Real, kRows, kColumns>;
  }
  return nullptr;
}

template <class Real, std::size_t... kIndex>
TileFunction tile_function_at(std::size_t index, bool is_triangle, std::index_sequence<kIndex...>) {
  static constexpr TileFunction kFunctions[2][sizeof...(kIndex)] = {
      {tile_function_of<Real, kIndex / kTableColumns + 1, kIndex % kTableColumns + 1>(false)...},
      {tile_function_of<Real, kIndex / kTableColumns + 1, kIndex % kTableColumns + 1>(true)...}};
  return kFunctions[is_triangle][index];
}

template <class Real>
TileFunction tile_function(int rows, int columns, bool is_triangle) {
  return tile_function_at<Real>((rows - 1) * kTableColumns + columns - 1, is_triangle,
                                std::make_index_sequence<kMaxRows * kTableColumns>());
}

}  // namespace heft::cpu::HEFT_CPU_TARGET
