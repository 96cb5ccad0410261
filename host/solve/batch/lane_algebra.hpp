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
constexpr double kSqrt2 = 1.41421356237309504880;

typedef double Pack __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));
typedef long long Mask __attribute__((vector_size(8 * HEFT_SOLVE_LANES)));

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
inline Pack maximum(Pack a, Pack b) {
  return a > b ? a : b;
}
inline Pack magnitude(Pack a) {
  return a < 0 ? -a : a;
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
  Pack& at(int row, int column) {
    return tile(row / kTile, column / kTile)[column % kTile * kTile + row % kTile].v;
  }

 private:
  int num_tiles_;
  Packs data_;
};

/// C -= sum over k < count of A_k B_k' on tiles in a row.
inline void subtract_products(const AlignedPack* A, const AlignedPack* B, int count, AlignedPack* C) {
  Pack sum[kTile * kTile];
  for (int t = 0; t < kTile * kTile; ++t) sum[t] = C[t].v;
  for (int k = 0; k < count * kTile; ++k, A += kTile, B += kTile) {
    Pack a[kTile];
    for (int r = 0; r < kTile; ++r) a[r] = A[r].v;
    for (int c = 0; c < kTile; ++c) {
      const Pack b = B[c].v;
      for (int r = 0; r < kTile; ++r) sum[c * kTile + r] -= a[r] * b;
    }
  }
  for (int t = 0; t < kTile * kTile; ++t) C[t].v = sum[t];
}

/// Cholesky factor in place, L L' = A; `inverse_diagonal` holds 1 / L_kk. A lane that is not positive
/// definite gets NaN.
inline void cholesky(LowerTiles& A, Packs& inverse_diagonal) {
  for (int J = 0; J < A.num_tiles(); ++J) {
    for (int I = J; I < A.num_tiles(); ++I) {
      AlignedPack* C = A.tile(I, J);
      subtract_products(A.tile(I, 0), A.tile(J, 0), J, C);
      const AlignedPack* D = A.tile(J, J);
      for (int c = 0; c < kTile; ++c) {
        if (I == J) {
          for (int k = 0; k < c; ++k) {
            for (int r = c; r < kTile; ++r) C[c * kTile + r].v -= C[k * kTile + r].v * C[k * kTile + c].v;
          }
          const Pack root = square_root(C[c * kTile + c].v);
          inverse_diagonal[J * kTile + c].v = 1.0 / root;
          C[c * kTile + c].v = root;
          for (int r = c + 1; r < kTile; ++r) C[c * kTile + r].v *= inverse_diagonal[J * kTile + c].v;
        } else {
          for (int k = 0; k < c; ++k) {
            for (int r = 0; r < kTile; ++r) C[c * kTile + r].v -= C[k * kTile + r].v * D[k * kTile + c].v;
          }
          for (int r = 0; r < kTile; ++r) C[c * kTile + r].v *= inverse_diagonal[J * kTile + c].v;
        }
      }
    }
  }
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
    Pack sum[kTile];
    for (int r = 0; r < kTile; ++r) sum[r] = Pack{};
    const AlignedPack* row = A.tile(I, 0);
    for (int k = 0; k < I * kTile; ++k, row += kTile) {
      const Pack xk = x[k].v;
      Pack transposed = result[k].v;
      for (int r = 0; r < kTile; ++r) {
        sum[r] += row[r].v * xk;
        transposed += row[r].v * x[I * kTile + r].v;
      }
      result[k].v = transposed;
    }
    for (int c = 0; c < kTile; ++c) {
      for (int r = 0; r < kTile; ++r)
        sum[r] += row[r >= c ? c * kTile + r : r * kTile + c].v * x[I * kTile + c].v;
    }
    for (int r = 0; r < kTile; ++r) result[I * kTile + r].v += sum[r];
  }
}

/// Lanes whose svec block is positive definite, by Cholesky.
inline Mask positive_definite4(const AlignedPack* v) {
  constexpr double kHalf = 0.5;  // products of two off-diagonal entries, each sqrt 2 too large
  const Pack d1 = v[4].v - kHalf * v[1].v * v[1].v / v[0].v;
  const Pack a21 = v[5].v - v[1].v * v[2].v / (kSqrt2 * v[0].v),
             a31 = v[6].v - v[1].v * v[3].v / (kSqrt2 * v[0].v);
  const Pack b22 = v[7].v - kHalf * v[2].v * v[2].v / v[0].v,
             b32 = v[8].v - v[2].v * v[3].v / (kSqrt2 * v[0].v);
  const Pack b33 = v[9].v - kHalf * v[3].v * v[3].v / v[0].v;
  const Pack d2 = b22 - kHalf * a21 * a21 / d1;
  const Pack c32 = b32 - a21 * a31 / (kSqrt2 * d1);
  const Pack d3 = b33 - kHalf * a31 * a31 / d1 - kHalf * c32 * c32 / d2;
  return (v[0].v > 0) & (d1 > 0) & (d2 > 0) & (d3 > 0);
}

/// Nearest positive semidefinite matrix of one svec block of ten packs, by cyclic Jacobi rotations in all
/// lanes at once.
inline void project_block4(const AlignedPack* in, AlignedPack* out) {
  constexpr int kPlace[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};
  constexpr int kMaxSweeps = 8;

  // inside the cone the block is its own projection: often so in all lanes
  const Mask inside = positive_definite4(in);
  bool all_inside = true;
  for (int l = 0; l < kPack; ++l) all_inside = all_inside && inside[l];
  if (all_inside) {
    for (int k = 0; k < 10; ++k) out[k].v = in[k].v;
    return;
  }
  Pack A[10], V[4][4];
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) V[i][j] = broadcast(i == j);
  }
  for (int i = 0; i < 4; ++i) {
    for (int j = i; j < 4; ++j) A[kPlace[i][j]] = in[kPlace[i][j]].v * (i == j ? 1 : 1 / kSqrt2);
  }
  for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
    Pack off{}, on{};
    for (int i = 0; i < 4; ++i) {
      on += A[kPlace[i][i]] * A[kPlace[i][i]];
      for (int j = 0; j < i; ++j) off += A[kPlace[i][j]] * A[kPlace[i][j]];
    }
    const Mask rotate = off > 1e-32 * on;
    bool any = false;
    for (int l = 0; l < kPack; ++l) any = any || rotate[l];
    if (!any) break;
    for (int p = 0; p < 3; ++p) {
      for (int q = p + 1; q < 4; ++q) {
        Pack &app = A[kPlace[p][p]], &aqq = A[kPlace[q][q]], &apq = A[kPlace[p][q]];
        const Pack half = 0.5 * (aqq - app);
        const Pack length = magnitude(half) + square_root(half * half + apq * apq);
        // a lane that is done stands still, so that its neighbours cannot change its bits
        const Pack tangent = rotate ? (half < 0 ? -apq : apq) / (length + 1e-300) : Pack{};
        const Pack cosine = 1.0 / square_root(1.0 + tangent * tangent);
        const Pack sine = cosine * tangent;
        app -= tangent * apq;
        aqq += tangent * apq;
        apq = rotate ? Pack{} : apq;
        for (int r = 0; r < 4; ++r) {
          if (r != p && r != q) {
            Pack &x = A[kPlace[r][p]], &y = A[kPlace[r][q]];
            const Pack rotated = cosine * x - sine * y;
            y = sine * x + cosine * y;
            x = rotated;
          }
          const Pack rotated = cosine * V[p][r] - sine * V[q][r];
          V[q][r] = sine * V[p][r] + cosine * V[q][r];
          V[p][r] = rotated;
        }
      }
    }
  }
  // keep the eigenvalues above zero
  for (int column = 0; column < 4; ++column) {
    for (int row = column; row < 4; ++row) {
      Pack sum{};
      for (int i = 0; i < 4; ++i) sum += V[i][row] * maximum(A[kPlace[i][i]], Pack{}) * V[i][column];
      const int k = kPlace[row][column];
      out[k].v = inside ? in[k].v : (row == column ? sum : kSqrt2 * sum);
    }
  }
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
