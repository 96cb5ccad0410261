// Dense symmetric linear algebra on packs: every number is a vector of lanes, one lane a problem. Included
// once per instruction set, which sets HEFT_SOLVE_TARGET (namespace), HEFT_SOLVE_LANES and HEFT_SOLVE_TILE
// (register tile).
//
// A lower triangle is stored by tiles of kTile x kTile packs, tile (I, J) at I (I + 1) / 2 + J, entry (r, c)
// at kTile c + r.
#pragma once

#include <cmath>
#include <vector>

namespace heft::solver::HEFT_SOLVE_TARGET {

constexpr int kPack = HEFT_SOLVE_LANES;
constexpr int kTile = HEFT_SOLVE_TILE;
constexpr int kPanel = 4;  // columns of tiles that a row of tiles is read for at a time: a row stays in cache
constexpr double kSqrt2 = 1.41421356237309504880;

typedef double Pack __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));
typedef long long Mask __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));
typedef unsigned long long Bits __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));

struct alignas(8 * HEFT_SOLVE_LANES) AlignedPack {
  Pack v;
};
using Packs = std::vector<AlignedPack>;

inline Pack broadcast(double x) {
  return Pack{} + x;
}
inline Pack square_root(Pack x) {
  Pack root;
  for (int l = 0; l < kPack; ++l) root[l] = __builtin_sqrt(x[l]);
  return root;
}
/// 1 / sqrt(x) to two units in the last place, NaN unless x > 0; without the slow divider: halving the exponent in
/// the bit pattern is good to 4 %, and two steps of fourth order do the rest.
inline Pack inverse_square_root(Pack x) {
  constexpr unsigned long long kMagic = 0x5fe6eb50c7b537a9;
  Pack y = (Pack)(kMagic - ((Bits)x >> 1));
  for (int step = 0; step < 2; ++step) {
    const Pack error = 1.0 - x * y * y;
    y += y * error * (0.5 + error * (0.375 + error * 0.3125));
  }
  return x > 0 ? y : broadcast(__builtin_nan(""));
}
inline Pack maximum(Pack a, Pack b) {
  return a > b ? a : b;
}
inline Pack minimum(Pack a, Pack b) {
  return a < b ? a : b;
}
inline Pack magnitude(Pack a) {
  return a < 0 ? -a : a;
}

inline bool any(Mask mask) {
  bool result = false;
  for (int l = 0; l < kPack; ++l) result = result || mask[l];
  return result;
}

class LowerTiles {
 public:
  explicit LowerTiles(int size)
      : num_tiles_((size + kTile - 1) / kTile),
        data_(static_cast<std::size_t>(num_tiles_) * (num_tiles_ + 1) / 2 * kTile * kTile) {
    for (auto& entry : data_) entry.v = Pack{};
    for (int k = size; k < padded(); ++k) at(k, k) = broadcast(1);
  }

  int padded() const { return num_tiles_ * kTile; }
  int num_tiles() const { return num_tiles_; }
  AlignedPack* tile(int I, int J) {
    return data_.data() + (static_cast<std::size_t>(I) * (I + 1) / 2 + J) * kTile * kTile;
  }
  const AlignedPack* tile(int I, int J) const { return const_cast<LowerTiles*>(this)->tile(I, J); }
  /// Takes over another matrix of the same size in the lanes that are `taken`.
  void assign(const LowerTiles& other, Mask taken) {
    for (std::size_t t = 0; t < data_.size(); ++t) data_[t].v = taken ? other.data_[t].v : data_[t].v;
  }
  Pack& at(int row, int column) {
    return tile(row / kTile, column / kTile)[column % kTile * kTile + row % kTile].v;
  }
  Pack at(int row, int column) const { return const_cast<LowerTiles*>(this)->at(row, column); }

 private:
  int num_tiles_;
  Packs data_;
};

// A tile in registers, entry (r, c) at kTile c + r: every loop below unrolls.
struct Tile {
  Pack at[kTile * kTile];

  Pack& operator()(int r, int c) { return at[c * kTile + r]; }

  explicit Tile(const AlignedPack* from) {
    for (int t = 0; t < kTile * kTile; ++t) at[t] = from[t].v;
  }
  void store(AlignedPack* to) const {
    for (int t = 0; t < kTile * kTile; ++t) to[t].v = at[t];
  }

  /// this -= sum over k < count of A_k B_k' on tiles in a row.
  void subtract_products(const AlignedPack* A, const AlignedPack* B, int count) {
    for (int k = 0; k < count * kTile; ++k, A += kTile, B += kTile) {
      Pack a[kTile];
      for (int r = 0; r < kTile; ++r) a[r] = A[r].v;
      for (int c = 0; c < kTile; ++c) {
        const Pack b = B[c].v;
        for (int r = 0; r < kTile; ++r) at[c * kTile + r] -= a[r] * b;
      }
    }
  }

  /// this <- its Cholesky factor, in the lower triangle.
  void factorize(AlignedPack* inverse_diagonal) {
    for (int c = 0; c < kTile; ++c) {
      for (int k = 0; k < c; ++k) {
        for (int r = c; r < kTile; ++r) (*this)(r, c) -= (*this)(r, k) * (*this)(c, k);
      }
      const Pack inverse = inverse_square_root((*this)(c, c));
      inverse_diagonal[c].v = inverse;
      for (int r = c; r < kTile; ++r) (*this)(r, c) *= inverse;
    }
  }

  /// this <- this D^-T for a factor D.
  void divide(const AlignedPack* D, const AlignedPack* inverse_diagonal) {
    for (int c = 0; c < kTile; ++c) {
      for (int k = 0; k < c; ++k) {
        const Pack factor = D[k * kTile + c].v;
        for (int r = 0; r < kTile; ++r) (*this)(r, c) -= (*this)(r, k) * factor;
      }
      for (int r = 0; r < kTile; ++r) (*this)(r, c) *= inverse_diagonal[c].v;
    }
  }
};

/// Cholesky factor, L L' = A; `inverse_diagonal` holds 1 / L_kk. L may be A. A lane that is not positive
/// definite gets NaN. `meanwhile` is called once in a while, to give memory something to do.
template <class Meanwhile>
void cholesky(const LowerTiles& A, LowerTiles& L, Packs& inverse_diagonal, Meanwhile&& meanwhile) {
  for (int first = 0; first < A.num_tiles(); first += kPanel) {
    for (int I = first; I < A.num_tiles(); ++I) {
      meanwhile();
      for (int J = first; J < first + kPanel && J <= I; ++J) {
        Tile tile(A.tile(I, J));
        tile.subtract_products(L.tile(I, 0), L.tile(J, 0), J);
        if (I == J) {
          tile.factorize(&inverse_diagonal[J * kTile]);
        } else {
          tile.divide(L.tile(J, J), &inverse_diagonal[J * kTile]);
        }
        tile.store(L.tile(I, J));
      }
    }
  }
}

inline void cholesky(const LowerTiles& A, LowerTiles& L, Packs& inverse_diagonal) {
  cholesky(A, L, inverse_diagonal, [] {});
}

/// y <- L^-1 y.
inline void solve_forward(const LowerTiles& L, const Packs& inverse_diagonal, Packs& y) {
  for (int I = 0; I < L.num_tiles(); ++I) {
    Pack sum[kTile];
    for (int r = 0; r < kTile; ++r) sum[r] = y[I * kTile + r].v;
    const AlignedPack* row = L.tile(I, 0);
    for (int k = 0; k < I * kTile; ++k, row += kTile) {
      for (int r = 0; r < kTile; ++r) sum[r] -= row[r].v * y[k].v;
    }
    for (int c = 0; c < kTile; ++c, row += kTile) {
      sum[c] *= inverse_diagonal[I * kTile + c].v;
      for (int r = c + 1; r < kTile; ++r) sum[r] -= row[r].v * sum[c];
      y[I * kTile + c].v = sum[c];
    }
  }
}

/// y <- L^-T y.
inline void solve_backward(const LowerTiles& L, const Packs& inverse_diagonal, Packs& y) {
  for (int I = L.num_tiles() - 1; I >= 0; --I) {
    const AlignedPack* row = L.tile(I, 0);
    const AlignedPack* diagonal = L.tile(I, I);
    Pack sum[kTile];
    for (int c = kTile - 1; c >= 0; --c) {
      sum[c] = y[I * kTile + c].v;
      for (int r = c + 1; r < kTile; ++r) sum[c] -= diagonal[c * kTile + r].v * sum[r];
      sum[c] *= inverse_diagonal[I * kTile + c].v;
      y[I * kTile + c].v = sum[c];
    }
    for (int k = 0; k < I * kTile; ++k, row += kTile) {
      Pack rest = y[k].v;
      for (int r = 0; r < kTile; ++r) rest -= row[r].v * sum[r];
      y[k].v = rest;
    }
  }
}

/// result = A x for the symmetric A whose lower triangle is stored.
inline void multiply_symmetric(const LowerTiles& A, const Packs& x, Packs& result) {
  for (auto& entry : result) entry.v = Pack{};
  for (int I = 0; I < A.num_tiles(); ++I) {
    Pack sum[kTile], own[kTile];
    for (int r = 0; r < kTile; ++r) {
      sum[r] = Pack{};
      own[r] = x[I * kTile + r].v;
    }
    const AlignedPack* row = A.tile(I, 0);
    for (int k = 0; k < I * kTile; ++k, row += kTile) {
      const Pack xk = x[k].v;
      Pack transposed = result[k].v;
      for (int r = 0; r < kTile; ++r) {
        sum[r] += row[r].v * xk;
        transposed += row[r].v * own[r];
      }
      result[k].v = transposed;
    }
    for (int c = 0; c < kTile; ++c) {
      for (int r = 0; r < kTile; ++r) sum[r] += row[r >= c ? c * kTile + r : r * kTile + c].v * own[c];
    }
    for (int r = 0; r < kTile; ++r) result[I * kTile + r].v += sum[r];
  }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
