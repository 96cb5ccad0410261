// Eigendecomposition of many small symmetric matrices at once, one per SIMD lane, by cyclic Jacobi rotations.
// A lane that has converged stands still, so a block's result does not depend on its neighbours.
#pragma once

namespace heft::solver {

inline constexpr int kLanes = 8;  ///< doubles in an AVX-512 register; two AVX2 or four SSE registers

/// kLanes symmetric 4x4 matrices, structure of arrays: entry k of svec order (column-wise lower triangle,
/// without the factor sqrt 2) of lane l at matrix[k][l].
struct alignas(64) SymmetricLanes {
  double matrix[10][kLanes];
};

/// Eigenvalues d[i][l] (unordered) and unit eigenvectors, vector[4 * i + r][l] = component r of the i-th.
struct alignas(64) EigenLanes {
  double value[4][kLanes];
  double vector[16][kLanes];
};

/// A = V diag(d) V' to rounding error for finite matrices; NaN in a lane stays in that lane.
void symmetric_eigen(const SymmetricLanes& A, EigenLanes& result);

/// Prox of -t_i log det of `count` svec blocks of length 10 in a row (FORMULAS 3), in_i = V diag(d) V':
///   out_i = V diag(f(d)) V',   f(d) = (d + sqrt(d^2 + 4 t_i)) / 2
/// t_i = 0 gives the nearest positive semidefinite matrix (Frobenius). `in` may be `out`.
void prox_blocks4(const double* in, const double* t, int count, double* out);

}  // namespace heft::solver
