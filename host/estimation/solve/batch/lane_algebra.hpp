// Dense symmetric linear algebra for a pack of problems or for one problem. A lower triangle is
// stored by tiles of kTile x kTile numbers, tile (I, J) at I (I + 1) / 2 + J, column by column. For
// many problems a number is a pack; for one, a column is one or more packs.
//
// Diagonal tiles of a matrix are full; those of a factor hold the inverse of the factor's tile, so
// that substitutions become products.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "heft/core/psd_block.hpp"
#include "lane_pack.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

// of numbers of one problem; packs have their own
using core::all_negative;
using core::if_negative;
using core::inverse_square_root;
using core::maximum;

/// Eight problems, or the number of lanes.
struct Many {
  using Number = Pack;
  static constexpr int kLanes = kPack;
  static constexpr int kTile = HEFT_SOLVE_TILE;

  // Copied pack by pack: GCC 12 copies an array of packs through memory, in smaller pieces.
  struct Column {
    Pack at[kTile];

    Column() = default;
    HEFT_HD Column(const Column& from) { *this = from; }
    HEFT_HD Column& operator=(const Column& from) {
#pragma GCC unroll 8
      for (int r = 0; r < kTile; ++r) at[r].v = from.at[r].v;
      return *this;
    }

    HEFT_HD Pack get(int r) const { return at[r]; }
    HEFT_HD void set(int r, Pack x) { at[r] = x; }
    HEFT_HD void subtract(const Column& a, Pack b) {
      for (int r = 0; r < kTile; ++r) at[r] -= a.at[r] * b;
    }
    HEFT_HD void add(const Column& a, Pack b) {
      for (int r = 0; r < kTile; ++r) at[r] += a.at[r] * b;
    }
    /// Rows from `first` on; the others are zero or unused.
    HEFT_HD void subtract_from(int first, const Column& a, Pack b) {
      for (int r = first; r < kTile; ++r) at[r] -= a.at[r] * b;
    }
    HEFT_HD void add_from(int first, const Column& a, Pack b) {
      for (int r = first; r < kTile; ++r) at[r] += a.at[r] * b;
    }
    HEFT_HD void scale(Pack b) {
      for (int r = 0; r < kTile; ++r) at[r] *= b;
    }
    HEFT_HD void clear() {
      for (int r = 0; r < kTile; ++r) at[r] = Pack(0.0);
    }
    HEFT_HD void clear_above(int first) {
      for (int r = 0; r < first; ++r) at[r] = Pack(0.0);
    }
    HEFT_HD static Pack dot(const Column& a, const Column& b) {
      Pack total = a.at[0] * b.at[0];
      for (int r = 1; r < kTile; ++r) total += a.at[r] * b.at[r];
      return total;
    }
  };
};

/// One problem.
struct Alone {
  using Number = double;
  static constexpr int kLanes = 1;
  static constexpr int kTile = kPack < 4 ? 4 : kPack;

  struct Column {
    static constexpr int kPacks = kTile / kPack;
    Pack at[kPacks];

    Column() = default;
    HEFT_HD Column(const Column& from) { *this = from; }
    HEFT_HD Column& operator=(const Column& from) {
#pragma GCC unroll 4
      for (int i = 0; i < kPacks; ++i) at[i].v = from.at[i].v;
      return *this;
    }

    HEFT_HD double get(int r) const { return at[r / kPack].v[r % kPack]; }
    HEFT_HD void set(int r, double x) { at[r / kPack].v[r % kPack] = x; }
    HEFT_HD void subtract(const Column& a, double b) {
      for (int i = 0; i < kPacks; ++i) at[i].v -= a.at[i].v * b;
    }
    HEFT_HD void add(const Column& a, double b) {
      for (int i = 0; i < kPacks; ++i) at[i].v += a.at[i].v * b;
    }
    HEFT_HD void subtract_from(int, const Column& a, double b) { subtract(a, b); }
    HEFT_HD void add_from(int, const Column& a, double b) { add(a, b); }
    HEFT_HD void scale(double b) {
      for (int i = 0; i < kPacks; ++i) at[i].v *= b;
    }
    HEFT_HD void clear() {
      for (int i = 0; i < kPacks; ++i) at[i].v = Vector{};
    }
    HEFT_HD void clear_above(int first) {
      for (int r = 0; r < first; ++r) set(r, 0);
    }
    HEFT_HD static double dot(const Column& a, const Column& b) {
      Vector total = a.at[0].v * b.at[0].v;
      for (int i = 1; i < kPacks; ++i) total += a.at[i].v * b.at[i].v;
      return sum(Pack(total));
    }
  };
};

/// Numbers of a Side, padded to whole tiles with zeros.
template <class Side>
class Numbers {
 public:
  using Number = typename Side::Number;
  using Column = typename Side::Column;

  explicit Numbers(int size = 0) { resize(size); }
  void resize(int size) {
    num_tiles_ = (size + Side::kTile - 1) / Side::kTile;
    columns_.resize(static_cast<std::size_t>(num_tiles_));
    clear();
  }
  void clear() {
    for (Column& column : columns_) column.clear();
  }
  int size() const { return num_tiles_ * Side::kTile; }
  Number* data() { return reinterpret_cast<Number*>(columns_.data()); }
  const Number* data() const { return reinterpret_cast<const Number*>(columns_.data()); }
  Number& operator[](int i) { return data()[i]; }
  const Number& operator[](int i) const { return data()[i]; }
  Column& column(int I) { return columns_[static_cast<std::size_t>(I)]; }
  const Column& column(int I) const { return columns_[static_cast<std::size_t>(I)]; }

 private:
  int num_tiles_ = 0;
  std::vector<Column> columns_;
};

template <class Side>
class LowerTiles {
 public:
  using Number = typename Side::Number;
  using Column = typename Side::Column;
  static constexpr int kTile = Side::kTile;

  /// Sets all entries to zero, padded with the unit matrix.
  explicit LowerTiles(int size)
      : num_tiles_((size + kTile - 1) / kTile),
        columns_(static_cast<std::size_t>(num_tiles_) * (num_tiles_ + 1) / 2 * kTile) {
    for (Column& column : columns_) column.clear();
    for (int k = size; k < padded(); ++k) at(k, k) = Number(1);
  }

  int padded() const { return num_tiles_ * kTile; }
  int num_tiles() const { return num_tiles_; }
  Column* tile(int I, int J) {
    return columns_.data() + (static_cast<std::size_t>(I) * (I + 1) / 2 + J) * kTile;
  }
  const Column* tile(int I, int J) const { return const_cast<LowerTiles*>(this)->tile(I, J); }
  Number& at(int row, int column) {
    return reinterpret_cast<Number*>(
        tile(row / kTile, column / kTile))[column % kTile * kTile + row % kTile];
  }
  /// Copies another matrix of the same size in lanes with negative `taken`.
  void assign(const LowerTiles& other, Number taken) {
    Number* to = reinterpret_cast<Number*>(columns_.data());
    const Number* from = reinterpret_cast<const Number*>(other.columns_.data());
    for (std::size_t k = 0; k < columns_.size() * kTile; ++k)
      to[k] = if_negative(taken, from[k], to[k]);
  }

 private:
  int num_tiles_;
  std::vector<Column> columns_;
};

/// Entry (r, c) of a tile in memory.
template <class Column>
HEFT_HD const auto& entry(const Column* tile, int r, int c) {
  using Number = std::remove_cvref_t<decltype(tile->get(0))>;
  constexpr int kTile = sizeof(Column) / sizeof(Number);
  return reinterpret_cast<const Number*>(tile)[c * kTile + r];
}

// A tile in registers: every loop below unrolls.
template <class Side>
struct Tile {
  using Number = typename Side::Number;
  using Column = typename Side::Column;
  static constexpr int kTile = Side::kTile;
  Column at[kTile];

  HEFT_HD explicit Tile(const Column* from) {
    for (int c = 0; c < kTile; ++c) at[c] = from[c];
  }
  HEFT_HD void store(Column* to) const {
    for (int c = 0; c < kTile; ++c) to[c] = at[c];
  }

  /// this -= sum over k < count of A_k B_k' on tiles in a row.
  HEFT_HD void subtract_products(const Column* A, const Column* B, int count) {
    for (int K = 0; K < count; ++K, A += kTile, B += kTile) {
#pragma GCC unroll 8
      for (int k = 0; k < kTile; ++k) {
        const Column a = A[k];
#pragma GCC unroll 8
        for (int c = 0; c < kTile; ++c) at[c].subtract(a, entry(B, c, k));
      }
    }
  }

  /// this <- D^-1, zeros above the diagonal, for the Cholesky factor D of this; NaN unless it is
  /// positive definite.
  HEFT_HD void invert_factor() {
    Number inverse[kTile];
    for (int c = 0; c < kTile; ++c) {
      for (int k = 0; k < c; ++k) at[c].subtract_from(c, at[k], at[k].get(c));
      inverse[c] = inverse_square_root(at[c].get(c));
      at[c].scale(inverse[c]);
      at[c].clear_above(c);
    }
    // column c of D^-1 replaces that of D, which later columns do not need
    for (int c = 0; c < kTile; ++c) {
      Column x;
      x.clear();
      Number next = inverse[c];
      for (int k = c; k < kTile; ++k) {
        if (k > c) next = x.get(k) * inverse[k];
        x.subtract_from(k + 1, at[k], next);
        x.set(k, next);
      }
      at[c] = x;
    }
  }

  /// this <- this X' for the inverse X of the factor's diagonal tile.
  HEFT_HD void divide(const Column* X) {
    for (int c = kTile - 1; c >= 0; --c) {
      at[c].scale(entry(X, c, c));
      for (int k = 0; k < c; ++k) at[c].add(at[k], entry(X, c, k));
    }
  }
};

/// Cholesky factor of A; L may be A. Lanes that are not positive definite become NaN. Calls
/// `meanwhile` regularly, for prefetching.
template <class Side, class Meanwhile>
void cholesky(const LowerTiles<Side>& A, LowerTiles<Side>& L, Meanwhile&& meanwhile) {
  constexpr int kPanel = 4;  // number of tile columns per pass over a row of tiles, which stays in
                             // cache
  for (int first = 0; first < A.num_tiles(); first += kPanel) {
    for (int I = first; I < A.num_tiles(); ++I) {
      meanwhile();
      for (int J = first; J < first + kPanel && J <= I; ++J) {
        Tile<Side> tile(A.tile(I, J));
        tile.subtract_products(L.tile(I, 0), L.tile(J, 0), J);
        if (I == J) {
          tile.invert_factor();
        } else {
          tile.divide(L.tile(J, J));
        }
        tile.store(L.tile(I, J));
      }
    }
  }
}

template <class Side>
void cholesky(const LowerTiles<Side>& A, LowerTiles<Side>& L) {
  cholesky(A, L, [] {});
}

/// y <- L^-1 y.
template <class Side>
void solve_forward(const LowerTiles<Side>& L, Numbers<Side>& y) {
  using Column = typename Side::Column;
  for (int I = 0; I < L.num_tiles(); ++I) {
    Column sum = y.column(I), other, result;
    other.clear();
    result.clear();
    const Column* row = L.tile(I, 0);
    for (int J = 0; J < I; ++J, row += Side::kTile) {
      // two independent sums
      for (int c = 0; c < Side::kTile; ++c)
        (c % 2 == 0 ? sum : other).subtract(row[c], y[J * Side::kTile + c]);
    }
    for (int c = 0; c < Side::kTile; ++c) result.add_from(c, row[c], sum.get(c) + other.get(c));
    y.column(I) = result;
  }
}

/// y <- L^-T y.
template <class Side>
void solve_backward(const LowerTiles<Side>& L, Numbers<Side>& y) {
  using Column = typename Side::Column;
  for (int I = L.num_tiles() - 1; I >= 0; --I) {
    const Column* row = L.tile(I, 0);
    const Column* X = L.tile(I, I);
    const Column right = y.column(I);
    Column x;
    for (int c = 0; c < Side::kTile; ++c) x.set(c, Column::dot(X[c], right));
    y.column(I) = x;
    for (int k = 0; k < I * Side::kTile; ++k) y[k] -= Column::dot(row[k], x);
  }
}

/// result = A x for the symmetric A whose lower triangle is stored.
template <class Side>
void multiply_symmetric(const LowerTiles<Side>& A, const Numbers<Side>& x, Numbers<Side>& result) {
  using Column = typename Side::Column;
  result.clear();
  for (int I = 0; I < A.num_tiles(); ++I) {
    const Column own = x.column(I);
    Column sum;
    sum.clear();
    const Column* row = A.tile(I, 0);
    for (int k = 0; k < I * Side::kTile; ++k, ++row) {
      sum.add(*row, x[k]);
      result[k] += Column::dot(*row, own);
    }
    for (int c = 0; c < Side::kTile; ++c) sum.add(row[c], own.get(c));
    result.column(I).add(sum, typename Side::Number(1));
  }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
