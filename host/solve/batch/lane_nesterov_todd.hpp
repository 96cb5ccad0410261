// Nesterov-Todd scaling (host/solve/nesterov_todd.hpp) of one 4x4 block, or one row, in every lane.
#pragma once

#include "lane_block.hpp"

namespace heft::solver::HEFT_SOLVE_TARGET {

/// The longest step from 1 along a direction whose least eigenvalue is given; huge where none is the longest.
inline Pack longest_step(Pack least) {
  constexpr double kFar = 1e30;
  return least < -1 / kFar ? -1.0 / least : broadcast(kFar);
}

struct BlockScaling {
  Block R_inverse;
  Block P;                 ///< R^-T R^-1
  Pack d[4];               ///< the scaled point
  Pack inverse_root_d[4];  ///< d^-1/2
  Block ds, dlambda;       ///< scaled directions

  /// A lane where slack or multiplier is not positive definite gets NaN.
  void compute(const AlignedPack* slack, const AlignedPack* lambda) {
    const Block Ls = cholesky(smat(slack)), Lz = cholesky(smat(lambda));
    // columns of A = Lz' Ls = U diag(d) V' rotated until they are orthogonal: U diag(d)
    Block A = product(transposed(Lz), Ls);
    orthogonalize(A);
    for (int i = 0; i < 4; ++i) {
      Pack norm2{};
      for (int k = 0; k < 4; ++k) norm2 += A.at[k][i] * A.at[k][i];
      const Pack inverse = inverse_square_root(norm2);
      d[i] = norm2 * inverse;
      inverse_root_d[i] = inverse_square_root(d[i]);
      // R^-1 = diag(d)^-1/2 U' Lz'
      const Pack scale = inverse * inverse_root_d[i];
      for (int j = 0; j < 4; ++j) {
        Pack sum{};
        for (int k = 0; k <= j; ++k) sum += A.at[k][i] * Lz.at[j][k];
        R_inverse.at[i][j] = scale * sum;
      }
    }
    P = product(transposed(R_inverse), R_inverse);
  }

  /// R^-1 dS R^-T.
  Block scale_slack(const AlignedPack* step) const {
    return product(product(R_inverse, smat(step)), transposed(R_inverse));
  }

  /// svec of R^-T M R^-1.
  void to_multiplier(const Block& M, AlignedPack* out) const {
    svec(product(product(transposed(R_inverse), M), R_inverse), out);
  }

  /// Least eigenvalue of D^-1/2 direction D^-1/2.
  Pack least_relative(const Block& direction) const {
    Block relative;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j < 4; ++j)
        relative.at[i][j] = inverse_root_d[i] * inverse_root_d[j] * direction.at[i][j];
    }
    return least_eigenvalue(relative);
  }

  /// u of d o u = target 1 - d o d - a o b (Jordan product, all scaled).
  Block complementarity(Pack target, const Block& a, const Block& b) const {
    const Block ab = product(a, b);
    Block u;
    for (int i = 0; i < 4; ++i) {
      for (int j = 0; j <= i; ++j) {
        Pack rest = -0.5 * (ab.at[i][j] + ab.at[j][i]);
        if (i == j) rest += target - d[i] * d[i];
        u.at[i][j] = u.at[j][i] = rest * 2.0 / (d[i] + d[j]);
      }
    }
    return u;
  }

 private:
  static void orthogonalize(Block& A) {
    constexpr int kMaxSweeps = 12;
    // squared cosine between columns; the sweep that meets it leaves its square, as convergence is quadratic
    constexpr double kOrthogonal = 1e-18;
    for (int sweep = 0; sweep < kMaxSweeps; ++sweep) {
      Mask moved{};
      for (const auto& [p, q] : kPairs) {
        Pack a{}, b{}, c{};
        for (int k = 0; k < 4; ++k) {
          a += A.at[k][p] * A.at[k][p];
          b += A.at[k][q] * A.at[k][q];
          c += A.at[k][p] * A.at[k][q];
        }
        const Mask moving = c * c > kOrthogonal * a * b;
        moved |= moving;
        const Rotation rotation(moving, 0.5 * (b - a), c);
        for (int k = 0; k < 4; ++k) {
          const Pack x = A.at[k][p], y = A.at[k][q];
          A.at[k][p] = rotation.cosine * x - rotation.sine * y;
          A.at[k][q] = rotation.sine * x + rotation.cosine * y;
        }
      }
      if (!any(moved)) break;
    }
  }
};

/// A row of R+: the same in numbers.
struct RowScaling {
  Pack P;  ///< R^-1 squared
  Pack d;
  Pack ds, dlambda;

  void compute(Pack slack, Pack lambda) {
    d = square_root(slack) * square_root(lambda);
    P = square_root(lambda / slack);
  }
  Pack complementarity(Pack target, Pack a, Pack b) const { return (target - d * d - a * b) / d; }
};

}  // namespace heft::solver::HEFT_SOLVE_TARGET
