// Products of tiles by the lanes of a warp, one slab at a time (gram_tiles.hpp). Lane l holds the
// sums of row l / 4 and columns 2 (l % 4) and 2 (l % 4) + 1 of a tile: the layout of the tensor
// cores for the product of an 8x4 matrix with a 4x8 one. On a device the fp64 tensor cores compute
// the product, of fp32 rows too where fp64 has its full rate: a lane then reads one number a column
// and step, where multiply-adds read six for eight products, and products of fp32 are exact.
// Elsewhere and on the host, multiply-adds compute the same sums.
//
// A strip may have fewer than eight columns: its last column then fills the strip, and these
// products are not used.
#pragma once

#include <type_traits>

#include "../unroll.hpp"
#include "gram_tiles.hpp"

namespace heft::cuda {

/// A lane's sums of a warp's units.
struct LaneSums {
  double values[kWarpUnits][kUnitTiles][2];
};

/// A lane's sums of one tile, as stored in memory: lane after lane.
struct alignas(16) SumPair {
  double values[2];
};

/// Two samples of a column.
template <class Real>
struct alignas(2 * sizeof(Real)) TwoSamples {
  Real values[2];
};

/// Four samples of a column.
template <class Real>
struct alignas(16) FourSamples {
  Real values[4];
};

HEFT_HD int smaller(int a, int b) {
  return a < b ? a : b;
}

/// Tiles of a unit: left strips by right strips.
template <bool kDiagonal, int kLeft, int kRight>
struct UnitShape {
  static constexpr bool kIsDiagonal = kDiagonal;
  static constexpr int kLeftStrips = kLeft, kRightStrips = kRight;
  static constexpr bool has(int m, int n) {
    return m < kLeft && n < kRight && !(kDiagonal && m > n);
  }
};

/// Tiles of a wide unit: the triangle of its right strips, or left ones by right ones.
template <bool kDiagonal>
struct WideShape {
  static constexpr bool kIsDiagonal = kDiagonal;
  static constexpr int kLeftStrips = kDiagonal ? kWideRight : kWideLeft;
  static constexpr bool has(int m, int n) { return !kDiagonal || m <= n; }
  static constexpr int place(int m, int n) { return TileUnit::wide_tile(kDiagonal, m, n); }
};

#if defined(__CUDA_ARCH__)
/// sums += A B of an 8x4 and a 4x8 matrix: lane l brings A(l / 4, l % 4) and B(l % 4, l / 4).
HEFT_HD void multiply_add(double a, double b, double (&sums)[2]) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(sums[0]), "+d"(sums[1])
               : "d"(a), "d"(b));
}

/// Devices with fp64 units, and not just enough of them for compatibility.
inline constexpr bool kHasFullRateDoubles =
    __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000;

/// Devices whose registers hold a wide unit; on sm_100, ptxas of CUDA 13.0 spills 660 bytes.
inline constexpr bool kHoldsWideUnits = __CUDA_ARCH__ == 800 || __CUDA_ARCH__ == 900;

/// By the tensor cores. On the diagonal left strips are right ones.
template <class Shape, class Real>
HEFT_HD void add_by_tensor_cores(const TileUnit& unit, const Real* slab, int lane,
                                 double (&sums)[kUnitTiles][2]) {
  const Real *left[2], *right[2];
  HEFT_UNROLL for (int m = 0; m < 2; ++m) {
    const int column = kTile * m + lane / 4;
    left[m] = slab + (unit.left + smaller(column, unit.left_width - 1)) * kSlabStride + lane % 4;
    right[m] = slab + (unit.right + smaller(column, unit.right_width - 1)) * kSlabStride + lane % 4;
  }
  HEFT_KEEP_LOOP for (int r = 0; r < unit.num_rows; ++r) {
    const int left_shift = r * unit.left_step * kSlabStride,
              right_shift = r * unit.right_step * kSlabStride;
    HEFT_UNROLL for (int t = 0; t < kSlabSamples; t += 4) {
      double a[2] = {}, b[2] = {};
      HEFT_UNROLL for (int n = 0; n < Shape::kRightStrips; ++n) b[n] =
          static_cast<double>(right[n][right_shift + t]);
      HEFT_UNROLL for (int m = 0; m < Shape::kLeftStrips; ++m) a[m] =
          Shape::kIsDiagonal ? b[m] : static_cast<double>(left[m][left_shift + t]);
      HEFT_UNROLL for (int m = 0; m < 2; ++m)
          HEFT_UNROLL for (int n = 0; n < 2; ++n) if (Shape::has(m, n))
              multiply_add(a[m], b[n], sums[2 * m + n]);
    }
  }
}

/// Calls work(m, n) for the tiles of a wide unit.
template <class Shape, class Work>
HEFT_HD void for_each_tile(const TileUnit& unit, const Work& work) {
  HEFT_UNROLL for (int n = 0; n < kWideRight; ++n) if (n * kTile < unit.right_width) {
    HEFT_UNROLL for (int m = 0; m < Shape::kLeftStrips; ++m) {
      if (Shape::has(m, n) && m * kTile < unit.left_width) work(m, n);
    }
  }
}

template <class Real>
HEFT_HD void read_pair(const Real* from, double (&values)[2]) {
  const TwoSamples<Real> pair = *reinterpret_cast<const TwoSamples<Real>*>(from);
  HEFT_UNROLL for (int k = 0; k < 2; ++k) values[k] = static_cast<double>(pair.values[k]);
}

/// Of a wide unit. Lanes read pairs of samples, whole sectors of memory: those of lane l are 2 (l %
/// 4) and the next of every eight.
template <class Shape, class Real>
HEFT_HD void add_wide_by_tensor_cores(const TileUnit& unit, const Real* slab, int lane,
                                      double (&sums)[kWideTiles][2]) {
  const Real* const samples = slab + 2 * (lane % 4);
  int left[kWideLeft], right[kWideRight];
  HEFT_UNROLL for (int m = 0; m < kWideLeft; ++m) left[m] =
      (unit.left + smaller(kTile * m + lane / 4, unit.left_width - 1)) * kSlabStride;
  HEFT_UNROLL for (int n = 0; n < kWideRight; ++n) right[n] =
      (unit.right + smaller(kTile * n + lane / 4, unit.right_width - 1)) * kSlabStride;
  HEFT_KEEP_LOOP for (int r = 0; r < unit.num_rows; ++r) {
    const Real* const lefts = samples + r * unit.left_step * kSlabStride;
    const Real* const rights = samples + r * unit.right_step * kSlabStride;
    HEFT_KEEP_LOOP for (int t = 0; t < kSlabSamples; t += 8) {
      double a[kWideLeft][2] = {}, b[kWideRight][2] = {};
      HEFT_UNROLL for (int n = 0; n < kWideRight; ++n) {
        if (n * kTile < unit.right_width) read_pair(rights + right[n] + t, b[n]);
      }
      HEFT_UNROLL for (int m = 0; m < kWideLeft; ++m) {
        if (!Shape::kIsDiagonal && m * kTile < unit.left_width)
          read_pair(lefts + left[m] + t, a[m]);
      }
      for_each_tile<Shape>(unit, [&](int m, int n) {
        HEFT_UNROLL for (int k = 0; k < 2; ++k) multiply_add(
            Shape::kIsDiagonal ? b[m][k] : a[m % kWideLeft][k], b[n][k], sums[Shape::place(m, n)]);
      });
    }
  }
}
#endif

/// By multiply-adds; sums over a slab are fp32 if the rows are.
template <class Shape, class Real>
HEFT_HD void add_by_multiply_adds(const TileUnit& unit, const Real* slab, int lane,
                                  double (&sums)[kUnitTiles][2]) {
  Real products[kUnitTiles][2] = {};
  HEFT_KEEP_LOOP for (int r = 0; r < unit.num_rows; ++r) {
    const Real *left[2] = {}, *right[2][2] = {};
    HEFT_UNROLL for (int m = 0; m < 2; ++m) {
      left[m] = slab + (unit.left + r * unit.left_step +
                        smaller(kTile * m + lane / 4, unit.left_width - 1)) *
                           kSlabStride;
      HEFT_UNROLL for (int e = 0; e < 2; ++e) right[m][e] =
          slab + (unit.right + r * unit.right_step +
                  smaller(kTile * m + 2 * (lane % 4) + e, unit.right_width - 1)) *
                     kSlabStride;
    }
    HEFT_KEEP_LOOP for (int t = 0; t < kSlabSamples; t += 4) {
      FourSamples<Real> b[2][2];
      HEFT_UNROLL for (int n = 0; n < Shape::kRightStrips; ++n)
          HEFT_UNROLL for (int e = 0; e < 2; ++e) b[n][e] =
              *reinterpret_cast<const FourSamples<Real>*>(right[n][e] + t);
      HEFT_UNROLL for (int m = 0; m < Shape::kLeftStrips; ++m) {
        const FourSamples<Real> a = *reinterpret_cast<const FourSamples<Real>*>(left[m] + t);
        HEFT_UNROLL for (int n = 0; n < 2; ++n) if (Shape::has(m, n))
            HEFT_UNROLL for (int e = 0; e < 2; ++e) HEFT_UNROLL for (int k = 0; k < 4; ++k)
                products[2 * m + n][e] += a.values[k] * b[n][e].values[k];
      }
    }
  }
  HEFT_UNROLL for (int tile = 0; tile < kUnitTiles; ++tile) if (Shape::has(tile / 2, tile % 2))
      HEFT_UNROLL for (int e = 0; e < 2; ++e) sums[tile][e] +=
      static_cast<double>(products[tile][e]);
}

/// Whether the tensor cores are used for rows of this type.
template <class Real>
HEFT_HD constexpr bool has_tensor_cores() {
#if defined(__CUDA_ARCH__)
  return std::is_same_v<Real, double> || kHasFullRateDoubles;
#else
  return false;
#endif
}

template <class Shape, class Real>
HEFT_HD void add_products(const TileUnit& unit, const Real* slab, int lane,
                          double (&sums)[kUnitTiles][2]) {
#if defined(__CUDA_ARCH__)
  if constexpr (has_tensor_cores<Real>()) return add_by_tensor_cores<Shape>(unit, slab, lane, sums);
#endif
  if constexpr (!has_tensor_cores<Real>()) add_by_multiply_adds<Shape>(unit, slab, lane, sums);
}

/// Adds a unit's products over a slab. Every lane of a warp calls it with the same unit.
template <class Real>
HEFT_HD void add_unit(const TileUnit& unit, const Real* slab, int lane,
                      double (&sums)[kUnitTiles][2]) {
  // one left strip and two right ones are rare: they go as two and two, of which the second left
  // one's are not used
  const bool has_two_left = unit.left_width > kTile, has_two_right = unit.right_width > kTile;
  if (unit.is_diagonal() && has_two_right)
    add_products<UnitShape<true, 2, 2>>(unit, slab, lane, sums);
  else if (has_two_right)
    add_products<UnitShape<false, 2, 2>>(unit, slab, lane, sums);
  else if (has_two_left)
    add_products<UnitShape<false, 2, 1>>(unit, slab, lane, sums);
  else
    add_products<UnitShape<false, 1, 1>>(unit, slab, lane, sums);
}

/// A unit's sums in memory, of one lane.
HEFT_HD SumPair* pairs_of(const TileUnit& unit, double* sums_of_group, int lane) {
  return reinterpret_cast<SumPair*>(sums_of_group) + unit.first_tile * kLanes + lane;
}

#if defined(__CUDA_ARCH__)
/// All tiles in one pass over the slabs.
template <class Shape, class Real>
HEFT_HD void add_wide_in_registers(const TileUnit& unit, const Real* slabs, int slab_scalars,
                                   int num_slabs, int lane, SumPair* pairs) {
  double sums[kWideTiles][2];
  for_each_tile<Shape>(unit, [&](int m, int n) {
    const SumPair pair = pairs[Shape::place(m, n) * kLanes];
    sums[Shape::place(m, n)][0] = pair.values[0], sums[Shape::place(m, n)][1] = pair.values[1];
  });
  HEFT_KEEP_LOOP for (int s = 0; s < num_slabs; ++s) {
    add_wide_by_tensor_cores<Shape>(unit, slabs + s * slab_scalars, lane, sums);
  }
  for_each_tile<Shape>(unit, [&](int m, int n) {
    const double(&own)[2] = sums[Shape::place(m, n)];
    pairs[Shape::place(m, n) * kLanes] = {{own[0], own[1]}};
  });
}
#endif

/// Square by square, a pass over the slabs for each.
template <class Real>
HEFT_HD void add_wide_in_squares(const TileUnit& unit, const Real* slabs, int slab_scalars,
                                 int num_slabs, int lane, SumPair* pairs) {
  for (int n = 0; n * kTile < unit.right_width; n += 2)
    for (int m = 0; unit.has(m, n); m += 2) {
      TileUnit square = unit;
      square.left += m * kTile, square.left_width = smaller(unit.left_width - m * kTile, 2 * kTile);
      square.right += n * kTile;
      square.right_width = smaller(unit.right_width - n * kTile, 2 * kTile);
      const auto pair_of = [&](int i) -> SumPair& {
        return pairs[TileUnit::wide_tile(unit.is_diagonal(), m + i / 2, n + i % 2) * kLanes];
      };
      double sums[kUnitTiles][2] = {};
      HEFT_UNROLL for (int i = 0; i < kUnitTiles; ++i) {
        if (!square.has(i / 2, i % 2)) continue;
        const SumPair pair = pair_of(i);
        sums[i][0] = pair.values[0], sums[i][1] = pair.values[1];
      }
      for (int s = 0; s < num_slabs; ++s) add_unit(square, slabs + s * slab_scalars, lane, sums);
      HEFT_UNROLL for (int i = 0; i < kUnitTiles; ++i) {
        if (square.has(i / 2, i % 2)) pair_of(i) = {{sums[i][0], sums[i][1]}};
      }
    }
}

/// Adds a wide unit's products over slabs to its sums in memory. Every lane of a warp calls it with
/// the same unit.
template <class Real>
HEFT_HD void add_wide_unit(const TileUnit& unit, const Real* slabs, int slab_scalars, int num_slabs,
                           int lane, SumPair* pairs) {
#if defined(__CUDA_ARCH__)
  if constexpr (kHoldsWideUnits) {
    if (unit.is_diagonal())
      add_wide_in_registers<WideShape<true>>(unit, slabs, slab_scalars, num_slabs, lane, pairs);
    else
      add_wide_in_registers<WideShape<false>>(unit, slabs, slab_scalars, num_slabs, lane, pairs);
  } else {
    add_wide_in_squares(unit, slabs, slab_scalars, num_slabs, lane, pairs);
  }
#else
  add_wide_in_squares(unit, slabs, slab_scalars, num_slabs, lane, pairs);
#endif
}

}  // namespace heft::cuda
