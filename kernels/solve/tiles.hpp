// Symmetric matrices of one problem as lower triangles of 4x4 tiles, and their Cholesky factors,
// computed by a block of threads (phases.hpp).
//
// Tile (I, J), J <= I, is number I (I + 1) / 2 + J; its entry (r, c) is at 4 c + r; tiles on the
// diagonal are full. A tile takes 17 doubles, so tile t begins in bank t mod 16 of shared memory
// (of 8-byte words). Sixteen threads that read the same entry of adjacent tiles access every bank
// once along a row, and at most twice down a column, where tile numbers are triangular.
//
// Sizes are multiples of the tile; the unit matrix pads a matrix.
#pragma once

#include <cmath>

#include "phases.hpp"

namespace heft::cuda {

inline constexpr int kTileSize = 4;
inline constexpr int kTileStride = 17;  ///< doubles from tile to tile

HEFT_HD int triangle(int count) {
  return count * (count + 1) / 2;
}

/// Position in a triangle that is numbered row by row.
struct TrianglePlace {
  int row, column;
};

/// Valid for index < 2^21: the root of a square is then exact, and no other root rounds up to an
/// integer.
HEFT_HD TrianglePlace triangle_place(int index) {
  const int row =
      static_cast<int>(0.5f * (std::sqrt(8.0f * static_cast<float>(index) + 1.0f) - 1.0f));
  return {row, index - triangle(row)};
}

/// View of a lower triangle of tiles.
struct TiledMatrix {
  double* data;
  int num_tiles;  ///< along one side

  HEFT_HD static int size_for(int num_tiles) { return kTileStride * triangle(num_tiles); }
  HEFT_HD int size() const { return size_for(num_tiles); }
  HEFT_HD int rows() const { return kTileSize * num_tiles; }
  HEFT_HD double* tile(int I, int J) const { return data + kTileStride * (triangle(I) + J); }
  /// Entry of the lower triangle, column <= row.
  HEFT_HD double& at(int row, int column) const {
    return tile(row / kTileSize,
                column / kTileSize)[kTileSize * (column % kTileSize) + row % kTileSize];
  }
};

/// A Cholesky factor L: tiles below the diagonal as in TiledMatrix, those on the diagonal by their
/// inverses, tile J at inverse + kTileStride J, zeros above the diagonal.
struct TiledFactor {
  TiledMatrix L;
  double* inverse;

  HEFT_HD static int inverse_size(int num_tiles) { return kTileStride * num_tiles; }
};

/// Copies a factor including its inverses, which must follow its tiles; padding between tiles is
/// not changed.
template <class Block>
HEFT_HD void copy_factor(const Block& block, const TiledFactor& from, const TiledFactor& to) {
  each(block, from.L.size() + TiledFactor::inverse_size(from.L.num_tiles), [&](int i) {
    if (i % kTileStride < kTileSize * kTileSize) to.L.data[i] = from.L.data[i];
  });
}

/// Tile in registers, entry (row, column).
struct Tile {
  double at[kTileSize][kTileSize];
};

/// D^-1 of the lower factor D of a tile on the diagonal, zeros above the diagonal. NaN unless it is
/// positive definite.
HEFT_HD Tile inverse_factor(const double* tile) {
  Tile D{}, X{};
  for (int c = 0; c < kTileSize; ++c) {
    double pivot = tile[kTileSize * c + c];
    for (int k = 0; k < c; ++k) pivot -= D.at[c][k] * D.at[c][k];
    X.at[c][c] = 1 / std::sqrt(pivot);
    for (int r = c + 1; r < kTileSize; ++r) {
      double entry = tile[kTileSize * c + r];
      for (int k = 0; k < c; ++k) entry -= D.at[r][k] * D.at[c][k];
      D.at[r][c] = entry * X.at[c][c];
    }
  }
  for (int c = 0; c < kTileSize; ++c) {
    for (int r = c + 1; r < kTileSize; ++r) {
      double entry = 0;
      for (int k = c; k < r; ++k) entry += D.at[r][k] * X.at[k][c];
      X.at[r][c] = -entry * X.at[r][r];
    }
  }
  return X;
}

HEFT_HD void store(const Tile& from, double* tile) {
  for (int c = 0; c < kTileSize; ++c)
    for (int r = 0; r < kTileSize; ++r) tile[kTileSize * c + r] = from.at[r][c];
}

/// row <- row X' for one row of a tile.
HEFT_HD void divide_row(double* row, const Tile& X) {
  double old[kTileSize];
  for (int c = 0; c < kTileSize; ++c) old[c] = row[kTileSize * c];
  for (int c = 0; c < kTileSize; ++c) {
    double entry = 0;
    for (int k = 0; k <= c; ++k) entry += old[k] * X.at[c][k];
    row[kTileSize * c] = entry;
  }
}

/// C -= A B' on tiles.
HEFT_HD void subtract_product(const double* A, const double* B, double* C) {
  Tile sum;
  for (int c = 0; c < kTileSize; ++c)
    for (int r = 0; r < kTileSize; ++r) sum.at[r][c] = C[kTileSize * c + r];
  for (int k = 0; k < kTileSize; ++k) {
    double a[kTileSize], b[kTileSize];
    for (int r = 0; r < kTileSize; ++r) {
      a[r] = A[kTileSize * k + r];
      b[r] = B[kTileSize * k + r];
    }
    for (int c = 0; c < kTileSize; ++c)
      for (int r = 0; r < kTileSize; ++r) sum.at[r][c] -= a[r] * b[c];
  }
  for (int c = 0; c < kTileSize; ++c)
    for (int r = 0; r < kTileSize; ++r) C[kTileSize * c + r] = sum.at[r][c];
}

/// Factors the matrix in factor.L by columns of tiles, in two phases each: the
/// tiles below the diagonal are divided, thread = row; the triangle to the right is updated, thread
/// = tile. NaN unless positive definite.
template <class Block>
HEFT_HD void cholesky(const Block& block, const TiledFactor& factor) {
  const TiledMatrix& L = factor.L;
  for (int J = 0; J < L.num_tiles; ++J) {
    // by every thread for itself, which saves a phase; the tile on the diagonal stays as it is
    const Tile X = inverse_factor(L.tile(J, J));
    const int below = L.num_tiles - J - 1;
    each(block, 1 + kTileSize * below, [&](int i) {
      if (i == 0) {
        store(X, factor.inverse + kTileStride * J);
      } else {
        divide_row(L.tile(J + 1 + (i - 1) / kTileSize, J) + (i - 1) % kTileSize, X);
      }
    });
    each(block, triangle(below), [&](int t) {
      const TrianglePlace at = triangle_place(t);
      const int I = J + 1 + at.row, K = J + 1 + at.column;
      subtract_product(L.tile(I, J), L.tile(K, J), L.tile(I, K));
    });
  }
}

/// Entry `c` of D^-1 v, or of D^-T v, for the tile on the diagonal and its four entries of v.
HEFT_HD double times_inverse(const double* inverse, int c, const double* v) {
  double sum = 0;
  for (int k = 0; k < kTileSize; ++k) sum += inverse[kTileSize * k + c] * v[k];
  return sum;
}
HEFT_HD double times_inverse_transposed(const double* inverse, int c, const double* v) {
  double sum = 0;
  for (int k = 0; k < kTileSize; ++k) sum += inverse[kTileSize * c + k] * v[k];
  return sum;
}

/// z = L^-1 v; overwrites v.
template <class Block>
HEFT_HD void solve_forward(const Block& block, const TiledFactor& factor, double* v, double* z) {
  for (int J = 0; J < factor.L.num_tiles; ++J) {
    const double* const inverse = factor.inverse + kTileStride * J;
    const double* const own = v + kTileSize * J;
    each(block, kTileSize * (factor.L.num_tiles - J), [&](int i) {
      if (i < kTileSize) {
        z[kTileSize * J + i] = times_inverse(inverse, i, own);
        return;
      }
      const double* const row = factor.L.tile(J + i / kTileSize, J) + i % kTileSize;
      double sum = 0;
      for (int c = 0; c < kTileSize; ++c)
        sum += row[kTileSize * c] * times_inverse(inverse, c, own);
      v[kTileSize * J + i] -= sum;
    });
  }
}

/// x = L^-T z; overwrites z.
template <class Block>
HEFT_HD void solve_backward(const Block& block, const TiledFactor& factor, double* z, double* x) {
  for (int J = factor.L.num_tiles - 1; J >= 0; --J) {
    const double* const inverse = factor.inverse + kTileStride * J;
    const double* const own = z + kTileSize * J;
    each(block, kTileSize * (J + 1), [&](int i) {
      if (i >= kTileSize * J) {
        x[i] = times_inverse_transposed(inverse, i - kTileSize * J, own);
        return;
      }
      const double* const column = factor.L.tile(J, i / kTileSize) + kTileSize * (i % kTileSize);
      double sum = 0;
      for (int r = 0; r < kTileSize; ++r)
        sum += column[r] * times_inverse_transposed(inverse, r, own);
      z[i] -= sum;
    });
  }
}

/// result = A x for the symmetric A; thread = row.
template <class Block>
HEFT_HD void multiply(const Block& block, const TiledMatrix& A, const double* x, double* result) {
  each(block, A.rows(), [&](int i) {
    const int I = i / kTileSize, r = i % kTileSize;
    double sum = 0;
    for (int K = 0; K < A.num_tiles; ++K) {
      const double* const tile = K <= I ? A.tile(I, K) + r : A.tile(K, I) + kTileSize * r;
      const int step = K <= I ? kTileSize : 1;
      for (int c = 0; c < kTileSize; ++c) sum += tile[step * c] * x[kTileSize * K + c];
    }
    result[i] = sum;
  });
}

}  // namespace heft::cuda
