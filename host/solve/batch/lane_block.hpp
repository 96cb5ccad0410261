// Symmetric 4x4 blocks on packs: matrices of bodies, as svec blocks of ten packs (host/solve/svec.hpp) or
// dense. A lane that is done with an iteration stands still, so that its neighbours cannot change its bits.
#pragma once

#include "lane_algebra.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

/// Where entry (i, j) of a symmetric 4x4 matrix stands in its svec.
constexpr int kPlace[4][4] = {{0, 1, 2, 3}, {1, 4, 5, 6}, {2, 5, 7, 8}, {3, 6, 8, 9}};

/// Dense 4x4 matrix, entry by row and column.
struct Block {
  Pack at[4][4];
};

inline Block smat(const AlignedPack* v) {
  Block M;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) M.at[i][j] = v[kPlace[i][j]].v * (i == j ? 1 : 1 / kSqrt2);
  }
  return M;
}

/// Svec of a symmetric M, from its lower triangle.
inline void svec(const Block& M, AlignedPack* v) {
  for (int j = 0; j < 4; ++j) {
    for (int i = j; i < 4; ++i) v[kPlace[i][j]].v = M.at[i][j] * (i == j ? 1 : kSqrt2);
  }
}

/// A B.
inline Block product(const Block& A, const Block& B) {
  Block C;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      C.at[i][j] = A.at[i][0] * B.at[0][j];
      for (int k = 1; k < 4; ++k) C.at[i][j] += A.at[i][k] * B.at[k][j];
    }
  }
  return C;
}

inline Block transposed(const Block& A) {
  Block B;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) B.at[i][j] = A.at[j][i];
  }
  return B;
}

/// Lower Cholesky factor; a lane that is not positive definite gets NaN.
inline Block cholesky(const Block& A) {
  Block L{};
  for (int j = 0; j < 4; ++j) {
    Pack pivot = A.at[j][j];
    for (int k = 0; k < j; ++k) pivot -= L.at[j][k] * L.at[j][k];
    const Pack inverse = inverse_square_root(pivot);
    L.at[j][j] = pivot * inverse;
    for (int i = j + 1; i < 4; ++i) {
      Pack sum = A.at[i][j];
      for (int k = 0; k < j; ++k) sum -= L.at[i][k] * L.at[j][k];
      L.at[i][j] = sum * inverse;
    }
  }
  return L;
}

/// The Jacobi rotation that clears entry `off` of a symmetric 2x2 matrix whose diagonal differs by 2 `half`;
/// none in lanes that are not moving.
struct Rotation {
  Pack cosine, sine, tangent;

  Rotation(Mask moving, Pack half, Pack off) {
    // of the double angle
    const Pack length2 = half * half + off * off;
    moving &= length2 > 0;
    const Pack inverse = inverse_square_root(length2);
    const Pack cosine2 = 0.5 + 0.5 * magnitude(half) * inverse;
    const Pack inverse_cosine = inverse_square_root(cosine2);
    tangent = moving ? 0.5 * (half < 0 ? -off : off) * inverse * inverse_cosine * inverse_cosine : Pack{};
    cosine = moving ? cosine2 * inverse_cosine : broadcast(1);
    sine = cosine * tangent;
  }
};

/// The order of rotations: neighbours share no row, so that the processor can overlap them.
constexpr int kPairs[6][2] = {{0, 1}, {2, 3}, {0, 2}, {1, 3}, {0, 3}, {1, 2}};

/// Eigenvalues e and eigenvectors, the rows of V, by cyclic Jacobi rotations in all lanes at once.
struct Eigen4 {
  Pack e[4];
  Block V;

  explicit Eigen4(const Block& matrix) {
    constexpr int kMaxSweeps = 8;
    Block A = matrix;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j) V.at[i][j] = broadcast(i == j);
    }
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      Pack off{}, on{};
      for (int i = 0; i < 4; ++i) {
        on += A.at[i][i] * A.at[i][i];
        for (int j = 0; j < i; ++j) off += A.at[i][j] * A.at[i][j];
      }
      const Mask moving = off > 1e-28 * on;
      if (!any(moving)) break;
      for (const auto& [p, q] : kPairs) rotate(A, moving, p, q);
    }
    for (int i = 0; i < 4; ++i) e[i] = A.at[i][i];
  }

  /// svec of V' diag(values) V.
  void compose(const Pack* values, AlignedPack* out) const {
    for (int j = 0; j < 4; ++j) {
      for (int i = j; i < 4; ++i) {
        Pack sum{};
        for (int k = 0; k < 4; ++k) sum += V.at[k][i] * values[k] * V.at[k][j];
        out[kPlace[i][j]].v = i == j ? sum : kSqrt2 * sum;
      }
    }
  }

 private:
  // on the lower triangle of A
  void rotate(Block& A, Mask moving, int p, int q) {
    Pack &app = A.at[p][p], &aqq = A.at[q][q], &apq = A.at[q][p];
    const auto [cosine, sine, tangent] = Rotation(moving, 0.5 * (aqq - app), apq);
    app -= tangent * apq;
    aqq += tangent * apq;
    apq = moving ? Pack{} : apq;
    for (int r = 0; r < 4; ++r) {
      if (r != p && r != q) {
        Pack &x = r > p ? A.at[r][p] : A.at[p][r], &y = r > q ? A.at[r][q] : A.at[q][r];
        const Pack rotated = cosine * x - sine * y;
        y = sine * x + cosine * y;
        x = rotated;
      }
      const Pack rotated = cosine * V.at[p][r] - sine * V.at[q][r];
      V.at[q][r] = sine * V.at[p][r] + cosine * V.at[q][r];
      V.at[p][r] = rotated;
    }
  }
};

/// Lanes where every pivot of the Cholesky factor is positive.
inline Mask is_positive_definite(const Block& A) {
  const Block L = cholesky(A);
  return (L.at[0][0] > 0) & (L.at[1][1] > 0) & (L.at[2][2] > 0) & (L.at[3][3] > 0);
}

/// Nearest positive semidefinite matrix of an svec block.
inline void project(const AlignedPack* in, AlignedPack* out) {
  // inside the cone the block is its own projection: often so in all lanes
  const Block A = smat(in);
  const Mask inside = is_positive_definite(A);
  if (any(~inside)) {
    const Eigen4 eigen(A);
    Pack values[4];
    for (int i = 0; i < 4; ++i) values[i] = maximum(eigen.e[i], Pack{});
    eigen.compose(values, out);
    for (int k = 0; k < 10; ++k) out[k].v = inside ? in[k].v : out[k].v;
  } else {
    for (int k = 0; k < 10; ++k) out[k].v = in[k].v;
  }
}

/// Positive s and z with s - z = v and s z = product, without cancellation.
inline void split_number(Pack v, Pack product, Pack& s, Pack& z) {
  const Pack larger = 0.5 * (magnitude(v) + square_root(v * v + 4.0 * product));
  const Pack smaller = product / larger;
  s = v < 0 ? smaller : larger;
  z = v < 0 ? larger : smaller;
}

/// The same of an svec block: positive definite S and Z with S - Z = smat(v) and S Z = product 1.
inline void split_matrix(const AlignedPack* v, Pack product, AlignedPack* s, AlignedPack* z) {
  const Eigen4 eigen(smat(v));
  Pack of_s[4], of_z[4];
  for (int i = 0; i < 4; ++i) split_number(eigen.e[i], product, of_s[i], of_z[i]);
  eigen.compose(of_s, s);
  eigen.compose(of_z, z);
}

/// Least eigenvalue of a symmetric matrix, from below: Laguerre's iteration on the characteristic polynomial
/// climbs towards the least of four real roots without passing it.
inline Pack least_eigenvalue(const Block& A) {
  constexpr int kIterations = 4;
  const auto minor2 = [&A](int i, int j) { return A.at[i][i] * A.at[j][j] - A.at[i][j] * A.at[i][j]; };
  // 2x2 minors of rows 0, 1 and of rows 2, 3, by their columns
  const auto top = [&A](int i, int j) { return A.at[0][i] * A.at[1][j] - A.at[0][j] * A.at[1][i]; };
  const auto low = [&A](int i, int j) { return A.at[2][i] * A.at[3][j] - A.at[2][j] * A.at[3][i]; };
  const Pack top01 = top(0, 1), low23 = low(2, 3);
  const Pack trace = A.at[0][0] + A.at[1][1] + A.at[2][2] + A.at[3][3];
  const Pack sum2 = top01 + low23 + minor2(0, 2) + minor2(0, 3) + minor2(1, 2) + minor2(1, 3);
  const Pack sum3 = A.at[2][0] * top(1, 2) - A.at[2][1] * top(0, 2) + A.at[2][2] * top01 +
                    A.at[3][0] * top(1, 3) - A.at[3][1] * top(0, 3) + A.at[3][3] * top01 +
                    A.at[0][0] * low23 - A.at[0][2] * low(0, 3) + A.at[0][3] * low(0, 2) +
                    A.at[1][1] * low23 - A.at[1][2] * low(1, 3) + A.at[1][3] * low(1, 2);
  const Pack determinant = top01 * low23 - top(0, 2) * low(1, 3) + top(0, 3) * low(1, 2) +
                           top(1, 2) * low(0, 3) - top(1, 3) * low(0, 2) + top(2, 3) * low(0, 1);
  Pack norm2{};
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) norm2 += A.at[i][j] * A.at[i][j];
  }
  Pack x = -square_root(norm2);
  for (int k = 0; k < kIterations; ++k) {
    const Pack value = (((x - trace) * x + sum2) * x - sum3) * x + determinant;
    const Pack slope = ((4.0 * x - 3.0 * trace) * x + 2.0 * sum2) * x - sum3;
    const Pack bend = (12.0 * x - 6.0 * trace) * x + 2.0 * sum2;
    const Pack root = square_root(maximum(9.0 * slope * slope - 12.0 * value * bend, Pack{}));
    const Pack step = 4.0 * value / (root - slope);
    x = step > 0 ? x + step : x;
  }
  return x;
}

}  // namespace heft::solver::HEFT_SOLVE_TARGET
