// Products of tiles by the lanes of a warp, one slab at a time (gram_tiles.hpp). Lane l holds the
// sums of row l / 4 and columns 2 (l % 4) and 2 (l % 4) + 1 of a tile: the layout of the tensor
// cores for the product of an 8x4 matrix with a 4x8 one. In fp64 on a device the tensor cores
// compute the product; in fp32 and on the host, multiply-adds compute the same sums.
//
// A strip may have fewer than eight columns: its last column then fills the strip, and these
// products are not used.
#pragma once

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

#if defined(__CUDA_ARCH__)
/// sums += A B of an 8x4 and a 4x8 matrix: lane l brings A(l / 4, l % 4) and B(l % 4, l / 4).
HEFT_HD void multiply_add(double a, double b, double (&sums)[2]) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
               : "+d"(sums[0]), "+d"(sums[1])
               : "d"(a), "d"(b));
}

/// By the tensor cores. On the diagonal left strips are right ones.
template <class Shape>
HEFT_HD void add_products(const TileUnit& unit, const double* slab, int lane,
                          double (&sums)[kUnitTiles][2]) {
  const double *left[2], *right[2];
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
      HEFT_UNROLL for (int n = 0; n < Shape::kRightStrips; ++n) b[n] = right[n][right_shift + t];
      HEFT_UNROLL for (int m = 0; m < Shape::kLeftStrips; ++m) a[m] =
          Shape::kIsDiagonal ? b[m] : left[m][left_shift + t];
      HEFT_UNROLL for (int m = 0; m < 2; ++m)
          HEFT_UNROLL for (int n = 0; n < 2; ++n) if (Shape::has(m, n))
              multiply_add(a[m], b[n], sums[2 * m + n]);
    }
  }
}
#endif

/// By multiply-adds; sums over a slab are fp32 if the rows are.
template <class Shape, class Real>
HEFT_HD void add_products(const TileUnit& unit, const Real* slab, int lane,
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

}  // namespace heft::cuda
